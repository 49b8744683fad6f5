#include "bench/robots.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "stiction/core/paths.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"

namespace stiction::bench {

namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path.string()));
  return text.str();
}

Foot foot_at_frame(const Model& model, const std::string& frame_name) {
  const std::optional<int> index = model.find_frame(frame_name);
  if (!index) throw std::runtime_error(fmt::format("the robot has no frame '{}'", frame_name));
  const Frame& frame = model.frames()[static_cast<std::size_t>(*index)];
  return {frame.body, from_eigen(Eigen::Vector3d(frame.pose.translation()))};
}

std::array<Foot, 4> feet_at_frames(const Model& model, const std::array<const char*, 4>& frames) {
  std::array<Foot, 4> feet;
  for (std::size_t k = 0; k < feet.size(); ++k) feet[k] = foot_at_frame(model, frames[k]);
  return feet;
}

/// A chain has no feet: four points around the end of its last link.
std::array<Foot, 4> feet_at_tip(const Model& model) {
  const int tip = model.body_count() - 1;
  return {Foot{tip, {0.02, 0.0, -0.2}}, Foot{tip, {-0.02, 0.0, -0.2}}, Foot{tip, {0.0, 0.02, -0.2}},
          Foot{tip, {0.0, -0.02, -0.2}}};
}

std::string with_floating_base(std::string urdf, const std::string& root) {
  const std::size_t end = urdf.rfind("</robot>");
  if (end == std::string::npos) throw std::runtime_error("the URDF has no </robot>");
  urdf.insert(end, fmt::format("<link name=\"world\"/>\n<joint name=\"floating_base\" "
                               "type=\"floating\"><parent link=\"world\"/>"
                               "<child link=\"{}\"/></joint>\n",
                               root));
  return urdf;
}

LoadOptions with_base(BaseKind base) {
  LoadOptions options;
  options.base = base;
  return options;
}

Robot load_anymal() {
  const std::filesystem::path path = models_folder() / "anymal_lumped.xml";
  Model model = load_model(path).model;
  const auto feet = feet_at_frames(model, {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"});
  return {"anymal_lumped", std::move(model), read_text(path), false, feet};
}

Robot load_romeo() {
  const std::filesystem::path path = models_folder() / "romeo.urdf";
  Model model = load_model(path, with_base(BaseKind::floating)).model;
  const auto feet = feet_at_frames(
      model, {"l_foot_front_left", "l_foot_rear_right", "r_foot_front_left", "r_foot_rear_right"});
  return {"romeo", std::move(model), with_floating_base(read_text(path), "base_link"), true, feet};
}

/// MuJoCo's reader of MJCF stops at 100 nested elements, so chains are URDF.
Robot load_chain(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(STICTION_BENCH_MODELS) / (name + ".urdf");
  Model model = load_model(path, with_base(BaseKind::fixed)).model;
  const auto feet = feet_at_tip(model);
  return {name, std::move(model), read_text(path), true, feet};
}

}  // namespace

Robot load_robot(const std::string& name) {
  if (name == "anymal_lumped") return load_anymal();
  if (name == "romeo") return load_romeo();
  return load_chain(name);
}

std::vector<RobotState> random_states(const Model& model, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<RobotState> states(static_cast<std::size_t>(count));
  for (RobotState& state : states) {
    state.q.resize(static_cast<std::size_t>(model.position_count()));
    for (double& value : state.q) value = random.uniform(-1.0, 1.0);
    for (const Joint& joint : model.joints()) {
      if (joint.kind != JointKind::floating) continue;
      double* quaternion = state.q.data() + joint.position_index + 3;
      const double length = std::hypot(std::hypot(quaternion[0], quaternion[1]),
                                       std::hypot(quaternion[2], quaternion[3]));
      for (int k = 0; k < 4; ++k) quaternion[k] /= length;
    }
    state.v.resize(static_cast<std::size_t>(model.velocity_count()));
    for (double& value : state.v) value = random.normal();
    state.tau.resize(state.v.size());
    for (double& value : state.tau) value = random.normal();
  }
  return states;
}

}  // namespace stiction::bench
