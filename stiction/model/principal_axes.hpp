#pragma once

#include <Eigen/Core>

namespace stiction {

/// Axes in which a symmetric matrix is diagonal, found by turning the given axes as little as
/// Jacobi's method does: where moments are equal, the axes stay near those of the matrix.
Eigen::Matrix3d principal_axes(const Eigen::Matrix3d& inertia);

}  // namespace stiction
