#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "stiction/control/motion_setup.hpp"
#include "stiction/control/motions.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

JumpController::JumpController(const Model& model, const State& start, const JumpOptions& options)
    : options_(options),
      control_(legged_control(model, start,
                              {.verb = "jump",
                               .feet = options.feet,
                               .trunk = options.trunk,
                               .center_of_mass = options.center_of_mass,
                               .trunk_orientation = options.trunk_orientation,
                               .posture = options.posture,
                               .force_weight = options.force_weight,
                               .options = options.inverse_dynamics})),
      start_(control_.center_of_mass_position()),
      start_time_(start.time) {
  const double way = options.crouch_depth + options.take_off_height;
  if (!(way > 0.0 && options.take_off_speed > 0.0 && options.crouch_time > 0.0 &&
        options.landing_time > 0.0)) {
    throw std::invalid_argument("a jump needs a way to push along, a speed and times above zero");
  }
  const double low = start_.z() - options.crouch_depth;
  crouch_ = Quintic({start_.z(), 0.0, 0.0}, {low, 0.0, 0.0}, options.crouch_time);
  // Twice the way over the end speed is what constant acceleration takes. The push ends in free
  // fall, so that the forces fade out.
  push_time_ = 2.0 * way / options.take_off_speed;
  push_ =
      Quintic({low, 0.0, 0.0},
              {start_.z() + options.take_off_height, options.take_off_speed, model.gravity().z()},
              push_time_);
}

void JumpController::begin_landing(double time) {
  phase_ = Phase::landing;
  landing_start_ = time;
  const Eigen::Vector3d& position = control_.center_of_mass_position();
  const Eigen::Vector3d& velocity = control_.center_of_mass_velocity();
  // It stands where its feet are, not where it started.
  Eigen::Vector3d end = Eigen::Vector3d::Zero();
  for (int foot = 0; foot < control_.contact_count(); ++foot) {
    end += control_.contact_pose(foot).translation() / control_.contact_count();
  }
  end.z() = start_.z();
  for (int i = 0; i < 3; ++i) {
    landing_[index(i)] =
        Quintic({position[i], velocity[i], 0.0}, {end[i], 0.0, 0.0}, options_.landing_time);
  }
}

void JumpController::choose_phase(double time) {
  const double crouch_start = options_.stand_time;
  const double push_start = crouch_start + options_.crouch_time;
  const double take_off = push_start + push_time_;
  if (phase_ == Phase::landing) return;
  if (time < crouch_start) {
    phase_ = Phase::stand;
  } else if (time < push_start) {
    phase_ = Phase::crouch;
  } else if (time < take_off) {
    phase_ = Phase::push;
  } else {
    phase_ = Phase::flight;
    bool touches = false;
    for (int foot = 0; foot < control_.contact_count(); ++foot) {
      touches = touches || control_.contact_height(foot) < 1e-3;
    }
    if (touches && control_.center_of_mass_velocity().z() < 0.0) begin_landing(time);
  }
}

const InverseDynamicsResult& JumpController::compute(const State& state) {
  const double time = state.time - start_time_;
  control_.update(state);
  choose_phase(time);
  const bool flies = phase_ == Phase::flight;
  MotionPoint<Eigen::Vector3d> wished{start_, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  const auto set = [&wished](int axis, const MotionPoint<double>& point) {
    wished.position[axis] = point.position;
    wished.velocity[axis] = point.velocity;
    wished.acceleration[axis] = point.acceleration;
  };
  if (phase_ == Phase::crouch) set(2, crouch_.at(time - options_.stand_time));
  if (phase_ == Phase::push) {
    set(2, push_.at(time - options_.stand_time - options_.crouch_time));
  }
  if (phase_ == Phase::landing) {
    for (int i = 0; i < 3; ++i) set(i, landing_[index(i)].at(time - landing_start_));
  }
  CenterOfMassTask& com = control_.center_of_mass();
  com.position = wished.position;
  com.velocity = wished.velocity;
  com.acceleration = wished.acceleration;
  com.gains.weight = flies ? 0.0 : options_.center_of_mass.weight;
  control_.posture().gains = flies ? options_.flight_posture : options_.posture;
  if (!options_.trunk.empty()) {
    control_.body_task(0).gains.weight = flies ? 0.0 : options_.trunk_orientation.weight;
  }
  for (int foot = 0; foot < control_.contact_count(); ++foot) {
    control_.set_active(foot, !flies && (phase_ != Phase::landing || control_.is_active(foot) ||
                                         control_.contact_height(foot) < 2e-3));
  }
  return control_.solve();
}

}  // namespace stiction
