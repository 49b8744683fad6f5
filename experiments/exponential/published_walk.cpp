#include "experiments/exponential/published_walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "stiction/core/index.hpp"

namespace stiction::experiments {

namespace {

constexpr double kp = 10.0;
constexpr double force_weight = 1e-5;

ContactSpec sole(const char* ankle) {
  // Their pyramid is around the cone, ours is inside.
  ContactSpec contact =
      ContactSpec::rectangle(ankle, -0.05, 0.10, 0.05, -0.07, std::numbers::sqrt2);
  contact.gains = {.kp = kp, .weight = 0.0};
  contact.largest_force = 1e6;
  // Their controller weighs the wrench (1, 1, 1e-3, 2, 2, 2) before it squares.
  contact.wrench_weights << 1.0, 1.0, 1e-6, 4.0, 4.0, 4.0;
  contact.wrench_weights *= force_weight;
  contact.force_weight = 1e-8;
  return contact;
}

int samples_in(double control_step, double plan_step) {
  const int count = static_cast<int>(std::lround(control_step / plan_step));
  if (count < 1 || std::abs(count * plan_step - control_step) > 1e-9) {
    throw std::invalid_argument("the control step is not a multiple of the plan's time step");
  }
  return count;
}

}  // namespace

PublishedWalk::PublishedWalk(const Model& model, const State& start, const RecordedWalk& plan,
                             double control_step)
    : plan_(plan),
      control_(model),
      control_step_(control_step),
      stride_(samples_in(control_step, plan.time_step)),
      last_(static_cast<int>(plan.standing_foot.size()) / stride_ - 1) {
  control_.center_of_mass().gains = {.kp = kp, .weight = 1.0};
  control_.posture().gains = {.kp = kp, .weight = 1e-4};
  control_.posture().q = start.q;
  const TaskGains waist{.kp = kp, .weight = 1e-2};
  control_.add_body_task({.frame = "body", .part = BodyTask::Part::orientation, .gains = waist});
  for (const char* ankle : {"l_ankle", "r_ankle"}) {
    const int foot = control_.add_contact(sole(ankle));
    feet_[index(foot)] =
        control_.add_body_task({.frame = ankle, .gains = {.kp = kp, .weight = 1.0}});
  }
  before_ = start;
  control_.update(start);
  for (const int task : feet_) control_.body_task(task).pose = control_.body_task_pose(task);
  offset_ = control_.contact_pose(1).translation() - plan_.feet[1].position.col(0);
}

Eigen::Index PublishedWalk::column_of(int k) const {
  return static_cast<Eigen::Index>(std::clamp(k, 0, last_)) * stride_;
}

void PublishedWalk::stand_on(int foot) {
  if (control_.is_active(foot) && !control_.is_active(1 - foot)) return;
  control_.set_active(foot, true);
  control_.set_active(1 - foot, false);
  control_.compute(before_);
}

void PublishedWalk::follow(Eigen::Index column) {
  CenterOfMassTask& center = control_.center_of_mass();
  center.position = plan_.center_of_mass.position.col(column) + offset_;
  center.velocity = plan_.center_of_mass.velocity.col(column);
  center.acceleration = plan_.center_of_mass.acceleration.col(column);
  for (std::size_t foot = 0; foot < 2; ++foot) {
    BodyTask& task = control_.body_task(feet_[foot]);
    task.pose.translation() = plan_.feet[foot].position.col(column) + offset_;
    task.velocity = plan_.feet[foot].velocity.col(column);
    task.acceleration = plan_.feet[foot].acceleration.col(column);
  }
}

const InverseDynamicsResult& PublishedWalk::compute(const State& state) {
  const int k = static_cast<int>(std::lround(state.time / control_step_));
  // The last sample changes no contact, and nothing changes after the plan.
  const Eigen::Index column = column_of(k);
  if (k < last_) {
    stand_on(plan_.standing_foot[static_cast<std::size_t>(column)]);
  }
  follow(column);
  before_ = state;
  return control_.compute(state);
}

}  // namespace stiction::experiments
