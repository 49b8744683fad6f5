#pragma once

#include <Eigen/Core>
#include <string>

namespace stiction {

/// Why no rigid body has this inertia about its centre of mass; empty if one can.
/// Principal moments must not be negative, and none may exceed the sum of the other two. Files
/// carry rounded numbers, so a relative excess of 1e-4 passes.
std::string inertia_defect(const Eigen::Matrix3d& inertia);

}  // namespace stiction
