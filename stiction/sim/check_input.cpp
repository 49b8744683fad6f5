#include "stiction/sim/check_input.hpp"

#include <cmath>
#include <fmt/format.h>

#include "stiction/core/finite.hpp"
#include "stiction/core/index.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

std::string wrong_size(const char* what, std::size_t is, int should, const char* each) {
  return fmt::format("{} has {} entries, but the model has {} {}; give one for each", what, is,
                     should, each);
}

/// Names the joint of the first entry that is not a number.
template <class FirstEntry>
std::string not_finite(const Model& model, const char* what, std::span<const double> values,
                       const FirstEntry& first_entry) {
  int entry = 0;
  while (std::isfinite(values[index(entry)])) ++entry;
  const Joint* found = nullptr;
  for (const Joint& joint : model.joints()) {
    if (first_entry(joint) <= entry) found = &joint;
  }
  return fmt::format(
      "{} of joint '{}' is {} (entry {}); restore a state before it, or take a "
      "shorter time step",
      what, found == nullptr ? "?" : found->name, values[index(entry)], entry);
}

/// A workspace fits all copies of one structure.
std::string fault_of_structure(const Model& prepared, const Model& model) {
  if (prepared.has_structure_of(model)) return {};
  return fmt::format(
      "the workspace was made for another model ('{}', {} bodies) than '{}' ({} bodies); make a "
      "Workspace of this model, or of the one that it was copied from",
      prepared.name(), prepared.body_count(), model.name(), model.body_count());
}

std::string fault_of_state(const Model& model, const State& state) {
  if (state.q.size() != model.position_count()) {
    return wrong_size("q", static_cast<std::size_t>(state.q.size()), model.position_count(),
                      "positions");
  }
  if (state.v.size() != model.velocity_count()) {
    return wrong_size("v", static_cast<std::size_t>(state.v.size()), model.velocity_count(),
                      "velocities");
  }
  if (!all_finite(as_span(state.q))) {
    return not_finite(model, "position", as_span(state.q),
                      [](const Joint& joint) { return joint.position_index; });
  }
  if (!all_finite(as_span(state.v))) {
    return not_finite(model, "velocity", as_span(state.v),
                      [](const Joint& joint) { return joint.velocity_index; });
  }
  if (state.activation.size() != model.activation_count()) {
    return wrong_size("activation", static_cast<std::size_t>(state.activation.size()),
                      model.activation_count(), "actuators with dynamics");
  }
  if (!all_finite(as_span(state.activation))) {
    return "an activation of the state is not finite; restore a state before it";
  }
  if (!std::isfinite(state.time)) {
    return fmt::format("the time of the state is {}; give a finite one", state.time);
  }
  // Zero times a number is zero, of either sign; times anything else NaN, which no sum loses.
  double rest[3] = {0.0, 0.0, 0.0};
  for (const ImpulseMemory& memory : state.memory) {
    for (std::size_t k = 0; k < 3; ++k) rest[k] = fma(memory.impulse[k], 0.0, rest[k]);
  }
  if (!(rest[0] + rest[1] + rest[2] == 0.0)) {
    return "an impulse in the memory of the state is not finite; clear the memory";
  }
  return {};
}

std::string fault_of_quaternions(const Model& model, std::span<const int> joints,
                                 const State& state) {
  for (const int i : joints) {
    const Joint& joint = model.joint(i);
    const int first = joint.position_index + (joint.kind == JointKind::floating ? 3 : 0);
    const double square = state.q.segment<4>(first).squaredNorm();
    if (std::abs(square - 1.0) < 1e-3) continue;
    return fmt::format("the quaternion of joint '{}' has length {}; give it unit length",
                       joint.name, std::sqrt(square));
  }
  return {};
}

std::string fault_of_servo(const Model& model, const JointServo& servo) {
  if (servo.velocity_index < 0 || servo.velocity_index >= model.velocity_count()) {
    return fmt::format("a servo is on velocity {}, but the model has {}; give 0 to {}",
                       servo.velocity_index, model.velocity_count(), model.velocity_count() - 1);
  }
  const Joint& joint = model.joint(model.degrees_of_freedom()[index(servo.velocity_index)].body);
  if (velocity_size(joint.kind) != 1 && joint.kind != JointKind::planar) {
    return fmt::format(
        "a servo is on joint '{}', which is {}; servos drive revolute, continuous, "
        "prismatic and planar joints",
        joint.name, to_string(joint.kind));
  }
  const double numbers[] = {servo.position_target, servo.velocity_target, servo.stiffness,
                            servo.damping, servo.feed_forward};
  if (!all_finite(numbers) || servo.stiffness < 0.0 || servo.damping < 0.0) {
    return fmt::format(
        "the servo of joint '{}' has a number that is not finite, or a negative "
        "gain; give finite numbers and gains from 0 up",
        joint.name);
  }
  return {};
}

std::string fault_of_force(const Model& model, const ExternalForce& force) {
  if (force.body < 0 || force.body >= model.body_count()) {
    return fmt::format("a force is on body {}, but the model has {}; give 0 to {}", force.body,
                       model.body_count(), model.body_count() - 1);
  }
  if (!force.force.allFinite() || !force.torque.allFinite() || !force.point.allFinite()) {
    return fmt::format("the force on body '{}' is not finite; give finite numbers",
                       model.body_name(force.body));
  }
  return {};
}

std::string fault_of_input(const Model& model, const StepInput& input) {
  if (!input.control.empty()) {
    if (input.control.size() != model.actuators().size()) {
      return wrong_size("control", input.control.size(), static_cast<int>(model.actuators().size()),
                        "actuators");
    }
    for (std::size_t i = 0; i < input.control.size(); ++i) {
      if (std::isfinite(input.control[i])) continue;
      return fmt::format("the control of actuator '{}' is {}; give a finite number",
                         model.actuators()[i].name, input.control[i]);
    }
  }
  if (!input.joint_forces.empty()) {
    if (input.joint_forces.size() != index(model.velocity_count())) {
      return wrong_size("joint_forces", input.joint_forces.size(), model.velocity_count(),
                        "velocities");
    }
    if (!all_finite(input.joint_forces)) {
      return not_finite(model, "force", input.joint_forces,
                        [](const Joint& joint) { return joint.velocity_index; });
    }
  }
  if (std::string fault = fault_of_servos(model, input.servos); !fault.empty()) return fault;
  for (const ExternalForce& force : input.forces) {
    if (std::string fault = fault_of_force(model, force); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::string fault_of_servos(const Model& model, std::span<const JointServo> servos) {
  for (const JointServo& servo : servos) {
    if (std::string fault = fault_of_servo(model, servo); !fault.empty()) return fault;
  }
  return {};
}

std::string fault_of_step(const Model& prepared, const SceneLayout& layout, const Model& model,
                          const StepOptions& options, const StepInput& input, const State& state,
                          RightOptions& right) {
  if (std::string fault = fault_of_structure(prepared, model); !fault.empty()) return fault;
  if (std::string fault = right.fault_of_next(options); !fault.empty()) return fault;
  if (std::string fault = fault_of_state(model, state); !fault.empty()) return fault;
  if (std::string fault = fault_of_quaternions(model, layout.quaternions, state); !fault.empty())
    return fault;
  return fault_of_input(model, input);
}

}  // namespace stiction
