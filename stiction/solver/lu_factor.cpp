#include "stiction/solver/lu_factor.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/scalar.hpp"
#include "stiction/core/stop_request.hpp"

namespace stiction {

namespace {

using Index = Eigen::Index;

/// Columns that are factorized before the rest of the matrix is brought up to date: enough that
/// each element of the rest is loaded and stored once per eight products.
constexpr Index panel = 8;

/// y ← y − Σ_p c_p X_p over `rows` rows, for the eight columns X_p = x + p·stride.
void subtract_eight(double* __restrict y, const double* __restrict x, Index stride, const double* c,
                    Index rows) {
  for (Index i = 0; i < rows; ++i) {
    double sum = y[i];
    sum = fnma(c[0], x[i], sum);
    sum = fnma(c[1], x[i + stride], sum);
    sum = fnma(c[2], x[i + 2 * stride], sum);
    sum = fnma(c[3], x[i + 3 * stride], sum);
    sum = fnma(c[4], x[i + 4 * stride], sum);
    sum = fnma(c[5], x[i + 5 * stride], sum);
    sum = fnma(c[6], x[i + 6 * stride], sum);
    y[i] = fnma(c[7], x[i + 7 * stride], sum);
  }
}

/// y ← y − c x.
void subtract_one(double* __restrict y, const double* __restrict x, double c, Index rows) {
  for (Index i = 0; i < rows; ++i) y[i] = fnma(c, x[i], y[i]);
}

/// y ← y − Σ c_p X_p for `width` columns.
void subtract(double* y, const double* x, Index stride, const double* c, Index width, Index rows) {
  if (width == panel) return subtract_eight(y, x, stride, c, rows);
  for (Index p = 0; p < width; ++p) subtract_one(y, x + p * stride, c[p], rows);
}

}  // namespace

WorkMatrix& LuFactor::matrix(Index rows) {
  lu_.resize(rows, rows);
  if (pivots_.size() < static_cast<std::size_t>(rows)) {
    pivots_.resize(static_cast<std::size_t>(rows));
  }
  return lu_;
}

bool LuFactor::compute() {
  const Index n = lu_.rows();
  for (Index first = 0; first < n; first += panel) {
    const Index width = std::min(panel, n - first);
    if (stop_requested() || !factorize_panel(first, width)) return false;
    update_right_of(first, width);
  }
  return true;
}

bool LuFactor::factorize_panel(Index first, Index width) {
  const Index n = lu_.rows();
  for (Index k = first; k < first + width; ++k) {
    double* column = lu_.col(k).data();
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    pivots_[static_cast<std::size_t>(k)] = pivot;
    if (!(std::abs(column[pivot]) > 0.0) || !std::isfinite(column[pivot])) return false;
    if (pivot != k) {
      for (Index j = first; j < first + width; ++j)
        std::swap(lu_.col(j).data()[k], lu_.col(j).data()[pivot]);
    }
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < first + width; ++j) {
      subtract_one(lu_.col(j).data() + k + 1, column + k + 1, lu_.col(j).data()[k], n - k - 1);
    }
  }
  return true;
}

void LuFactor::update_right_of(Index first, Index width) {
  const Index n = lu_.rows();
  const auto exchange_rows = [&](Index j) {
    for (Index k = first; k < first + width; ++k) {
      const Index pivot = pivots_[static_cast<std::size_t>(k)];
      if (pivot != k) std::swap(lu_.col(j).data()[k], lu_.col(j).data()[pivot]);
    }
  };
  for (Index j = 0; j < first; ++j) exchange_rows(j);
  for (Index j = first + width; j < n; ++j) {
    exchange_rows(j);
    double* column = lu_.col(j).data();
    for (Index k = first; k < first + width; ++k) {
      for (Index i = k + 1; i < first + width; ++i) {
        column[i] = fnma(lu_.col(k).data()[i], column[k], column[i]);
      }
    }
    const Index below = first + width;
    if (below < n)
      subtract(column + below, lu_.col(first).data() + below, n, column + first, width, n - below);
  }
}

void LuFactor::solve(Eigen::Ref<Eigen::VectorXd> x) const {
  const Index n = lu_.rows();
  for (Index k = 0; k < n; ++k) std::swap(x[k], x[pivots_[static_cast<std::size_t>(k)]]);
  for (Index k = 0; k + 1 < n; ++k) {
    subtract_one(x.data() + k + 1, lu_.col(k).data() + k + 1, x[k], n - k - 1);
  }
  for (Index k = n - 1; k >= 0; --k) {
    x[k] /= lu_.col(k).data()[k];
    subtract_one(x.data(), lu_.col(k).data(), x[k], k);
  }
}

}  // namespace stiction
