#pragma once

/// \file
/// The kinds of joints and what is known of a joint.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace stiction {

/// Positions q and velocities v of each kind:
/// - revolute, continuous: one angle [rad] about `axis`; q̇ = v
/// - prismatic: one distance [m] along `axis`; q̇ = v
/// - spherical: q = quat_xyzw of the body in the joint frame; v = angular velocity of the body
///   relative to its parent, in body axes [rad/s]
/// - planar: q = (x, y, angle) in the plane whose normal is `axis`; q̇ = v
/// - floating: q = (position in world, quat_xyzw); v = (linear velocity of the origin in world,
///   angular velocity in world)
/// - fixed: none; merged into the parent by ModelBuilder::build()
enum class JointKind { fixed, revolute, continuous, prismatic, spherical, planar, floating };

std::string_view to_string(JointKind kind);

/// Entries of q that a joint takes.
constexpr int position_size(JointKind kind) {
  constexpr std::array<int, 7> sizes{0, 1, 1, 1, 4, 3, 7};
  return sizes[static_cast<std::size_t>(kind)];
}

/// Entries of v that a joint takes.
constexpr int velocity_size(JointKind kind) {
  constexpr std::array<int, 7> sizes{0, 1, 1, 1, 3, 3, 6};
  return sizes[static_cast<std::size_t>(kind)];
}

/// Bounds of a joint; infinite where it has no bound.
struct JointLimits {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double lower = -infinity;    ///< of q [rad or m]; unused for spherical, planar and floating
  double upper = infinity;     ///< of q; for spherical the largest angle from the joint frame
  double margin = 0.0;         ///< the joint stops at this distance from `lower` and `upper`
  double velocity = infinity;  ///< of |v|
  double effort = infinity;    ///< of the actuators' |force| or |torque|
  std::optional<std::array<double, 2>> effort_range{};  ///< where both sides differ
  [[nodiscard]] double least_effort() const { return effort_range ? (*effort_range)[0] : -effort; }
  [[nodiscard]] double largest_effort() const { return effort_range ? (*effort_range)[1] : effort; }
};

/// A joint of a Model. Joint i carries body i.
struct Joint {
  std::string name;
  JointKind kind = JointKind::revolute;
  bool kinematic = false;  ///< floating only: its motion is prescribed; forces do not move it
  int body = 0;            ///< the body it carries, also the joint's own index
  int position_index = 0;  ///< first entry in q
  int velocity_index = 0;  ///< first entry in v
  JointLimits limits;
  double spring_reference = 0.0;  ///< q at which the spring rests; spherical: the initial pose
  bool actuators_carry_weight = false;  ///< what carries weight counts as force of its actuators
  std::array<double, 2> spring_damper{0, 0};  ///< see JointSpec
};

}  // namespace stiction
