#include "stiction/contact/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/stop_request.hpp"

namespace stiction {

namespace {

/// Rows of a tile: the product of two such tiles fits the stack that Eigen packs it on.
constexpr Eigen::Index tile = 64;

/// A diagonal tile alone, column by column.
bool factorize_tile(double* L, Eigen::Index size, Eigen::Index stride) {
  for (Eigen::Index j = 0; j < size; ++j) {
    double* column = L + j * stride;
    const double pivot = column[j];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    column[j] = root;
    for (Eigen::Index i = j + 1; i < size; ++i) column[i] /= root;
    for (Eigen::Index k = j + 1; k < size; ++k) {
      double* other = L + k * stride;
      const double factor = column[k];
      for (Eigen::Index i = k; i < size; ++i) other[i] -= factor * column[i];
    }
  }
  return true;
}

}  // namespace

bool factorize_cholesky(Eigen::Ref<Eigen::MatrixXd> matrix) {
  const Eigen::Index n = matrix.rows();
  for (Eigen::Index k = 0; k < n; k += tile) {
    if (stop_requested()) return false;
    const Eigen::Index width = std::min(tile, n - k);
    for (Eigen::Index j = 0; j < k; j += tile) {
      for (Eigen::Index i = k; i < n; i += tile) {
        const Eigen::Index height = std::min(tile, n - i);
        matrix.block(i, k, height, width).noalias() -=
            matrix.block(i, j, height, tile) * matrix.block(k, j, width, tile).transpose();
      }
    }
    if (!factorize_tile(&matrix(k, k), width, matrix.outerStride())) return false;
    const auto diagonal = matrix.block(k, k, width, width).triangularView<Eigen::Lower>();
    for (Eigen::Index i = k + width; i < n; i += tile) {
      auto below = matrix.block(i, k, std::min(tile, n - i), width);
      diagonal.transpose().solveInPlace<Eigen::OnTheRight>(below);
    }
  }
  return true;
}

}  // namespace stiction
