#include "apps/stiction/scene_run_pose.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>
#include <optional>
#include <vector>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/scene_run_ground.hpp"
#include "stiction/core/index.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({}, what, remedy);
  throw InputError(std::move(problems));
}

struct Assignment {
  std::string name;
  double value = 0.0;
  bool degrees = false;  ///< the value was given in degrees, and is in radians now
};

/// NAME=VALUE,NAME=VALUE; with `deg` behind a value it is in degrees.
std::vector<Assignment> assignments_of(const std::string& option, const std::string& list,
                                       const char* example) {
  std::vector<Assignment> result;
  for (const std::string& part : split(list)) {
    const std::size_t equals = part.rfind('=');
    std::string number = equals == std::string::npos ? "" : part.substr(equals + 1);
    constexpr std::string_view unit = "deg";
    const bool degrees = number.ends_with(unit);
    if (degrees) number.resize(number.size() - unit.size());
    const std::optional<double> value = parse_number(number);
    if (!value || equals == 0) {
      refuse(fmt::format("{}: '{}' is not NAME=VALUE with a finite number", option, part),
             fmt::format("write, for example, {}", example));
    }
    result.push_back(
        {part.substr(0, equals), degrees ? *value * std::numbers::pi / 180.0 : *value, degrees});
  }
  return result;
}

/// Of many names, the first ones.
std::string choice_of(const std::vector<std::string_view>& known) {
  constexpr std::size_t named = 12;
  if (known.empty()) return "the scene has none";
  const std::vector<std::string_view> some(known.begin(),
                                           known.begin() + std::min(known.size(), named));
  return fmt::format("choose from {}{}", fmt::join(some, ", "), known.size() > named ? ", …" : "");
}

bool has_one_position(const Joint& joint) {
  return !joint.kinematic && position_size(joint.kind) == 1;
}

int joint_of(const Model& model, const Assignment& given) {
  std::vector<std::string_view> known;
  for (const Joint& joint : model.joints()) {
    if (has_one_position(joint)) known.push_back(joint.name);
  }
  const std::optional<int> joint = model.find_joint(given.name);
  if (!joint) {
    refuse(fmt::format("--pose: there is no joint '{}'", given.name),
           suggestion(given.name, known, choice_of(known)));
  }
  if (!has_one_position(model.joint(*joint))) {
    refuse(fmt::format("--pose: joint '{}' has {} numbers", given.name,
                       position_size(model.joint(*joint).kind)),
           "give joints with one position; a keyframe or a state file can set the others");
  }
  return *joint;
}

void check_position(const Joint& joint, const Assignment& given) {
  if (given.degrees && joint.kind == JointKind::prismatic) {
    refuse(fmt::format("--pose: joint '{}' slides, and was given degrees", joint.name),
           "give its position in metres");
  }
  if (given.value < joint.limits.lower || given.value > joint.limits.upper) {
    refuse(fmt::format("--pose: {:g} for joint '{}' is outside its range of {:g} to {:g}",
                       given.value, joint.name, joint.limits.lower, joint.limits.upper),
           "angles are in radians unless the value ends with deg");
  }
}

/// Joints that a coupling ties to one that was set, unless they were set themselves.
void move_coupled_joints(const Model& model, std::vector<bool>& set, State& state) {
  const Eigen::VectorXd& initial = model.initial_positions();
  for (const Coupling& coupling : model.couplings()) {
    if (coupling.kind != Coupling::Kind::joint || !coupling.active || coupling.joint_b < 0 ||
        !set[index(coupling.joint_b)] || set[index(coupling.joint_a)]) {
      continue;
    }
    const int a = model.joint(coupling.joint_a).position_index;
    const int b = model.joint(coupling.joint_b).position_index;
    double power = 1.0;
    state.q[a] = initial[a];
    for (const double coefficient : coupling.coefficients) {
      state.q[a] += coefficient * power;
      power *= state.q[b] - initial[b];
    }
    set[index(coupling.joint_a)] = true;
  }
}

/// One past the last body of the tree with this root.
int end_of_tree(const Model& model, int root) {
  int end = root + 1;
  while (end < model.body_count() && model.parent(end) != world_body) ++end;
  return end;
}

/// Robots of which a joint was set and that float.
void put_on_floor(const Model& model, const std::vector<bool>& set, State& state) {
  for (int root = 0; root < model.body_count(); root = end_of_tree(model, root)) {
    const int end = end_of_tree(model, root);
    const bool moved = std::any_of(set.begin() + root, set.begin() + end, [](bool s) { return s; });
    const Joint& base = model.joint(root);
    if (!moved || base.kind != JointKind::floating || base.kinematic) continue;
    const std::optional<double> height = height_above_ground(model, state, root, end);
    if (height) state.q[base.position_index + 2] -= *height;
  }
}

}  // namespace

bool is_joint_list(const std::string& text) { return text.find('=') != std::string::npos; }

void set_joints(const std::string& list, const Model& model, State& state) {
  std::vector<bool> set(index(model.body_count()), false);
  for (const Assignment& given : assignments_of("--pose", list, "--pose hip=0.4,knee=-45deg")) {
    const Joint& joint = model.joint(joint_of(model, given));
    check_position(joint, given);
    state.q[joint.position_index] = given.value;
    set[index(joint.body)] = true;
  }
  move_coupled_joints(model, set, state);
  put_on_floor(model, set, state);
}

void set_controls(const std::string& list, const Model& model, Eigen::VectorXd& control) {
  std::vector<std::string_view> known;
  for (const Actuator& actuator : model.actuators()) known.push_back(actuator.name);
  for (const Assignment& given : assignments_of("--ctrl", list, "--ctrl grip=255,wrist=0.1")) {
    const std::optional<int> found = model.find_actuator(given.name);
    if (!found) {
      refuse(fmt::format("--ctrl: there is no actuator '{}'", given.name),
             suggestion(given.name, known, choice_of(known)));
    }
    const Actuator& actuator = model.actuators()[index(*found)];
    const auto& [lower, upper] = actuator.control_range;
    if (actuator.control_limited && (given.value < lower || given.value > upper)) {
      refuse(fmt::format("--ctrl: {:g} for actuator '{}' is outside its control range of {:g} to "
                         "{:g}",
                         given.value, actuator.name, lower, upper),
             "choose a value in the range, or change it in the file");
    }
    control[*found] = given.value;
  }
}

}  // namespace stiction
