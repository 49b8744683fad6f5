#pragma once

/// \file
/// What single kinds of sensors need besides their target.

#include <Eigen/Core>
#include <vector>

#include "stiction/model/shape.hpp"

namespace stiction {

/// The volume of an MJCF site: a touch sensor feels what presses through it.
struct SensorZone {
  ShapeKind kind = ShapeKind::sphere;              ///< sphere, capsule, cylinder, ellipsoid or box
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< as Shape::size [m]
};

/// Which contacts a contact sensor sees, and what it tells of them.
struct ContactQuery {
  /// Which ones come first where there are more than it tells of.
  enum class Order { as_found, least_gap, largest_force, net_force };
  bool any_a = true;          ///< side a may be anything
  bool any_b = true;          ///< so may side b
  std::vector<int> shapes_a;  ///< else one of these, ascending indices of Model::shapes()
  std::vector<int> shapes_b;
  Order order = Order::as_found;  ///< net_force: all as one, forces and moments in world axes
  int slots = 1;                  ///< contacts that it tells of
  bool found = true;              ///< 1 number: how many there are
  bool force = false;             ///< 3: along normal, t1, t2 [N]
  bool torque = false;            ///< 3: moments about the same axes [N·m]
  bool distance = false;          ///< 1: gap [m]
  bool position = false;          ///< 3: world [m]
  bool normal = false;            ///< 3: from side a to side b, world
  bool tangent = false;           ///< 3: t1, world

  [[nodiscard]] int slot_size() const {
    return (found ? 1 : 0) + (force ? 3 : 0) + (torque ? 3 : 0) + (distance ? 1 : 0) +
           (position ? 3 : 0) + (normal ? 3 : 0) + (tangent ? 3 : 0);
  }
};

/// The part of a body beyond a fixed joint of the file, with what hangs on it. Bodies are merged
/// over fixed joints, but a force sensor at such a joint feels this part alone.
struct CarriedPart {
  double mass = 0.0;                                         ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in the body [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< about it, in body axes [kg·m²]
  std::vector<int> bodies;                                   ///< that hang on it
  std::vector<int> shapes;                                   ///< its own, ascending
};

}  // namespace stiction
