#pragma once

/// \file
/// One step of time.

#include <Eigen/Core>
#include <memory>
#include <span>

#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

class Collider;
class ContactProblem;
template <Scalar S>
struct DynamicsData;

/// A force on a body for one step.
struct ExternalForce {
  int body = 0;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< world [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< world [N·m]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< where `force` acts, in the body frame [m]
};

/// A spring and damper on one velocity of a joint, taken implicitly: stable for any gains. The
/// torque at the end of the step keeps within the joint's effort limit.
struct JointServo {
  int velocity_index = 0;  ///< entry of v; of a revolute, continuous, prismatic or planar joint
  double position_target = 0.0;  ///< [rad or m]
  double velocity_target = 0.0;  ///< [rad/s or m/s]
  double stiffness = 0.0;        ///< kp >= 0
  double damping = 0.0;          ///< kd >= 0
  double feed_forward = 0.0;     ///< added torque [N·m or N]
};

/// What acts from outside during one step. Empty spans: nothing.
struct StepInput {
  std::span<const double> control;       ///< one per actuator
  std::span<const double> joint_forces;  ///< one per velocity [N·m or N]
  std::span<const JointServo> servos;
  std::span<const ExternalForce> forces;
};

/// Everything that a step derives, allocated once. One per thread of the caller. A step depends on
/// Model, options, input and State alone, never on what a Workspace was used for before.
class Workspace {
 public:
  explicit Workspace(const Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Kinematics at the start of the last step, and the collider at the same positions.
  [[nodiscard]] const DynamicsData<double>& dynamics() const;
  [[nodiscard]] const Collider& collider() const;
  /// Torques and forces of actuators and servos in the last step, one per velocity [N·m or N].
  [[nodiscard]] std::span<const double> actuator_forces() const;
  /// (v⁺ − v⁻)/h of the last step, one per velocity.
  [[nodiscard]] std::span<const double> accelerations() const;
  /// Impulses on each body by contacts and locks in the last step (world axes, moment about the
  /// body's origin) [N·s, N·m·s].
  [[nodiscard]] std::span<const Force<double>> constraint_impulses() const;
  /// The contact problem that the calling thread solved last: with one island and one thread, that
  /// of the last step which had any contact. Null before the first. To study what a step solves.
  [[nodiscard]] const ContactProblem* last_problem() const;

  struct Memory;
  [[nodiscard]] Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Moves `state` on by one time step. Never throws for what state, input or options hold: the
/// status of the report says what is wrong, and then the state is as it was. Allocates nothing once
/// its number of contacts has been seen.
void step(const Model& model, const StepOptions& options, const StepInput& input, State& state,
          Workspace& workspace, StepReport& report);

}  // namespace stiction
