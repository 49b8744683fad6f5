#include "stiction/solver/tiled_cholesky.hpp"

#include "stiction/contact/cholesky.hpp"

namespace stiction {

bool TiledCholesky::factorize(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                              const Eigen::Ref<const Eigen::VectorXd>& shift) {
  factor_.resize(matrix.rows(), matrix.rows());
  factor_.triangularView<Eigen::Lower>() = matrix;
  factor_.diagonal() += shift;
  return factorize_cholesky(factor_);
}

void TiledCholesky::solve_in_place(Vector right_hand_side) const {
  const auto L = factor_.triangularView<Eigen::Lower>();
  L.solveInPlace(right_hand_side);
  L.transpose().solveInPlace(right_hand_side);
}

}  // namespace stiction
