#include "stiction/sim/forces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/activation.hpp"
#include "stiction/sim/muscle.hpp"

namespace stiction {

namespace {

/// Maximum number of times in a step that drives at their bounds are released.
constexpr int most_releases = 8;

/// A force constant − kp·length − kd·velocity.
struct Law {
  double constant = 0.0;
  double kp = 0.0;
  double kd = 0.0;

  [[nodiscard]] double at(double length, double velocity) const {
    return constant - kp * length - kd * velocity;
  }
  /// Adds what a curve gives near a length and a velocity.
  void add(const MuscleForce& curve, double scale, double length, double velocity) {
    constant += scale * (curve.value - curve.by_length * length - curve.by_velocity * velocity);
    kp -= scale * curve.by_length;
    kd -= scale * curve.by_velocity;
  }
  /// What pushes away from rest is taken as it is now: implicitly it would make M indefinite.
  void keep_stable(double length, double velocity) {
    if (kp < 0.0) constant -= std::exchange(kp, 0.0) * length;
    if (kd < 0.0) constant -= std::exchange(kd, 0.0) * velocity;
  }
};

/// Of an actuator at an input, before its gear; of a muscle near a length and a velocity.
Law law_of(const Actuator& actuator, double input, double length, double velocity) {
  Law law;
  if (actuator.muscle_gain) {
    law.add(active_force(*actuator.muscle_gain, actuator.length_range, length, velocity), input,
            length, velocity);
  } else {
    law = {actuator.gain[0] * input, -actuator.gain[1] * input, -actuator.gain[2] * input};
  }
  if (actuator.muscle_bias) {
    law.add(passive_force(*actuator.muscle_bias, actuator.length_range, length), 1.0, length,
            velocity);
  } else {
    law.constant += actuator.bias[0];
    law.kp -= actuator.bias[1];
    law.kd -= actuator.bias[2];
  }
  return law;
}

/// Whether an actuator acts on one velocity by laws that are linear: the fast path.
bool acts_on_one(const Model& model, const Actuator& actuator) {
  return actuator.joint >= 0 && velocity_size(model.joint(actuator.joint).kind) == 1 &&
         !actuator.muscle_gain && !actuator.muscle_bias;
}

/// Range of an actuator's force: its own, and that of the tendon that it pulls.
std::array<double, 2> force_range_of(const Model& model, const Actuator& actuator) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{-infinity, infinity};
  if (actuator.force_limited) range = actuator.force_range;
  if (actuator.tendon < 0 || actuator.gear[0] == 0.0) return range;
  const double first = model.tendons()[index(actuator.tendon)].force_range[0] / actuator.gear[0];
  const double second = model.tendons()[index(actuator.tendon)].force_range[1] / actuator.gear[0];
  const double lower = std::max(range[0], std::min(first, second));
  return {lower, std::max(lower, std::min(range[1], std::max(first, second)))};
}

double speed_of(std::span<const MomentTerm> moment, std::span<const double> v) {
  double speed = 0.0;
  for (const MomentTerm& entry : moment) speed += entry.coefficient * v[index(entry.index)];
  return speed;
}

void add_along(std::span<const MomentTerm> moment, double force, std::span<double> tau) {
  for (const MomentTerm& entry : moment) tau[index(entry.index)] += entry.coefficient * force;
}

/// What the forces that carry weight give along one velocity.
double carried_weight(const Model& model, const DynamicsData<double>& data, int velocity) {
  const DegreeOfFreedom& dof = model.degrees_of_freedom()[index(velocity)];
  const Eigen::Vector3d axis = to_eigen(data.dofs[index(velocity)].axis);
  const Eigen::Vector3d origin = to_eigen(data.bodies[index(dof.body)].position);
  double sum = 0.0;
  for (const GravityCompensation& entry : model.gravity_compensation()) {
    const bool moves =
        entry.body >= dof.body && entry.body < model.constants()[index(dof.body)].subtree_end;
    if (!moves) continue;
    const Eigen::Vector3d force = -entry.mass * model.gravity();
    const Eigen::Vector3d arm = body_pose(data, entry.body) * entry.point - origin;
    sum += axis.dot(dof.angular ? arm.cross(force) : force);
  }
  return sum;
}

}  // namespace

Forces::Forces(const Model& model)
    : is_shared_(index(model.velocity_count())),
      outputs_(model.actuators().size()),
      controls_(model.actuators().size()),
      activations_(index(model.activation_count())),
      passive_(index(model.velocity_count())),
      passive_diagonal_(passive_.size()),
      fixed_(passive_.size()),
      v_(passive_.size()),
      tau_(passive_.size()),
      diagonal_(passive_.size()),
      actuator_tau_(passive_.size()),
      actuator_diagonal_(passive_.size()) {
  drives_.reserve(model.actuators().size() + passive_.size());
  moment_drives_.reserve(model.actuators().size() + 2 * model.tendons().size());
  adhere_ = std::ranges::any_of(model.actuators(), &Actuator::adheres);
  share_efforts(model);
}

/// Joints whose range of effort is for the sum of several actuators, or of one that comes through a
/// moment, or that carries weight. A single actuator on a joint has the range as its own.
void Forces::share_efforts(const Model& model) {
  std::vector<int> uses(is_shared_.size());
  if (!model.actuators().empty()) {
    std::vector<MomentTerm> moment;
    DynamicsData<double> start(model);
    update_positions<double>(model, start, as_span(model.initial_positions()));
    TendonSet tendons(model);
    tendons.update(model, start, as_span(model.initial_positions()));
    for (const Actuator& actuator : model.actuators()) {
      moment.clear();
      (void)transmission(model, start, tendons, as_span(model.initial_positions()), actuator,
                         moment);
      const int count = acts_on_one(model, actuator) ? 1 : 2;
      for (const MomentTerm& entry : moment) uses[index(entry.index)] += count;
    }
  }
  for (const Joint& joint : model.joints()) {
    const double lower = joint.limits.least_effort();
    const double upper = joint.limits.largest_effort();
    const bool limited = std::isfinite(lower) || std::isfinite(upper);
    const bool carries = joint.actuators_carry_weight && !model.gravity_compensation().empty();
    for (int k = 0; k < velocity_size(joint.kind); ++k) {
      const int velocity = joint.velocity_index + k;
      if (!carries && !(limited && uses[index(velocity)] > 1)) continue;
      SharedEffort effort;
      effort.velocity = velocity;
      effort.carries_weight = carries;
      // Without any actuator there is nothing that would carry, as in MuJoCo.
      effort.lower = model.actuators().empty() ? 0.0 : lower;
      effort.upper = model.actuators().empty() ? 0.0 : upper;
      shared_.push_back(effort);
      is_shared_[index(velocity)] = 1;
    }
  }
}

void Forces::collect(const Model& model, const StepInput& input, const State& state,
                     const DynamicsData<double>& data, const TendonSet& tendons, double h) {
  h_ = h;
  saturations_ = 0;
  drives_.clear();
  moment_drives_.clear();
  moments_.clear();
  has_moment_gains_ = false;
  std::copy_n(state.v.data(), v_.size(), v_.begin());
  std::copy_n(state.activation.data(), activations_.size(), activations_.begin());
  if (input.joint_forces.empty()) {
    std::ranges::fill(fixed_, 0.0);
  } else {
    std::ranges::copy(input.joint_forces, fixed_.begin());
  }
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& actuator = model.actuators()[i];
    const double control = input.control.empty() ? 0.0 : input.control[i];
    controls_[i] = !actuator.control_limited
                       ? control
                       : std::clamp(control, actuator.control_range[0], actuator.control_range[1]);
    outputs_[i] = {};
    if (!actuator.enabled) continue;
    const double acting = input_of(actuator, i, state);
    if (acts_on_one(model, actuator)) {
      add_joint_actuator(model, i, acting, state);
    } else {
      add_moment_actuator(model, i, acting, state, data, tendons);
    }
  }
  for (const JointServo& servo : input.servos) add_servo(model, servo, state);
  if (!model.tendons().empty()) add_tendon_springs(model, tendons);
  for (SharedEffort& effort : shared_) {
    effort.held = false;
    if (effort.carries_weight) effort.carried = carried_weight(model, data, effort.velocity);
  }
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
  // Drives that would leave their range at the velocities before the step mostly do so after it:
  // a robot at rest against its limits is solved once, not once for each set of drives that yields.
  if (has_drives()) {
    (void)hold_at_bounds(v_);
    saturations_ = 0;
  }
}

double Forces::input_of(const Actuator& actuator, std::size_t slot, const State& state) const {
  if (actuator.activation < 0) return controls_[slot];
  const double activation = state.activation[actuator.activation];
  return actuator.early ? next_activation(actuator, controls_[slot], activation, h_) : activation;
}

void Forces::add_joint_actuator(const Model& model, std::size_t slot, double input,
                                const State& state) {
  const Actuator& actuator = model.actuators()[slot];
  const Joint& joint = model.joint(actuator.joint);
  const double gear = actuator.gear[0];
  Drive drive;
  drive.velocity = joint.velocity_index;
  drive.position = joint.position_index;
  drive.q = state.q[joint.position_index];
  drive.constant = gear * (actuator.gain[0] * input + actuator.bias[0]);
  Law law{drive.constant, -gear * gear * (actuator.gain[1] * input + actuator.bias[1]),
          -gear * gear * (actuator.gain[2] * input + actuator.bias[2])};
  if (actuator.activation >= 0 || law.kp < 0.0 || law.kd < 0.0) {
    drive.varying = static_cast<int>(slot);
  }
  law.keep_stable(drive.q, v_[index(drive.velocity)]);
  drive.constant = law.constant;
  drive.kp = law.kp;
  drive.kd = law.kd;
  if (is_shared_[index(drive.velocity)] == 0) {
    drive.lower = joint.limits.least_effort();
    drive.upper = joint.limits.largest_effort();
  }
  if (actuator.force_limited) {
    const double first = gear * actuator.force_range[0];  // a negative gear turns the range around
    const double second = gear * actuator.force_range[1];
    drive.lower = std::max(drive.lower, std::min(first, second));
    drive.upper = std::min(drive.upper, std::max(first, second));
  }
  ActuatorOutput& output = outputs_[slot];
  output.drive = static_cast<int>(drives_.size());
  output.gear = gear;
  if (actuator.force_limited) {
    output.lower = actuator.force_range[0];
    output.upper = actuator.force_range[1];
  }
  drives_.push_back(drive);
}

void Forces::add_moment_actuator(const Model& model, std::size_t slot, double input,
                                 const State& state, const DynamicsData<double>& data,
                                 const TendonSet& tendons) {
  const Actuator& actuator = model.actuators()[slot];
  MomentDrive drive;
  drive.actuator = static_cast<int>(slot);
  drive.first = static_cast<int>(moments_.size());
  drive.length = transmission(model, data, tendons, as_span(state.q), actuator, moments_);
  drive.end = static_cast<int>(moments_.size());
  const double speed = speed_of(moment_of(drive), v_);
  Law law = law_of(actuator, input, drive.length, speed);
  law.keep_stable(drive.length, speed);
  drive.constant = law.constant;
  drive.kp = law.kp;
  drive.kd = law.kd;
  const auto [lower, upper] = force_range_of(model, actuator);
  drive.lower = lower;
  drive.upper = upper;
  if (law.kp == 0.0 && law.kd == 0.0) {
    drive.constant = std::clamp(law.constant, lower, upper);  // whatever the motion will be
  } else {
    has_moment_gains_ = true;
  }
  outputs_[slot].moment_drive = static_cast<int>(moment_drives_.size());
  moment_drives_.push_back(drive);
}

void Forces::add_tendon_springs(const Model& model, const TendonSet& tendons) {
  for (std::size_t i = 0; i < model.tendons().size(); ++i) {
    const Tendon& tendon = model.tendons()[i];
    if (tendon.stiffness == 0.0 && tendon.damping == 0.0) continue;
    has_moment_gains_ = true;
    const auto [shortest, longest] = tendon.spring_range;
    MomentDrive drive;
    drive.tendon = static_cast<int>(i);
    drive.first = static_cast<int>(moments_.size());
    drive.length = tendon_transmission(tendons, drive.tendon, 1.0, moments_);
    drive.end = static_cast<int>(moments_.size());
    drive.constant = tendon.stiffness * shortest;
    drive.kp = tendon.stiffness;
    drive.kd = tendon.damping;
    if (shortest == longest || tendon.stiffness == 0.0) {
      moment_drives_.push_back(drive);
      continue;
    }
    MomentDrive damper = drive;
    damper.constant = damper.kp = 0.0;
    // Slack between its bounds: at the end that is nearer, the spring only pulls or only pushes.
    const bool pulls = drive.length > 0.5 * (shortest + longest);
    drive.constant = tendon.stiffness * (pulls ? longest : shortest);
    (pulls ? drive.upper : drive.lower) = 0.0;
    drive.held = pulls ? drive.length <= longest : drive.length >= shortest;
    drive.kd = 0.0;
    moment_drives_.push_back(drive);
    if (tendon.damping != 0.0) moment_drives_.push_back(damper);
  }
}

void Forces::add_servo(const Model& model, const JointServo& servo, const State& state) {
  const DegreeOfFreedom& dof = model.degrees_of_freedom()[index(servo.velocity_index)];
  const Joint& joint = model.joint(dof.body);
  Drive drive;
  drive.velocity = servo.velocity_index;
  drive.position = joint.position_index + servo.velocity_index - joint.velocity_index;
  drive.q = state.q[drive.position];
  drive.constant = servo.feed_forward + servo.stiffness * servo.position_target +
                   servo.damping * servo.velocity_target;
  drive.kp = servo.stiffness;
  drive.kd = servo.damping;
  drive.lower = joint.limits.least_effort();
  drive.upper = joint.limits.largest_effort();
  drives_.push_back(drive);
}

void Forces::assemble() {
  std::ranges::copy(fixed_, tau_.begin());
  if (!implicit_) {
    for (const MomentDrive& drive : moment_drives_) {
      add_along(moment_of(drive), drive.constant, tau_);
    }
    return;
  }
  std::ranges::fill(diagonal_, 0.0);
  if (has_passive_) {
    for (std::size_t k = 0; k < tau_.size(); ++k) {
      tau_[k] += passive_[k];
      diagonal_[k] += passive_diagonal_[k];
    }
  }
  // Where a range is for a sum, the sum is made apart from the rest.
  const bool apart = !shared_.empty();
  std::vector<double>& tau = apart ? actuator_tau_ : tau_;
  std::vector<double>& diagonal = apart ? actuator_diagonal_ : diagonal_;
  if (apart) {
    std::ranges::fill(tau, 0.0);
    std::ranges::fill(diagonal, 0.0);
  }
  for (const Drive& drive : drives_) {
    const std::size_t k = index(drive.velocity);
    if (drive.held) {
      tau[k] += drive.bound;
    } else {
      tau[k] += force_of(drive, v_[k]);
      diagonal[k] += h_ * (drive.kd + h_ * drive.kp);
    }
  }
  for (const MomentDrive& drive : moment_drives_) {
    const std::span<const MomentTerm> moment = moment_of(drive);
    const bool passive = drive.actuator < 0;
    add_along(moment, drive.held ? drive.bound : force_of(drive, v_), passive ? tau_ : tau);
    const double weight = h_ * (drive.kd + h_ * drive.kp);
    if (drive.held || weight == 0.0) continue;
    double sum = 0.0;
    for (const MomentTerm& entry : moment) sum += std::abs(entry.coefficient);
    for (const MomentTerm& entry : moment) {
      (passive ? diagonal_ : diagonal)[index(entry.index)] +=
          weight * sum * std::abs(entry.coefficient);
    }
  }
  if (!apart) return;
  for (const SharedEffort& effort : shared_) {
    if (!effort.held) continue;
    actuator_tau_[index(effort.velocity)] = effort.bound - effort.carried;
    actuator_diagonal_[index(effort.velocity)] = 0.0;
  }
  for (std::size_t k = 0; k < tau_.size(); ++k) {
    tau_[k] += actuator_tau_[k];
    diagonal_[k] += actuator_diagonal_[k];
  }
}

double Forces::force_of(const Drive& drive, double v_next) const {
  return drive.constant - drive.kp * (drive.q + h_ * v_next) - drive.kd * v_next;
}

double Forces::force_of(const MomentDrive& drive, std::span<const double> v_next) const {
  const double speed = speed_of(moment_of(drive), v_next);
  return drive.constant - drive.kp * (drive.length + h_ * speed) - drive.kd * speed;
}

void Forces::sum_actuators(std::span<const double> v_next, std::span<double> result) const {
  for (const Drive& drive : drives_) {
    const std::size_t k = index(drive.velocity);
    result[k] += drive.held ? drive.bound : force_of(drive, v_next[k]);
  }
  for (const MomentDrive& drive : moment_drives_) {
    if (drive.actuator < 0) continue;
    add_along(moment_of(drive), drive.held ? drive.bound : force_of(drive, v_next), result);
  }
}

bool Forces::hold_at_bounds(std::span<const double> v_next) {
  bool changed = false;
  const bool may_let_go = saturations_++ < most_releases;
  const auto hold = [&](Bounded& drive, double force) {
    const double possible = std::clamp(force, drive.lower, drive.upper);
    if (drive.held ? !may_let_go || possible == drive.bound : possible == force) return;
    // One drive beyond its range throws others out of theirs, which are innocent once it is held.
    drive.held = !drive.held;
    drive.bound = possible;
    changed = true;
  };
  for (Drive& drive : drives_) hold(drive, force_of(drive, v_next[index(drive.velocity)]));
  for (MomentDrive& drive : moment_drives_) hold(drive, force_of(drive, v_next));
  if (!shared_.empty()) {
    std::ranges::fill(actuator_tau_, 0.0);
    sum_actuators(v_next, actuator_tau_);
    for (SharedEffort& effort : shared_) {
      hold(effort, actuator_tau_[index(effort.velocity)] + effort.carried);
    }
  }
  if (changed) assemble();
  return changed;
}

void Forces::evaluate(const Model& model, const DynamicsData<double>& data,
                      const TendonSet& tendons, std::span<const double> q,
                      std::span<const double> v, int stage, ForcesScratch& scratch,
                      std::span<double> tau) const {
  if (has_passive_) {
    passive_forces<double>(model, q, v, tau);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += fixed_[k];
  } else {
    std::ranges::copy(fixed_, tau.begin());
  }
  const auto law_at = [&](int slot, double length, double speed) {
    const Actuator& actuator = model.actuators()[index(slot)];
    double input = controls_[index(slot)];
    if (actuator.activation >= 0) {
      // Early ones see the end of the step from its start on.
      input = activation_at_stage(actuator, input, activations_[index(actuator.activation)], h_,
                                  actuator.early ? 4 : stage);
    }
    return law_of(actuator, input, length, speed);
  };
  const bool apart = !shared_.empty();
  if (apart) scratch.of_actuators.assign(tau.size(), 0.0);
  const std::span<double> sum = apart ? std::span<double>(scratch.of_actuators) : tau;
  for (const Drive& drive : drives_) {
    const double at = q[index(drive.position)];
    const double speed = v[index(drive.velocity)];
    double force = drive.constant - drive.kp * at - drive.kd * speed;
    if (drive.varying >= 0) {
      const double gear = model.actuators()[index(drive.varying)].gear[0];
      force = gear * law_at(drive.varying, gear * at, gear * speed).at(gear * at, gear * speed);
    }
    sum[index(drive.velocity)] += std::clamp(force, drive.lower, drive.upper);
  }
  for (const MomentDrive& drive : moment_drives_) {
    scratch.moment.clear();
    if (drive.actuator < 0) {
      const double force = drive.constant - drive.kp * tendons.length(drive.tendon) -
                           drive.kd * tendons.speed(drive.tendon, v);
      tendons.add_along(drive.tendon, std::clamp(force, drive.lower, drive.upper), tau);
      continue;
    }
    const Actuator& actuator = model.actuators()[index(drive.actuator)];
    const double length = transmission(model, data, tendons, q, actuator, scratch.moment);
    const double speed = speed_of(scratch.moment, v);
    const Law law = law_at(drive.actuator, length, speed);
    add_along(scratch.moment, std::clamp(law.at(length, speed), drive.lower, drive.upper), sum);
  }
  if (!apart) return;
  for (const SharedEffort& effort : shared_) {
    const double carried =
        effort.carries_weight ? carried_weight(model, data, effort.velocity) : 0.0;
    double& force = scratch.of_actuators[index(effort.velocity)];
    force = std::clamp(force + carried, effort.lower, effort.upper) - carried;
  }
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += scratch.of_actuators[k];
}

void Forces::advance_activation(const Model& model, bool by_stages,
                                Eigen::VectorXd& activation) const {
  if (activations_.empty()) return;
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& actuator = model.actuators()[i];
    if (actuator.activation < 0) continue;
    const double before = activations_[index(actuator.activation)];
    activation[actuator.activation] =
        by_stages ? activation_at_stage(actuator, controls_[i], before, h_, 4)
                  : next_activation(actuator, controls_[i], before, h_);
  }
}

void Forces::actuator_forces(std::span<const double> v_next, std::span<double> result,
                             bool with_carried_weight) const {
  std::ranges::copy(fixed_, result.begin());
  sum_actuators(v_next, result);
  for (const SharedEffort& effort : shared_) {
    const std::size_t k = index(effort.velocity);
    if (effort.held) result[k] = fixed_[k] + effort.bound - effort.carried;
    if (with_carried_weight) result[k] += effort.carried;
  }
}

double Forces::actuator_force(int actuator, std::span<const double> v_next) const {
  const ActuatorOutput& output = outputs_[index(actuator)];
  if (output.moment_drive >= 0) {
    const MomentDrive& drive = moment_drives_[index(output.moment_drive)];
    return drive.held ? drive.bound : force_of(drive, v_next);
  }
  if (output.drive < 0 || output.gear == 0.0) return 0.0;
  // Before the range of the joint, which is for all that acts on it.
  const Drive& drive = drives_[index(output.drive)];
  const double force = force_of(drive, v_next[index(drive.velocity)]) / output.gear;
  return std::clamp(force, output.lower, output.upper);
}

}  // namespace stiction
