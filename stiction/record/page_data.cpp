#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

#include "stiction/record/options_json.hpp"
#include "stiction/record/page.hpp"
#include "stiction/record/page_encoding.hpp"
#include "stiction/record/page_tables.hpp"

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

constexpr double position_unit = 1e-5;  // [m]
constexpr double quaternion_unit = 1.0 / 32767.0;

/// What the page needs to know of a run, number by number.
struct Columns {
  std::vector<double> times;
  std::vector<std::int32_t> positions;
  std::vector<std::int16_t> quaternions;
  std::vector<float> kinetic, potential, residual, overlap;
  std::vector<std::uint32_t> iterations, not_certified, steps, contact_start{0};
  std::vector<std::int32_t> contact_shapes;
  std::vector<std::uint8_t> contact_mode;
  std::vector<float> contact_points, contact_normals, contact_impulses;
  std::vector<float> contact_gap, contact_friction;
  std::vector<float> contact_anchors, contact_stretches;  ///< of runs with springs alone
};

[[noreturn]] void refuse_frame(const std::string& label, std::size_t frame,
                               const std::string& what) {
  refuse_page(fmt::format("frame {} of run '{}' {}", frame, label, what),
              "record the run again, or download the file again");
}

bool finite(const Vector3<double>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool finite(const RecordedContact& contact) {
  return finite(contact.point) && finite(contact.normal) && finite(contact.impulse) &&
         std::isfinite(contact.gap) && std::isfinite(contact.friction);
}

bool finite(const SpringEnds& spring) {
  return !spring.attached || (finite(spring.a) && finite(spring.b));
}

/// Empty if the frame can be drawn in the scene.
std::string fault_of(const RecordedFrame& frame, const ScenePoses& scene, std::int32_t shapes) {
  if (frame.state.q.size() != scene.position_count()) {
    return fmt::format("has {} positions, but the scene has {}", frame.state.q.size(),
                       scene.position_count());
  }
  if (!std::isfinite(frame.state.time)) return "has a time that is NaN or infinite";
  if (!frame.state.q.allFinite()) return "has a position that is NaN or infinite";
  if (frame.iterations < 0 || frame.not_certified < 0 || frame.steps < 0) {
    return "has a negative count";
  }
  for (const RecordedContact& contact : frame.contacts) {
    const auto known = [&](std::int32_t shape) { return shape >= -1 && shape < shapes; };
    if (!known(contact.shape_a) || !known(contact.shape_b)) {
      return "has a contact of a shape that does not exist";
    }
    if (!finite(contact)) return "has a contact that contains NaN or infinity";
  }
  if (!frame.springs.empty() && frame.springs.size() != frame.contacts.size()) {
    return fmt::format("has {} anchors, but {} contacts", frame.springs.size(),
                       frame.contacts.size());
  }
  if (!std::ranges::all_of(frame.springs, [](const SpringEnds& s) { return finite(s); })) {
    return "has an anchor that is NaN or infinite";
  }
  return fault_of_numbers(frame);
}

void check_run(const PageRun& run, const ScenePoses& scene, std::int32_t shapes) {
  for (std::size_t i = 0; i < run.frames.size(); ++i) {
    const RecordedFrame& frame = run.frames[i];
    if (const std::string fault = fault_of(frame, scene, shapes); !fault.empty()) {
      refuse_frame(run.label, i, fault);
    }
    if (i > 0 && frame.state.time < run.frames[i - 1].state.time) {
      refuse_frame(run.label, i, "is earlier than the previous frame");
    }
  }
}

void add_vector(std::vector<float>& column, const Vector3<double>& vector) {
  for (const double x : {vector.x, vector.y, vector.z}) column.push_back(static_cast<float>(x));
}

void add_contact(Columns& columns, const RecordedContact& contact) {
  columns.contact_shapes.push_back(contact.shape_a);
  columns.contact_shapes.push_back(contact.shape_b);
  columns.contact_mode.push_back(static_cast<std::uint8_t>(contact.mode));
  add_vector(columns.contact_points, contact.point);
  add_vector(columns.contact_normals, contact.normal);
  add_vector(columns.contact_impulses, contact.impulse);
  columns.contact_gap.push_back(static_cast<float>(contact.gap));
  columns.contact_friction.push_back(static_cast<float>(contact.friction));
}

/// NaN for contacts without spring.
void add_springs(Columns& columns, const RecordedFrame& frame) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < frame.contacts.size(); ++i) {
    const bool there = !frame.springs.empty() && frame.springs[i].attached;
    const Vector3<double> nowhere{none, none, none};
    add_vector(columns.contact_anchors, there ? frame.springs[i].a : nowhere);
    add_vector(columns.contact_stretches, there ? frame.springs[i].stretch() : nowhere);
  }
}

/// Beyond 21 km the drawing stops moving.
std::int32_t in_units(double position) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(std::round(position / position_unit), -most, most));
}

/// Of the two quaternions of a rotation the one that is nearer to that of the frame before, so that
/// differences are small.
Eigen::Quaterniond near(Eigen::Quaterniond rotation, Eigen::Quaterniond& last) {
  if (rotation.dot(last) < 0.0) rotation.coeffs() = -rotation.coeffs();
  last = rotation;
  return rotation;
}

void add_poses(Columns& columns, const std::vector<Eigen::Isometry3d>& poses,
               std::vector<Eigen::Quaterniond>& last) {
  for (const Eigen::Isometry3d& pose : poses) {
    for (const double x : pose.translation()) columns.positions.push_back(in_units(x));
  }
  for (std::size_t body = 0; body < poses.size(); ++body) {
    const Eigen::Quaterniond rotation =
        near(Eigen::Quaterniond(poses[body].linear()).normalized(), last[body]);
    for (const double x : rotation.coeffs()) {
      columns.quaternions.push_back(static_cast<std::int16_t>(std::lround(x / quaternion_unit)));
    }
  }
}

void add_frame(Columns& columns, const RecordedFrame& frame) {
  columns.times.push_back(frame.state.time);
  columns.kinetic.push_back(static_cast<float>(frame.kinetic_energy));
  columns.potential.push_back(static_cast<float>(frame.potential_energy));
  columns.residual.push_back(static_cast<float>(frame.worst_residual));
  columns.overlap.push_back(static_cast<float>(frame.deepest_overlap));
  columns.iterations.push_back(static_cast<std::uint32_t>(frame.iterations));
  columns.not_certified.push_back(static_cast<std::uint32_t>(frame.not_certified));
  columns.steps.push_back(static_cast<std::uint32_t>(frame.steps));
  for (const RecordedContact& contact : frame.contacts) add_contact(columns, contact);
  columns.contact_start.push_back(static_cast<std::uint32_t>(columns.contact_mode.size()));
}

/// Differences to the row before, in arithmetic that wraps around.
template <class Number>
void differentiate(std::vector<Number>& column, std::size_t row) {
  using Unsigned = std::make_unsigned_t<Number>;
  for (std::size_t i = column.size(); i-- > row;) {
    column[i] = static_cast<Number>(static_cast<Unsigned>(static_cast<Unsigned>(column[i]) -
                                                          static_cast<Unsigned>(column[i - row])));
  }
}

Columns columns_of(const std::vector<RecordedFrame>& frames, const ScenePoses& scene) {
  const std::size_t bodies = static_cast<std::size_t>(scene.body_count());
  Columns columns;
  std::vector<Eigen::Quaterniond> last(bodies, Eigen::Quaterniond::Identity());
  const bool springs = std::ranges::any_of(
      frames, [](const RecordedFrame& frame) { return !frame.springs.empty(); });
  for (const RecordedFrame& frame : frames) {
    add_poses(columns, scene.poses(frame.state.q), last);
    add_frame(columns, frame);
    if (springs) add_springs(columns, frame);
  }
  differentiate(columns.positions, 3 * bodies);
  differentiate(columns.quaternions, 4 * bodies);
  return columns;
}

Json description_json(const RunDescription& run) {
  Json result{{"title", run.title},
              {"scene", run.scene},
              {"controls", run.controls},
              {"seed", run.seed},
              {"options", options_json<Json>(run.options)}};
  for (const char* name : {"solver", "law", "gap_rule", "integrator", "time_step", "tolerance"}) {
    result[name] = result["options"][name];
  }
  return result;
}

Json run_json(const PageRun& run, const Columns& columns) {
  Json result{{"label", run.label},
              {"description", description_json(run.run)},
              {"frames", columns.times.size()},
              {"times", pack(columns.times)},
              {"position_unit", position_unit},
              {"positions", pack(columns.positions)},
              {"quaternions", pack(columns.quaternions)},
              {"kinetic", pack(columns.kinetic)},
              {"potential", pack(columns.potential)},
              {"residual", pack(columns.residual)},
              {"overlap", pack(columns.overlap)},
              {"iterations", pack(columns.iterations)},
              {"not_certified", pack(columns.not_certified)},
              {"steps", pack(columns.steps)},
              {"contact_start", pack(columns.contact_start)},
              {"contact_shapes", pack(columns.contact_shapes)},
              {"contact_mode", pack(columns.contact_mode)},
              {"contact_points", pack(columns.contact_points)},
              {"contact_normals", pack(columns.contact_normals)},
              {"contact_impulses", pack(columns.contact_impulses)},
              {"contact_gap", pack(columns.contact_gap)},
              {"contact_friction", pack(columns.contact_friction)}};
  if (!columns.contact_anchors.empty()) {
    result["contact_anchors"] = pack(columns.contact_anchors);
    result["contact_stretches"] = pack(columns.contact_stretches);
  }
  return result;
}

std::vector<RecordedFrame> thinned(const std::vector<RecordedFrame>& frames,
                                   const PageOptions& options) {
  PageFrames kept(options);
  for (const RecordedFrame& frame : frames) kept.add(frame);
  return kept.take();
}

}  // namespace

std::string page_data(const std::string& scene, std::span<const PageRun> runs,
                      const PageOptions& options) {
  if (!(options.frames_per_second > 0.0)) {
    throw std::invalid_argument("frames_per_second must be positive");
  }
  const ScenePoses poses(scene);
  Json document{{"format", "stiction-replay"}, {"version", 1}, {"scene", parse_scene(scene)}};
  const std::int32_t shapes = static_cast<std::int32_t>(document["scene"]["shapes"].size());
  Json list = Json::array();
  for (const PageRun& run : runs) {
    check_run(run, poses, shapes);
    const std::vector<RecordedFrame> frames = thinned(run.frames, options);
    list.push_back(run_json(run, columns_of(frames, poses)));
    add_joint_tables(list.back(), document["scene"], frames);
  }
  document["runs"] = std::move(list);
  return dump_page_json(document);
}

std::string fill_page(std::string_view viewer, std::string_view data) {
  constexpr std::string_view place = "<script id=\"stiction-data\" type=\"application/json\">null";
  constexpr std::string_view word = "null";
  const std::size_t found = viewer.find(place);
  const std::size_t end = found + place.size();
  if (found == std::string_view::npos || !viewer.substr(end).starts_with("</script>")) {
    throw std::invalid_argument("the viewer page has no place for data: it does not contain " +
                                std::string(place));
  }
  std::string page(viewer.substr(0, end - word.size()));
  page.reserve(viewer.size() + data.size());
  for (const char letter : data) {
    // In JSON the letter stands in strings alone, where it may be written so.
    if (letter == '<') {
      page += "\\u003c";
    } else {
      page += letter;
    }
  }
  page += viewer.substr(end);
  return page;
}

}  // namespace stiction
