#pragma once

/// \file
/// Derivatives of the exponential and the logarithm of rotations.
///
/// With r a rotation vector and δ small: exp(r + δ) = exp(J δ) exp(r) for the left Jacobian J, and
/// exp(r + δ) = exp(r) exp(Jᵀ δ): the right Jacobian at r is the left one at -r, its transpose.

#include <Eigen/Core>

namespace stiction {

/// Left Jacobian of the exponential at the rotation vector `r` [rad].
Eigen::Matrix3d left_jacobian(const Eigen::Vector3d& r);

/// Its inverse, for |r| < 2 pi. log(exp(δ) exp(r)) = r + left_jacobian_inverse(r) δ for small δ.
Eigen::Matrix3d left_jacobian_inverse(const Eigen::Vector3d& r);

}  // namespace stiction
