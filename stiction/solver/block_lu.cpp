#include "stiction/solver/block_lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

constexpr int n = BlockLu::side;

/// C −= A B, column by column.
[[gnu::always_inline]] inline void subtract_product(const double* __restrict A,
                                                    const double* __restrict B,
                                                    double* __restrict C) {
  for (int column = 0; column < n; ++column) {
    double sum[n];
    for (int row = 0; row < n; ++row) sum[row] = C[n * column + row];
    for (int k = 0; k < n; ++k) {
      const double b = -B[n * column + k];
      for (int row = 0; row < n; ++row) sum[row] = fma(A[n * k + row], b, sum[row]);
    }
    for (int row = 0; row < n; ++row) C[n * column + row] = sum[row];
  }
}

/// y −= A x.
[[gnu::always_inline]] inline void subtract_applied(const double* __restrict A,
                                                    const double* __restrict x,
                                                    double* __restrict y) {
  double sum[n];
  for (int row = 0; row < n; ++row) sum[row] = y[row];
  for (int k = 0; k < n; ++k) {
    for (int row = 0; row < n; ++row) sum[row] = fma(A[n * k + row], -x[k], sum[row]);
  }
  for (int row = 0; row < n; ++row) y[row] = sum[row];
}

/// A ← A⁻¹ with partial pivoting; false if it is singular.
bool invert(double* A) {
  double work[n][2 * n];
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      work[r][c] = A[n * c + r];
      work[r][n + c] = r == c ? 1.0 : 0.0;
    }
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r) {
      if (std::abs(work[r][k]) > std::abs(work[pivot][k])) pivot = r;
    }
    if (pivot != k) std::swap(work[k], work[pivot]);
    const double inverse = 1.0 / work[k][k];
    if (!std::isfinite(inverse)) return false;
    for (int c = 0; c < 2 * n; ++c) work[k][c] *= inverse;
    for (int r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = -work[r][k];
      for (int c = 0; c < 2 * n; ++c) work[r][c] = fma(factor, work[k][c], work[r][c]);
    }
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) A[n * c + r] = work[r][n + c];
  }
  return true;
}

}  // namespace

void BlockLu::start(const EliminationOrder& order) {
  order_ = &order;
  const std::size_t blocks = block_size * order.fill();
  if (lower_.size() < blocks) {
    lower_.resize(blocks);
    upper_.resize(blocks);
  }
  std::fill_n(lower_.begin(), blocks, 0.0);
  std::fill_n(upper_.begin(), blocks, 0.0);
  diagonal_.assign(block_size * index(order.size()), 0.0);
  sorted_.resize(index(n * order.size()));
}

double* BlockLu::block(int row_node, int column_node) {
  const int row = order_->position(row_node);
  const int column = order_->position(column_node);
  if (row == column) return diagonal(row);
  const std::size_t k = *order_->find(row_node, column_node);
  return row > column ? lower(k) : upper(k);
}

bool BlockLu::compute() {
  for (int k = 0; k < order_->size(); ++k) {
    if (!invert(diagonal(k))) return false;
    eliminate(k);
  }
  return true;
}

void BlockLu::eliminate(int position) {
  const std::span<const int> list = order_->later(position);
  const std::size_t first = order_->first(position);
  const double* pivot = diagonal(position);
  for (std::size_t k = first; k < first + list.size(); ++k) {
    double scaled[block_size] = {};
    subtract_product(lower(k), pivot, scaled);
    for (std::size_t e = 0; e < block_size; ++e) lower(k)[e] = -scaled[e];
  }
  for (std::size_t a = 0; a < list.size(); ++a) {
    const int column = list[a];
    subtract_product(lower(first + a), upper(first + a), diagonal(column));
    const std::span<const int> target = order_->later(column);
    std::size_t at = order_->first(column);
    const int* place = target.data();
    for (std::size_t b = a + 1; b < list.size(); ++b) {
      while (*place != list[b]) {
        ++place;
        ++at;
      }
      subtract_product(lower(first + b), upper(first + a), lower(at));
      subtract_product(lower(first + a), upper(first + b), upper(at));
    }
  }
}

void BlockLu::solve(std::span<double> x) {
  for (int node = 0; node < order_->size(); ++node) {
    std::copy_n(&x[index(n * node)], n, &sorted_[index(n * order_->position(node))]);
  }
  for (int k = 0; k < order_->size(); ++k) {
    const double* own = &sorted_[index(n * k)];
    std::size_t at = order_->first(k);
    for (const int row : order_->later(k)) {
      subtract_applied(lower(at++), own, &sorted_[index(n * row)]);
    }
  }
  for (int k = order_->size() - 1; k >= 0; --k) {
    double* own = &sorted_[index(n * k)];
    std::size_t at = order_->first(k);
    for (const int row : order_->later(k)) {
      subtract_applied(upper(at++), &sorted_[index(n * row)], own);
    }
    double solved[n] = {};
    subtract_applied(diagonal(k), own, solved);
    for (int e = 0; e < n; ++e) own[e] = -solved[e];
  }
  for (int node = 0; node < order_->size(); ++node) {
    std::copy_n(&sorted_[index(n * order_->position(node))], n, &x[index(n * node)]);
  }
}

}  // namespace stiction
