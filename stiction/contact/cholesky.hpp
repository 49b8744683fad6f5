#pragma once

/// \file
/// Cholesky factor in place, by tiles. (Eigen's own packs its large products into fresh memory each
/// time.)

#include <Eigen/Core>

namespace stiction {

/// Overwrites the lower triangle with L of L Lᵀ = matrix; the upper one is not read, and what is
/// left in it has no meaning. Allocates nothing. False where the matrix is not positive definite:
/// then its content is of no use.
bool factorize_cholesky(Eigen::Ref<Eigen::MatrixXd> matrix);

}  // namespace stiction
