#include "stiction/record/page_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stiction/record/page_encoding.hpp"

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

/// Entries of q and v that are told.
struct ToldEntries {
  std::vector<int> positions;   ///< of joints with one coordinate
  std::vector<int> velocities;  ///< of robots
  std::vector<int> forces;      ///< the same without those of floating bases, which nothing drives
};

ToldEntries told_entries(const Json& scene) {
  const Json& bodies = scene["bodies"];
  std::vector<bool> has_child(bodies.size(), false);
  for (const Json& body : bodies) {
    const int parent = body["parent"].get<int>();
    if (parent >= 0) has_child[static_cast<std::size_t>(parent)] = true;
  }
  ToldEntries told;
  int velocity = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Json& joint = bodies[i]["joint"];
    const JointKind kind = *parse_joint_kind(joint["kind"].get<std::string>());
    const int count = velocity_size(kind);
    if (count == 1) told.positions.push_back(joint["index"].get<int>());
    for (int k = velocity; k < velocity + count; ++k) {
      if (kind != JointKind::floating || has_child[i]) told.velocities.push_back(k);
      if (kind != JointKind::floating) told.forces.push_back(k);
    }
    velocity += count;
  }
  return told;
}

/// Adds a table of these entries of a vector that each frame has, unless one has it not.
template <class Read>
void add_table(Json& run, const char* name, const std::vector<int>& entries, Eigen::Index size,
               std::span<const RecordedFrame> frames, const Read& read) {
  const bool everywhere = std::ranges::all_of(
      frames, [&](const RecordedFrame& frame) { return read(frame).size() == size; });
  if (entries.empty() || !everywhere) return;
  std::vector<std::vector<double>> columns(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    columns[i].reserve(frames.size());
    for (const RecordedFrame& frame : frames) columns[i].push_back(read(frame)[entries[i]]);
  }
  Json table = scaled_table(columns);
  table["entries"] = entries;
  run[name] = std::move(table);
}

}  // namespace

Json scaled_table(const std::vector<std::vector<double>>& columns) {
  constexpr double steps = 1e5;
  double largest = 0.0;
  for (const std::vector<double>& column : columns) {
    for (const double x : column) largest = std::max(largest, std::abs(x));
  }
  const double unit =
      largest > 1e-290 ? std::pow(10.0, std::floor(std::log10(largest / steps))) : 1.0;
  std::vector<std::int32_t> values;
  for (const std::vector<double>& column : columns) {
    std::int32_t before = 0;
    for (const double x : column) {
      const auto value = static_cast<std::int32_t>(std::lround(x / unit));
      values.push_back(value - before);
      before = value;
    }
  }
  return {{"unit", unit}, {"count", columns.size()}, {"values", pack(values)}};
}

void add_joint_tables(Json& run, const Json& scene, std::span<const RecordedFrame> frames) {
  const ToldEntries told = told_entries(scene);
  const auto velocities = scene["velocity_count"].get<Eigen::Index>();
  add_table(
      run, "joint_positions", told.positions, scene["position_count"].get<Eigen::Index>(), frames,
      [](const RecordedFrame& frame) -> const auto& { return frame.state.q; });
  add_table(
      run, "joint_velocities", told.velocities, velocities, frames,
      [](const RecordedFrame& frame) -> const auto& { return frame.state.v; });
  add_table(
      run, "joint_forces", told.forces, velocities, frames,
      [](const RecordedFrame& frame) -> const auto& { return frame.joint_forces; });
  if (!scene.contains("actuators")) return;
  std::vector<int> actuators(scene["actuators"].size());
  for (std::size_t i = 0; i < actuators.size(); ++i) actuators[i] = static_cast<int>(i);
  add_table(
      run, "actuator_forces", actuators, static_cast<Eigen::Index>(actuators.size()), frames,
      [](const RecordedFrame& frame) -> const auto& { return frame.actuator_forces; });
}

std::string fault_of_numbers(const RecordedFrame& frame) {
  if (!frame.state.v.allFinite()) return "has a velocity that is NaN or infinite";
  if (!frame.joint_forces.allFinite() || !frame.actuator_forces.allFinite()) {
    return "has a force that is NaN or infinite";
  }
  return {};
}

}  // namespace stiction
