#pragma once

/// \file
/// Cholesky factorization in place, by tiles. Unlike Eigen's it allocates nothing for large
/// matrices.

#include <Eigen/Core>

namespace stiction {

/// Overwrites the lower triangle with L of L Lᵀ = matrix. The upper triangle is not read, and its
/// content afterwards has no meaning. Returns false if the matrix is not positive definite; then
/// the whole content has no meaning.
bool factorize_cholesky(Eigen::Ref<Eigen::MatrixXd> matrix);

}  // namespace stiction
