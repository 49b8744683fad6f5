#include "stiction/sim/forces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Maximum number of times in a step that drives at their bounds are released.
constexpr int most_releases = 8;

/// The body of a floating joint turns actuators with it.
Eigen::Vector3d turned(const Joint& joint, const State& state, const Eigen::Vector3d& axis) {
  const double* q = state.q.data() + joint.position_index;
  return Eigen::Quaterniond(q[6], q[3], q[4], q[5]) * axis;
}

}  // namespace

Forces::Forces(const Model& model)
    : passive_(index(model.velocity_count())),
      passive_diagonal_(passive_.size()),
      fixed_(passive_.size()),
      v_(passive_.size()),
      tau_(passive_.size()),
      diagonal_(passive_.size()) {
  drives_.reserve(model.actuators().size() + passive_.size());
  tendon_drives_.reserve(model.actuators().size() + 2 * model.tendons().size());
  outputs_.resize(model.actuators().size());
}

void Forces::collect(const Model& model, const StepInput& input, const State& state,
                     const TendonSet& tendons, double h) {
  h_ = h;
  tendons_ = &tendons;
  saturations_ = 0;
  drives_.clear();
  tendon_drives_.clear();
  std::copy_n(state.v.data(), v_.size(), v_.begin());
  if (input.joint_forces.empty()) {
    std::ranges::fill(fixed_, 0.0);
  } else {
    std::ranges::copy(input.joint_forces, fixed_.begin());
  }
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    add_actuator(model, model.actuators()[i], input.control.empty() ? 0.0 : input.control[i], state,
                 outputs_[i]);
  }
  for (const JointServo& servo : input.servos) add_servo(model, servo, state);
  if (!model.tendons().empty()) add_tendon_springs(model);
  has_passive_ = model.has_passive_forces();
  if (has_passive_) {
    const double* damping = model.parameters().damping.data();
    const double* stiffness = model.spring_stiffness().data();
    passive_forces<double>(model, as_span(state.q), as_span(state.v), passive_);
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      passive_[k] -= h * stiffness[k] * v_[k];
      passive_diagonal_[k] = h * (damping[k] + h * stiffness[k]);
    }
  }
  implicit_ = has_passive_ || has_drives();
  assemble();
}

void Forces::add_actuator(const Model& model, const Actuator& actuator, double control,
                          const State& state, ActuatorOutput& output) {
  output = {};
  if (actuator.tendon >= 0) return add_tendon_actuator(model, actuator, control, output);
  if (actuator.joint < 0) return;
  const Joint& joint = model.joint(actuator.joint);
  if (actuator.control_limited) {
    control = std::clamp(control, actuator.control_range[0], actuator.control_range[1]);
  }
  const double constant = actuator.gain[0] * control + actuator.bias[0];
  if (velocity_size(joint.kind) != 1) {
    // Its length is not defined: only what does not depend on it counts.
    double force = constant;
    if (actuator.force_limited) {
      force = std::clamp(force, actuator.force_range[0], actuator.force_range[1]);
    }
    output.force = force;
    const std::array<double, 6>& gear = actuator.gear;
    for (int k = 0; k < std::min(3, velocity_size(joint.kind)); ++k) {
      fixed_[index(joint.velocity_index + k)] += gear[index(k)] * force;
    }
    if (joint.kind != JointKind::floating) return;
    const Eigen::Vector3d torque = turned(joint, state, {gear[3], gear[4], gear[5]});
    for (int k = 0; k < 3; ++k) fixed_[index(joint.velocity_index + 3 + k)] += torque[k] * force;
    return;
  }
  const double gear = actuator.gear[0];
  Drive drive{.velocity = joint.velocity_index,
              .position = joint.position_index,
              .q = state.q[joint.position_index],
              .constant = gear * constant,
              .kp = -gear * gear * (actuator.gain[1] * control + actuator.bias[1]),
              .kd = -gear * gear * (actuator.gain[2] * control + actuator.bias[2]),
              .lower = -joint.limits.effort,
              .upper = joint.limits.effort};
  if (actuator.force_limited) {
    const double first = gear * actuator.force_range[0];  // a negative gear turns the range around
    const double second = gear * actuator.force_range[1];
    drive.lower = std::max(drive.lower, std::min(first, second));
    drive.upper = std::min(drive.upper, std::max(first, second));
  }
  // What pushes away from rest is taken as it is now: implicitly it would make M indefinite.
  if (drive.kp < 0.0) drive.constant -= std::exchange(drive.kp, 0.0) * drive.q;
  if (drive.kd < 0.0) drive.constant -= std::exchange(drive.kd, 0.0) * v_[index(drive.velocity)];
  output = {.drive = static_cast<int>(drives_.size()), .gear = gear};
  drives_.push_back(drive);
}

void Forces::add_tendon_actuator(const Model& model, const Actuator& actuator, double control,
                                 ActuatorOutput& output) {
  if (actuator.control_limited) {
    control = std::clamp(control, actuator.control_range[0], actuator.control_range[1]);
  }
  const double gear = actuator.gear[0];
  const Tendon& tendon = model.tendons()[index(actuator.tendon)];
  TendonDrive drive{.tendon = actuator.tendon,
                    .length = tendons_->length(actuator.tendon),
                    .constant = gear * (actuator.gain[0] * control + actuator.bias[0]),
                    .kp = -gear * gear * (actuator.gain[1] * control + actuator.bias[1]),
                    .kd = -gear * gear * (actuator.gain[2] * control + actuator.bias[2]),
                    .lower = tendon.force_range[0],
                    .upper = tendon.force_range[1]};
  if (actuator.force_limited) {
    const double first = gear * actuator.force_range[0];
    const double second = gear * actuator.force_range[1];
    drive.lower = std::max(drive.lower, std::min(first, second));
    drive.upper = std::min(drive.upper, std::max(first, second));
  }
  if (drive.kp < 0.0) drive.constant -= std::exchange(drive.kp, 0.0) * drive.length;
  if (drive.kd < 0.0) {
    drive.constant -= std::exchange(drive.kd, 0.0) * tendons_->speed(drive.tendon, v_);
  }
  output = {.tendon_drive = static_cast<int>(tendon_drives_.size()), .gear = gear};
  tendon_drives_.push_back(drive);
}

void Forces::add_tendon_springs(const Model& model) {
  for (std::size_t i = 0; i < model.tendons().size(); ++i) {
    const Tendon& tendon = model.tendons()[i];
    if (tendon.stiffness == 0.0 && tendon.damping == 0.0) continue;
    const double length = tendons_->length(static_cast<int>(i));
    const auto [shortest, longest] = tendon.spring_range;
    TendonDrive drive{.tendon = static_cast<int>(i),
                      .length = length,
                      .constant = tendon.stiffness * shortest,
                      .kp = tendon.stiffness,
                      .kd = tendon.damping,
                      .passive = true};
    if (shortest == longest || tendon.stiffness == 0.0) {
      tendon_drives_.push_back(drive);
      continue;
    }
    // Slack between its bounds: at the end that is nearer, the spring only pulls or only pushes.
    const bool pulls = length > 0.5 * (shortest + longest);
    drive.constant = tendon.stiffness * (pulls ? longest : shortest);
    (pulls ? drive.upper : drive.lower) = 0.0;
    drive.held = pulls ? length <= longest : length >= shortest;
    drive.kd = 0.0;
    tendon_drives_.push_back(drive);
    if (tendon.damping == 0.0) continue;
    tendon_drives_.push_back(
        {.tendon = static_cast<int>(i), .length = length, .kd = tendon.damping, .passive = true});
  }
}

void Forces::add_servo(const Model& model, const JointServo& servo, const State& state) {
  const DegreeOfFreedom& dof = model.degrees_of_freedom()[index(servo.velocity_index)];
  const Joint& joint = model.joint(dof.body);
  const int position = joint.position_index + servo.velocity_index - joint.velocity_index;
  drives_.push_back({.velocity = servo.velocity_index,
                     .position = position,
                     .q = state.q[position],
                     .constant = servo.feed_forward + servo.stiffness * servo.position_target +
                                 servo.damping * servo.velocity_target,
                     .kp = servo.stiffness,
                     .kd = servo.damping,
                     .lower = -joint.limits.effort,
                     .upper = joint.limits.effort});
}

void Forces::assemble() {
  std::ranges::copy(fixed_, tau_.begin());
  if (!implicit_) return;
  std::ranges::fill(diagonal_, 0.0);
  if (has_passive_) {
    for (std::size_t k = 0; k < tau_.size(); ++k) {
      tau_[k] += passive_[k];
      diagonal_[k] += passive_diagonal_[k];
    }
  }
  for (const Drive& drive : drives_) {
    const std::size_t k = index(drive.velocity);
    if (drive.held) {
      tau_[k] += drive.bound;
    } else {
      tau_[k] += force_of(drive, v_[k]);
      diagonal_[k] += h_ * (drive.kd + h_ * drive.kp);
    }
  }
  for (const TendonDrive& drive : tendon_drives_) {
    tendons_->add_along(drive.tendon, drive.held ? drive.bound : force_of(drive, v_), tau_);
    if (drive.held) continue;
    const std::span<const MomentTerm> moment = tendons_->moment(drive.tendon);
    double sum = 0.0;
    for (const MomentTerm& term : moment) sum += std::abs(term.coefficient);
    const double weight = h_ * (drive.kd + h_ * drive.kp) * sum;
    for (const MomentTerm& term : moment) {
      diagonal_[index(term.index)] += weight * std::abs(term.coefficient);
    }
  }
}

double Forces::force_of(const Drive& drive, double v_next) const {
  return drive.constant - drive.kp * (drive.q + h_ * v_next) - drive.kd * v_next;
}

double Forces::force_of(const TendonDrive& drive, std::span<const double> v_next) const {
  const double speed = tendons_->speed(drive.tendon, v_next);
  return drive.constant - drive.kp * (drive.length + h_ * speed) - drive.kd * speed;
}

bool Forces::hold_at_bounds(std::span<const double> v_next) {
  bool changed = false;
  const bool may_let_go = saturations_++ < most_releases;
  const auto hold = [&](auto& drive, double force) {
    const double possible = std::clamp(force, drive.lower, drive.upper);
    if (drive.held ? !may_let_go || possible == drive.bound : possible == force) return;
    // One drive beyond its range throws others out of theirs, which are innocent once it is held.
    drive.held = !drive.held;
    drive.bound = possible;
    changed = true;
  };
  for (Drive& drive : drives_) hold(drive, force_of(drive, v_next[index(drive.velocity)]));
  for (TendonDrive& drive : tendon_drives_) hold(drive, force_of(drive, v_next));
  if (changed) assemble();
  return changed;
}

void Forces::evaluate(const Model& model, const TendonSet& tendons, std::span<const double> q,
                      std::span<const double> v, std::span<double> tau) const {
  if (has_passive_) {
    passive_forces<double>(model, q, v, tau);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += fixed_[k];
  } else {
    std::ranges::copy(fixed_, tau.begin());
  }
  for (const Drive& drive : drives_) {
    const double force =
        drive.constant - drive.kp * q[index(drive.position)] - drive.kd * v[index(drive.velocity)];
    tau[index(drive.velocity)] += std::clamp(force, drive.lower, drive.upper);
  }
  for (const TendonDrive& drive : tendon_drives_) {
    const double force = drive.constant - drive.kp * tendons.length(drive.tendon) -
                         drive.kd * tendons.speed(drive.tendon, v);
    tendons.add_along(drive.tendon, std::clamp(force, drive.lower, drive.upper), tau);
  }
}

void Forces::actuator_forces(std::span<const double> v_next, std::span<double> result) const {
  std::ranges::copy(fixed_, result.begin());
  for (const Drive& drive : drives_) {
    const std::size_t k = index(drive.velocity);
    result[k] += drive.held ? drive.bound : force_of(drive, v_next[k]);
  }
  for (const TendonDrive& drive : tendon_drives_) {
    if (drive.passive) continue;
    tendons_->add_along(drive.tendon, drive.held ? drive.bound : force_of(drive, v_next), result);
  }
}

double Forces::actuator_force(int actuator, std::span<const double> v_next) const {
  const ActuatorOutput& output = outputs_[index(actuator)];
  if (output.tendon_drive >= 0 && output.gear != 0.0) {
    const TendonDrive& drive = tendon_drives_[index(output.tendon_drive)];
    return (drive.held ? drive.bound : force_of(drive, v_next)) / output.gear;
  }
  if (output.drive < 0 || output.gear == 0.0) return output.force;
  const Drive& drive = drives_[index(output.drive)];
  const double force = drive.held ? drive.bound : force_of(drive, v_next[index(drive.velocity)]);
  return force / output.gear;
}

}  // namespace stiction
