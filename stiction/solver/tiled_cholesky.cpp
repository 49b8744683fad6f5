#include "stiction/solver/tiled_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Rows of a tile: the product of two such tiles fits the stack that Eigen packs it on.
constexpr Eigen::Index tile = 64;

}  // namespace

bool TiledCholesky::factorize(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                              const Eigen::Ref<const Eigen::VectorXd>& shift) {
  const Eigen::Index n = matrix.rows();
  factor_.resize(n, n);
  factor_.triangularView<Eigen::Lower>() = matrix;
  factor_.diagonal() += shift;
  for (Eigen::Index k = 0; k < n; k += tile) {
    const Eigen::Index width = std::min(tile, n - k);
    for (Eigen::Index j = 0; j < k; j += tile) {
      for (Eigen::Index i = k; i < n; i += tile) {
        const Eigen::Index height = std::min(tile, n - i);
        factor_.block(i, k, height, width).noalias() -=
            factor_.block(i, j, height, tile) * factor_.block(k, j, width, tile).transpose();
      }
    }
    if (!factorize_diagonal_tile(k, width)) return false;
    const auto diagonal = factor_.block(k, k, width, width).triangularView<Eigen::Lower>();
    for (Eigen::Index i = k + width; i < n; i += tile) {
      auto below = factor_.block(i, k, std::min(tile, n - i), width);
      diagonal.transpose().solveInPlace<Eigen::OnTheRight>(below);
    }
  }
  return true;
}

bool TiledCholesky::factorize_diagonal_tile(Eigen::Index first, Eigen::Index size) {
  auto L = factor_.block(first, first, size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const double pivot = L(j, j);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    L(j, j) = root;
    L.col(j).tail(size - j - 1) /= root;
    for (Eigen::Index k = j + 1; k < size; ++k) {
      L.col(k).tail(size - k) -= L(k, j) * L.col(j).tail(size - k);
    }
  }
  return true;
}

void TiledCholesky::solve_in_place(Vector right_hand_side) const {
  const auto L = factor_.triangularView<Eigen::Lower>();
  L.solveInPlace(right_hand_side);
  L.transpose().solveInPlace(right_hand_side);
}

}  // namespace stiction
