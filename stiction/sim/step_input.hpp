#pragma once

/// \file
/// What acts from outside during one step.

#include <Eigen/Core>
#include <span>

namespace stiction {

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

}  // namespace stiction
