// Implements [AustinKrishnaprasadWang1993]. Deviations: steps that turn far are divided, because
// the midpoint equation has several solutions there.

#include "stiction/sim/spin.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Turns of a part of the step are at most this [rad], where there are at most `most_parts`.
constexpr double part_turn = 0.5;
constexpr double most_parts = 1000.0;
constexpr int newton_steps = 12;
constexpr double newton_tolerance = 1e-14;

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d matrix;
  matrix << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return matrix;
}

/// Ω⁺ of the midpoint rule, body axes. If Newton's method does not end, the body spins on as it is,
/// which keeps its energy, too.
Eigen::Vector3d next_in_body(const Eigen::Matrix3d& inertia, const Eigen::Vector3d& velocity,
                             const Eigen::Vector3d& torque, double h) {
  Eigen::Vector3d next = velocity;
  for (int i = 0; i < newton_steps; ++i) {
    const Eigen::Vector3d middle = 0.5 * (velocity + next);
    const Eigen::Vector3d momentum = inertia * middle;
    const Eigen::Vector3d error =
        inertia * (next - velocity) - h * (momentum.cross(middle) + torque);
    const Eigen::Matrix3d slope =
        inertia + 0.5 * h * (cross_matrix(middle) * inertia - cross_matrix(momentum));
    const Eigen::Vector3d change = slope.inverse() * error;
    next -= change;
    if (!next.allFinite()) break;
    if (change.norm() <= newton_tolerance * next.norm()) return next;
  }
  return next.allFinite() && next.norm() < 2.0 * velocity.norm() ? next : velocity;
}

}  // namespace

Spin spin_freely(const Eigen::Matrix3d& inertia, const Eigen::Matrix3d& rotation,
                 const Eigen::Vector3d& velocity, const Eigen::Vector3d& torque, double time_step) {
  const double angle = time_step * velocity.norm();
  const double parts = std::clamp(std::ceil(angle / part_turn), 1.0, most_parts);
  const double h = time_step / parts;
  const Eigen::Vector3d body_torque = rotation.transpose() * torque;
  Eigen::Vector3d spin = rotation.transpose() * velocity;
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  // in body axes
  for (int i = 0; i < static_cast<int>(parts); ++i) {
    const Eigen::Vector3d next = next_in_body(inertia, spin, body_torque, h);
    // Cayley's map as a quaternion: (1, h Ω̄ / 2), normalised.
    const Eigen::Vector3d half = 0.25 * h * (spin + next);
    turn = turn * Eigen::Quaterniond(1.0, half.x(), half.y(), half.z()).normalized();
    spin = next;
  }
  const Eigen::Quaterniond start(rotation);
  const Eigen::Quaterniond end = start * turn;
  return {end * spin, (end * start.conjugate()).normalized()};
}

}  // namespace stiction
