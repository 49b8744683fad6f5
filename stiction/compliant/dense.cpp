#include "stiction/compliant/dense.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/compliant/columns.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/unroll.hpp"

namespace stiction {

using columns::Index;
using columns::Pack;

namespace {

/// Columns of a product that are computed together, and lanes of each.
constexpr std::size_t tile_columns = 4;

/// `lanes` lanes from row i on of `count` columns of A B, starting at column j.
template <std::size_t lanes, std::size_t count>
[[gnu::always_inline]] inline void multiply_tile(const PaddedMatrix& A, const PaddedMatrix& B,
                                                 Index i, Index j, PaddedMatrix& product) {
  Pack sums[lanes * count];
  unroll<lanes * count>([&](auto s) __attribute__((always_inline)) { sums[s] = Pack(0.0); });
  for (Index k = 0; k < A.size(); ++k) {
    const double* a = A.column(k) + i;
    Pack left[lanes];
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      left[l] = columns::load(a + l * columns::width);
    });
    unroll<count>([&](auto c) __attribute__((always_inline)) {
      const Pack right(B.column(j + Index(c))[k]);
      unroll<lanes>([&](auto l) __attribute__((always_inline)) {
        sums[c * lanes + l] = fma(left[l], right, sums[c * lanes + l]);
      });
    });
  }
  unroll<count>([&](auto c) __attribute__((always_inline)) {
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      columns::store(product.column(j + Index(c)) + i + l * columns::width, sums[c * lanes + l]);
    });
  });
}

template <std::size_t count>
void multiply_columns(const PaddedMatrix& A, const PaddedMatrix& B, Index j,
                      PaddedMatrix& product) {
  Index i = 0;
  for (; i + 2 * columns::width <= A.stride(); i += 2 * columns::width) {
    multiply_tile<2, count>(A, B, i, j, product);
  }
  for (; i < A.stride(); i += columns::width) multiply_tile<1, count>(A, B, i, j, product);
}

}  // namespace

void PaddedMatrix::reserve(Index rows) {
  const std::size_t side = index(columns::padded(rows));
  if (memory_.size() < side * side) memory_.resize(side * side);
}

void PaddedMatrix::resize(Index rows) {
  reserve(rows);
  rows_ = rows;
  stride_ = columns::padded(rows);
  std::fill_n(memory_.data(), stride_ * rows_, 0.0);
}

void PaddedMatrix::add(double a, const PaddedMatrix& X) {
  columns::add_scaled(0, stride_ * rows_, a, X.memory_.data(), memory_.data());
}

void PaddedMatrix::add_identity(double a) {
  for (Index i = 0; i < rows_; ++i) (*this)(i, i) += a;
}

void PaddedMatrix::scale(double a) {
  for (Index i = 0; i < stride_ * rows_; ++i) memory_[index(i)] *= a;
}

void PaddedMatrix::set_product(const PaddedMatrix& A, const PaddedMatrix& B) {
  reserve(A.size());
  rows_ = A.size();
  stride_ = A.stride();
  Index j = 0;
  for (; j + Index(tile_columns) <= rows_; j += Index(tile_columns)) {
    multiply_columns<tile_columns>(A, B, j, *this);
  }
  for (; j + 2 <= rows_; j += 2) multiply_columns<2>(A, B, j, *this);
  if (j < rows_) multiply_columns<1>(A, B, j, *this);
}

void PaddedMatrix::multiply(const double* x, double* y) const {
  std::fill_n(y, stride_, 0.0);
  for (Index j = 0; j < rows_; ++j) columns::add_scaled(0, stride_, x[j], column(j), y);
}

void PaddedMatrix::swap(PaddedMatrix& other) {
  std::swap(rows_, other.rows_);
  std::swap(stride_, other.stride_);
  memory_.swap(other.memory_);
}

void SmallLu::reserve(Index rows) {
  lu_.reserve(rows);
  const std::size_t side = index(columns::padded(rows));
  if (pivots_.size() < side) pivots_.resize(side);
}

bool SmallLu::factorize() {
  const Index n = lu_.size();
  const Index stride = lu_.stride();
  for (Index k = 0; k < n; ++k) {
    double* column = lu_.column(k);
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    pivots_[index(k)] = pivot;
    if (!(std::abs(column[pivot]) > 0.0) || !std::isfinite(column[pivot])) return false;
    if (pivot != k) {
      for (Index j = 0; j < n; ++j) std::swap(lu_(k, j), lu_(pivot, j));
    }
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    // Whole lanes from the next multiple of four on; the rows before one by one.
    const Index lanes = std::min(columns::padded(k + 1), n);
    for (Index j = k + 1; j < n; ++j) {
      double* right = lu_.column(j);
      const double factor = right[k];
      if (factor == 0.0) continue;
      for (Index i = k + 1; i < lanes; ++i) right[i] = fnma(factor, column[i], right[i]);
      if (lanes < n) columns::add_scaled(lanes, stride, -factor, column, right);
    }
  }
  return true;
}

void SmallLu::solve(double* x) const {
  const Index n = lu_.size();
  for (Index k = 0; k < n; ++k) std::swap(x[k], x[pivots_[index(k)]]);
  for (Index k = 0; k + 1 < n; ++k) {
    const double* column = lu_.column(k);
    for (Index i = k + 1; i < n; ++i) x[i] = fnma(x[k], column[i], x[i]);
  }
  for (Index k = n - 1; k >= 0; --k) {
    const double* column = lu_.column(k);
    x[k] /= column[k];
    for (Index i = 0; i < k; ++i) x[i] = fnma(x[k], column[i], x[i]);
  }
}

bool factorize_cholesky_in_place(PaddedMatrix& A) {
  const Index n = A.size();
  for (Index k = 0; k < n; ++k) {
    double* column = A.column(k);
    if (!(column[k] > 0.0) || !std::isfinite(column[k])) return false;
    const double inverse = 1.0 / std::sqrt(column[k]);
    for (Index i = k; i < n; ++i) column[i] *= inverse;
    // Whole lanes: what they change above the diagonal is not read.
    for (Index j = k + 1; j < n; ++j) {
      columns::add_scaled(columns::lane_start(j), A.stride(), -column[j], column, A.column(j));
    }
  }
  return true;
}

void solve_cholesky(const PaddedMatrix& L, double* x) {
  const Index n = L.size();
  for (Index k = 0; k < n; ++k) {
    const double* column = L.column(k);
    x[k] /= column[k];
    for (Index i = k + 1; i < n; ++i) x[i] = fnma(x[k], column[i], x[i]);
  }
  for (Index k = n - 1; k >= 0; --k) {
    const double* column = L.column(k);
    double sum = x[k];
    for (Index i = k + 1; i < n; ++i) sum = fnma(column[i], x[i], sum);
    x[k] = sum / column[k];
  }
}

}  // namespace stiction
