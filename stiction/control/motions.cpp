#include "stiction/control/motions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "stiction/control/motion_setup.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

Eigen::Isometry3d upright(const Eigen::Isometry3d& pose) {
  const Eigen::Vector3d x = pose.linear().col(0);
  Eigen::Isometry3d result = pose;
  result.linear() =
      Eigen::AngleAxisd(std::atan2(x.y(), x.x()), Eigen::Vector3d::UnitZ()).toRotationMatrix();
  return result;
}

InverseDynamics legged_control(const Model& model, const State& start, const LeggedSetup& setup) {
  const bool floats = std::any_of(model.joints().begin(), model.joints().end(),
                                  [](const Joint& j) { return j.kind == JointKind::floating; });
  if (!floats) {
    throw std::invalid_argument(
        fmt::format("model '{}' has no floating base, so it cannot {}; load a URDF with "
                    "BaseKind::floating",
                    model.name(), setup.verb));
  }
  if (setup.feet.empty()) throw std::invalid_argument("name at least one foot");
  InverseDynamics control(model, setup.options);
  for (ContactSpec foot : setup.feet) {
    foot.force_weight = setup.force_weight;
    control.add_contact(foot);
  }
  control.center_of_mass().gains = setup.center_of_mass;
  control.posture().gains = setup.posture;
  control.posture().q = start.q;
  control.update(start);
  control.center_of_mass().position = control.center_of_mass_position();
  if (!setup.trunk.empty()) {
    const int task = control.add_body_task({.frame = setup.trunk,
                                            .part = BodyTask::Part::orientation,
                                            .gains = setup.trunk_orientation});
    control.body_task(task).pose = upright(control.body_task_pose(task));
  }
  return control;
}

SquatController::SquatController(const Model& model, const State& start,
                                 const SquatOptions& options)
    : options_(options),
      control_(legged_control(model, start,
                              {.verb = "squat",
                               .feet = options.feet,
                               .trunk = options.trunk,
                               .center_of_mass = options.center_of_mass,
                               .trunk_orientation = options.trunk_orientation,
                               .posture = options.posture,
                               .force_weight = options.force_weight,
                               .options = options.inverse_dynamics})),
      start_(control_.center_of_mass_position()),
      start_time_(start.time) {
  for (int i = 0; i < control_.contact_count(); ++i) control_.contact(i).gains = options.contact;
}

MotionPoint<Eigen::Vector3d> SquatController::reference(double time) const {
  const double phase = options_.rate * (time - start_time_);
  const Eigen::Vector3d up = options_.amplitude * Eigen::Vector3d::UnitZ();
  return {start_ + std::sin(phase) * up, options_.rate * std::cos(phase) * up,
          -options_.rate * options_.rate * std::sin(phase) * up};
}

const InverseDynamicsResult& SquatController::compute(const State& state) {
  const MotionPoint<Eigen::Vector3d> wished = reference(state.time);
  control_.center_of_mass().position = wished.position;
  control_.center_of_mass().velocity = wished.velocity;
  control_.center_of_mass().acceleration = wished.acceleration;
  return control_.compute(state);
}

InverseDynamics WalkingController::make_control(const Model& model, const State& start,
                                                const WalkingOptions& options) {
  InverseDynamics control = legged_control(model, start,
                                           {.verb = "walk",
                                            .feet = {options.feet[0], options.feet[1]},
                                            .trunk = options.trunk,
                                            .center_of_mass = options.center_of_mass,
                                            .trunk_orientation = options.trunk_orientation,
                                            .posture = options.posture,
                                            .force_weight = options.force_weight,
                                            .options = options.inverse_dynamics});
  for (const ContactSpec& foot : options.feet) {
    const int task = control.add_body_task({.frame = foot.frame, .gains = options.swing_foot});
    control.body_task(task).pose = upright(control.body_task_pose(task));
  }
  return control;
}

WalkingPlan WalkingController::make_plan(const WalkingOptions& options) const {
  std::array<Eigen::Vector3d, 2> soles;
  for (int i = 0; i < 2; ++i) soles[index(i)] = control_.contact_pose(i) * sole_offsets_[index(i)];
  return {control_.center_of_mass_position(), soles,
          steps_ahead(soles, options.step_count, options.step_length, options.first_foot),
          options.plan};
}

WalkingController::WalkingController(const Model& model, const State& start,
                                     const WalkingOptions& options)
    : control_(make_control(model, start, options)),
      start_time_(start.time),
      swing_weight_(options.swing_foot.weight),
      sole_offsets_([&options] {
        std::array<Eigen::Vector3d, 2> centres{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
        for (std::size_t i = 0; i < 2; ++i) {
          for (const Eigen::Vector3d& point : options.feet[i].points) centres[i] += point;
          centres[i] /= static_cast<double>(options.feet[i].points.size());
        }
        return centres;
      }()),
      plan_(make_plan(options)) {}

const InverseDynamicsResult& WalkingController::compute(const State& state) {
  const WalkingReference reference = plan_.at(state.time - start_time_);
  control_.update(state);
  control_.center_of_mass().position = reference.center_of_mass.position;
  control_.center_of_mass().velocity = reference.center_of_mass.velocity;
  control_.center_of_mass().acceleration = reference.center_of_mass.acceleration;
  const int first_task = 1;  // the trunk's comes before
  for (int foot = 0; foot < 2; ++foot) {
    BodyTask& task = control_.body_task(first_task + foot);
    const MotionPoint<Eigen::Vector3d>& sole = reference.soles[index(foot)];
    const bool stands = reference.on_floor[index(foot)];
    control_.set_active(foot, stands);
    task.gains.weight = stands ? 0.0 : swing_weight_;
    task.pose.translation() = sole.position - task.pose.linear() * sole_offsets_[index(foot)];
    task.velocity = sole.velocity;
    task.acceleration = sole.acceleration;
  }
  return control_.solve();
}

}  // namespace stiction
