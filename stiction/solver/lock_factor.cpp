#include "stiction/solver/lock_factor.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/dense_delassus.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

/// Pivots up to this are rounding errors: G itself is not known better.
constexpr double least_pivot = 1e-13;
/// A row whose mobility is this fraction of that of its lock cannot move, as in the certificate.
constexpr double least_mobility = 1e-12;
/// More rows than this take longer to factorize than to sweep. Problems of bodies are sparse, so
/// their limit is lower.
constexpr int most_rows = 1500;
constexpr int most_rows_of_bodies = 300;

/// y[r] −= a x[r], `count` numbers.
void subtract(std::size_t count, double a, const double* __restrict x, double* __restrict y) {
  for (std::size_t r = 0; r < count; ++r) y[r] = fnma(a, x[r], y[r]);
}

/// The same for four columns at once.
void subtract_four(std::size_t count, const double* a, const double* __restrict x,
                   std::size_t stride, double* __restrict y) {
  for (std::size_t r = 0; r < count; ++r) {
    const double two = fnma(a[1], x[r + stride], fnma(a[0], x[r], y[r]));
    y[r] = fnma(a[3], x[r + 3 * stride], fnma(a[2], x[r + 2 * stride], two));
  }
}

}  // namespace

bool LockFactor::suits(const ContactProblem& problem) {
  const bool of_bodies = problem.storage() == DelassusStorage::bodies;
  return problem.row_count() <= (of_bodies ? most_rows_of_bodies : most_rows) &&
         std::ranges::any_of(problem.blocks(), is_bilateral);
}

void LockFactor::find_matrix(const ContactProblem& problem) {
  if (problem.storage() == DelassusStorage::dense) {
    matrix_ = problem.delassus().data();
    stride_ = static_cast<std::size_t>(problem.delassus().outerStride());
    return;
  }
  copy_.resize(problem.row_count(), problem.row_count());
  copy_delassus(problem, copy_);
  matrix_ = copy_.data();
  stride_ = index(problem.row_count());
}

void LockFactor::find_rows(const ContactProblem& problem) {
  rows_.clear();
  scale_.clear();
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (!is_bilateral(block)) continue;
    const double least = least_mobility * problem.diagonal_block(i).trace();
    for (int row = block.row; row < block.row + block.rows; ++row) {
      const double mobility = column(row)[row];
      rows_.push_back(row);
      scale_.push_back(mobility > least ? 1.0 / std::sqrt(mobility) : 0.0);
    }
  }
  rest_.resize(rows_.size());
  std::ranges::transform(scale_, rest_.begin(), [](double d) { return d > 0.0 ? 1.0 : 0.0; });
}

/// Exchanges two rows in the order of P, and in the columns of L so far.
void LockFactor::exchange(int i, int k) {
  if (i == k) return;
  std::swap(rows_[index(i)], rows_[index(k)]);
  std::swap(scale_[index(i)], scale_[index(k)]);
  std::swap(rest_[index(i)], rest_[index(k)]);
  for (int j = 0; j < k; ++j) {
    std::swap(L_[index(j) * height_ + index(i)], L_[index(j) * height_ + index(k)]);
  }
}

/// Column k of L, from that of G and the columns before it.
void LockFactor::add_column(int k) {
  double* const to = L_.data() + index(k) * height_;
  const double* from = column(rows_[index(k)]);
  std::fill_n(to, k, 0.0);
  for (std::size_t i = index(k); i < rows_.size(); ++i) {
    to[i] = scale_[index(k)] * scale_[i] * from[rows_[i]];
  }
  for (int j = 0; j < k; ++j) across_[index(j)] = entry(k, j);
  const std::size_t count = rows_.size() - index(k);
  int j = 0;
  for (; j + 4 <= k; j += 4) {
    subtract_four(count, &across_[index(j)], factor_column(j) + k, height_, to + k);
  }
  for (; j < k; ++j) subtract(count, across_[index(j)], factor_column(j) + k, to + k);
  const double root = std::sqrt(rest_[index(k)]);
  diagonal_[index(k)] = 1.0 / root;
  to[k] = root;
  for (std::size_t i = index(k) + 1; i < rows_.size(); ++i) {
    to[i] *= diagonal_[index(k)];
    rest_[i] = fnma(to[i], to[i], rest_[i]);
  }
  std::fill(to + rows_.size(), to + height_, 0.0);
}

void LockFactor::factorize(const ContactProblem& problem) {
  find_matrix(problem);
  find_rows(problem);
  height_ = (rows_.size() + lane_width - 1) / lane_width * lane_width;
  if (L_.size() < rows_.size() * height_) L_.resize(rows_.size() * height_);
  diagonal_.resize(rows_.size());
  across_.resize(rows_.size());
  const int count = static_cast<int>(rows_.size());
  for (rank_ = 0; rank_ < count; ++rank_) {
    const auto largest = std::max_element(rest_.begin() + rank_, rest_.end());
    if (!(*largest > least_pivot)) return;
    exchange(static_cast<int>(largest - rest_.begin()), rank_);
    add_column(rank_);
  }
}

int LockFactor::rank_above(double least) const {
  int rank = rank_;
  while (rank > 0 && !(entry(rank - 1, rank - 1) * entry(rank - 1, rank - 1) > least)) --rank;
  return rank;
}

void LockFactor::forward(const double* b, double* y) const {
  const std::size_t count = index(rank_);
  for (std::size_t i = 0; i < count; ++i) y[i] = scale_[i] * b[rows_[i]];
  for (std::size_t k = 0; k < count; ++k) {
    y[k] *= diagonal_[k];
    if (y[k] == 0.0) continue;
    subtract(count - k - 1, y[k], L_.data() + k * height_ + k + 1, y + k + 1);
  }
}

void LockFactor::add_backward(double* y, double* impulse) const {
  for (std::size_t k = index(rank_); k-- > 0;) {
    const double* column = L_.data() + k * height_;
    double sums[4] = {y[k], 0.0, 0.0, 0.0};
    for (std::size_t i = k + 1; i < index(rank_); ++i) {
      sums[i % 4] = fnma(column[i], y[i], sums[i % 4]);
    }
    y[k] = diagonal_[k] * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    impulse[rows_[k]] = fma(scale_[k], y[k], impulse[rows_[k]]);
  }
}

}  // namespace stiction
