#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "stiction/control/motion_setup.hpp"
#include "stiction/control/motions.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Which feet swing in a phase: front left and hind right, then the others.
bool swings(int foot, int phase) { return (foot == 0 || foot == 3) == (phase % 2 == 0); }

}  // namespace

TrotController::TrotController(const Model& model, const State& start, const TrotOptions& options)
    : options_(options),
      control_(legged_control(model, start,
                              {.verb = "trot",
                               .feet = {options.feet.begin(), options.feet.end()},
                               .trunk = options.trunk,
                               .center_of_mass = options.center_of_mass,
                               .trunk_orientation = options.trunk_orientation,
                               .posture = options.posture,
                               .force_weight = options.force_weight,
                               .options = options.inverse_dynamics})),
      start_(control_.center_of_mass_position()),
      start_time_(start.time) {
  if (!(options.swing_time > 0.0 && options.ramp_time > 0.0 &&
        options.trot_time > 2.0 * options.ramp_time)) {
    throw std::invalid_argument(
        "a trot needs a positive swing_time and ramp_time, and a trot_time above both ramps");
  }
  phase_count_ = static_cast<int>(std::round(options.trot_time / options.swing_time));
  for (int foot = 0; foot < 4; ++foot) {
    const Eigen::Vector3d place = control_.contact_pose(foot).translation();
    offsets_[index(foot)] = place - start_;
    lifted_[index(foot)] = place;
    tasks_[index(foot)] = control_.add_body_task({.frame = options.feet[index(foot)].frame,
                                                  .part = BodyTask::Part::position,
                                                  .gains = options.swing_foot});
  }
}

MotionPoint<double> TrotController::forward(double time) const {
  // Speed rises and falls linearly, both ends included in the time of stepping.
  const double t = std::clamp(time - options_.stand_time, 0.0, options_.trot_time);
  const double ramp = options_.ramp_time;
  const double rest = options_.trot_time - t;
  const double v = options_.speed;
  const double whole = v * (options_.trot_time - ramp);
  if (t < ramp) return {0.5 * v * t * t / ramp, v * t / ramp, t > 0.0 ? v / ramp : 0.0};
  if (rest < ramp) {
    return {whole - 0.5 * v * rest * rest / ramp, v * rest / ramp, rest > 0.0 ? -v / ramp : 0.0};
  }
  return {v * (t - 0.5 * ramp), v, 0.0};
}

int TrotController::phase_of(double time) const {
  const int phase =
      static_cast<int>(std::floor((time - options_.stand_time) / options_.swing_time + 1e-9));
  return time < options_.stand_time || phase >= phase_count_ ? -1 : phase;
}

void TrotController::begin_phase(int phase) {
  phase_ = phase;
  for (int foot = 0; foot < 4; ++foot) {
    const bool in_air = phase >= 0 && swings(foot, phase);
    control_.set_active(foot, !in_air);
    control_.body_task(tasks_[index(foot)]).gains.weight =
        in_air ? options_.swing_foot.weight : 0.0;
    lifted_[index(foot)] = control_.contact_pose(foot).translation();
  }
}

void TrotController::swing_feet(double time) {
  const double begin = options_.stand_time + phase_ * options_.swing_time;
  const double landing = begin + options_.swing_time;
  // A pair of feet can only push through the line between them. Steps keep the balance: they go
  // where the trunk will be in the middle of their stance, and further along errors of the
  // velocity. The wished velocity leads back to the plan.
  const MotionPoint<double> plan = forward(time);
  const Eigen::Vector3d position = control_.center_of_mass_position();
  const Eigen::Vector3d velocity = control_.center_of_mass_velocity();
  const Eigen::Vector3d planned = start_ + plan.position * Eigen::Vector3d::UnitX();
  const Eigen::Vector3d wished_velocity =
      plan.velocity * Eigen::Vector3d::UnitX() + options_.return_rate * (planned - position);
  const Eigen::Vector3d middle = position + (landing - time) * velocity +
                                 0.5 * options_.swing_time * wished_velocity +
                                 options_.foothold_gain * (velocity - wished_velocity);
  for (int foot = 0; foot < 4; ++foot) {
    if (!swings(foot, phase_)) continue;
    Eigen::Vector3d target = middle + offsets_[index(foot)];
    target.z() = options_.feet[index(foot)].radius;
    const MotionPoint<Eigen::Vector3d> wished = swing(
        lifted_[index(foot)], target, options_.swing_height, time - begin, options_.swing_time);
    BodyTask& task = control_.body_task(tasks_[index(foot)]);
    task.pose.translation() = wished.position;
    task.velocity = wished.velocity;
    task.acceleration = wished.acceleration;
  }
}

const InverseDynamicsResult& TrotController::compute(const State& state) {
  const double time = state.time - start_time_;
  control_.update(state);
  const int phase = phase_of(time);
  if (phase != phase_ || time == 0.0) begin_phase(phase);
  if (phase >= 0) swing_feet(time);
  const MotionPoint<double> x = forward(time);
  CenterOfMassTask& com = control_.center_of_mass();
  com.position = start_ + x.position * Eigen::Vector3d::UnitX();
  com.velocity = x.velocity * Eigen::Vector3d::UnitX();
  com.acceleration = x.acceleration * Eigen::Vector3d::UnitX();
  return control_.solve();
}

}  // namespace stiction
