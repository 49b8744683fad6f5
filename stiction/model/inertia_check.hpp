#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

namespace stiction {

/// Why no rigid body has this inertia about its centre of mass; empty if one can.
/// Principal moments must not be negative, and none may exceed the sum of the other two. Files
/// carry rounded numbers, so a relative excess of 1e-4 passes.
std::string inertia_defect(const Eigen::Matrix3d& inertia);

/// Whether all principal moments are clearly positive. Then equations of motion have a solution,
/// even if no rigid body has these moments.
bool is_positive_inertia(const Eigen::Matrix3d& inertia);

/// An inertia that a rigid body can have, and how far it is from the given one.
struct RepairedInertia {
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  double excess = 0.0;  ///< of the largest moment over the sum of the others, relative to itself
  double change = 0.0;  ///< largest change of a principal moment, relative to the largest one
};

/// The inertia with the same axes whose principal moments obey the triangle inequality with the
/// least change of squares. Nothing if the given one obeys it already, is not positive, or is so
/// far off (excess above 0.5) that its numbers must be a mistake.
std::optional<RepairedInertia> repair_inertia(const Eigen::Matrix3d& inertia);

}  // namespace stiction
