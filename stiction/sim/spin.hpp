#pragma once

/// \file
/// A rigid body that spins fast and freely. Explicit rules gain energy there.
///
/// The implicit midpoint rule in body axes, I (Ω⁺ − Ω) = h (I Ω̄ × Ω̄ + τ) with Ω̄ = (Ω + Ω⁺)/2, and
/// the rotation by Cayley's map of h Ω̄ keep energy and angular momentum without torque, whatever
/// the speed [AustinKrishnaprasadWang1993].

#include <Eigen/Geometry>

namespace stiction {

/// Turns by more than this angle within a step [rad] make a body fast.
inline constexpr double fast_turn = 0.02;

/// A step of rotation, world axes.
struct Spin {
  Eigen::Vector3d next_velocity = Eigen::Vector3d::Zero();   ///< ω⁺ [rad/s]
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  ///< R⁺ = turn · R
};

/// `inertia` about the centre of mass in body axes, `rotation` from body to world, angular velocity
/// and torque about the centre of mass in world axes. The torque is taken as constant in the body.
[[nodiscard]] Spin spin_freely(const Eigen::Matrix3d& inertia, const Eigen::Matrix3d& rotation,
                               const Eigen::Vector3d& velocity, const Eigen::Vector3d& torque,
                               double time_step);

}  // namespace stiction
