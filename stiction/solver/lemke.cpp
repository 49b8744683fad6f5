#include "stiction/solver/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Smaller entries of a column, relative to its largest, are rounding errors.
constexpr double pivot_tolerance = 1e-8;

/// Ratios closer than this, relative to the larger of 1 and the ratio, are a tie.
constexpr double tie_tolerance = 1e-12;

/// If a basic variable falls below minus this, the tableau is rebuilt from M and q.
constexpr double drift_tolerance = 1e-8;

/// Residual at which a ray counts as a solution.
constexpr double solution_tolerance = 1e-10;

/// Corrections of the solution with M and q themselves; the second is for inexact tableaus.
constexpr int refinements = 2;

}  // namespace

Lemke::State Lemke::start(const LinearComplementarity& problem) {
  problem_ = &problem;
  size_ = problem.size();
  pivots_ = 0;
  pivots_since_refresh_ = 0;
  refreshing_ = 0;
  basic_.resize(index(size_));
  nonbasic_.resize(index(size_) + 1);
  place_.resize(2 * index(size_) + 1);
  candidates_.reserve(index(size_));
  tableau_.resize(index(size_) * index(size_ + 2));
  velocity_.resize(index(size_));
  candidate_.resize(index(size_));
  wanted_.resize(2 * index(size_) + 1);
  fill_tableau();

  const int row = first_leaving_row();
  if (row < 0) return state_ = State::solved;
  entering_ = complement(basic_[index(row)]);
  pivot(row, size_);
  ++pivots_;
  return state_ = State::running;
}

/// The dictionary whose basic variables are w.
void Lemke::fill_tableau() {
  for (int i = 0; i < size_; ++i) {
    basic_[index(i)] = i;
    place_[index(i)] = i;
    nonbasic_[index(i)] = size_ + i;
    place_[index(size_ + i)] = -1 - i;
  }
  nonbasic_[index(size_)] = 2 * size_;
  place_[index(2 * size_)] = -1 - size_;
  Tableau T = tableau();
  T.leftCols(size_) = problem_->M();
  T.col(size_).setOnes();
  T.col(size_ + 1) = problem_->q();
  pivots_since_refresh_ = 0;
}

int Lemke::complement(int variable) const {
  return variable < size_ ? variable + size_ : variable - size_;
}

/// The row of the most negative q; of equals, the last one is lexicographically first.
int Lemke::first_leaving_row() {
  int result = -1;
  double least = 0.0;
  for (int i = 0; i < size_; ++i) {
    const double q = problem_->q()[i];
    if (q < 0.0 && q <= least) {
      least = q;
      result = i;
    }
  }
  return result;
}

Lemke::State Lemke::step() {
  if (state_ != State::running) return state_;
  if (refreshing()) {
    refresh_one();
    return state_;
  }
  const int column = -1 - place_[index(entering_)];
  const int row = leaving_row(column);
  if (row < 0) return state_ = ends_in_solution() ? State::solved : State::ray;
  const int leaving = basic_[index(row)];
  pivot(row, column);
  ++pivots_;
  ++pivots_since_refresh_;
  if (!std::isfinite(tableau()(row, size_ + 1))) return state_ = State::breakdown;
  if (leaving == 2 * size_) return state_ = State::solved;
  entering_ = complement(leaving);
  if (pivots_since_refresh_ > size_ + 50 ||
      tableau().col(size_ + 1).minCoeff() < -drift_tolerance) {
    begin_refresh();
  }
  return state_;
}

/// Because of rounding, z₀ may be slightly above zero: then the ray starts at a solution.
bool Lemke::ends_in_solution() {
  read(candidate_);
  problem_->evaluate(candidate_, velocity_);
  return LinearComplementarity::residual(candidate_, velocity_) <= solution_tolerance;
}

/// Row that blocks the growth of a column's variable; -1 if none does.
int Lemke::leaving_row(int column) {
  keep_least_ratios(column);
  if (candidates_.empty()) return -1;
  const int artificial = place_[index(2 * size_)];
  for (const int row : candidates_) {
    if (row == artificial) return row;
  }
  if (candidates_.size() > 1) keep_lexicographic_least(column);
  return candidates_.front();
}

void Lemke::keep_least_ratios(int column) {
  const Tableau T = tableau();
  const double smallest = pivot_tolerance * T.col(column).cwiseAbs().maxCoeff();
  const auto ratio = [&](int row) { return std::max(0.0, T(row, size_ + 1)) / -T(row, column); };
  double least = std::numeric_limits<double>::infinity();
  for (int row = 0; row < size_; ++row) {
    if (T(row, column) < -smallest) least = std::min(least, ratio(row));
  }
  candidates_.clear();
  const double bound = least + tie_tolerance * std::max(1.0, least);
  for (int row = 0; row < size_; ++row) {
    if (T(row, column) < -smallest && ratio(row) <= bound) candidates_.push_back(row);
  }
}

/// Breaks ties by the rows of the basis inverse, column after column, as if q were q + (ε, ε², …).
/// Column j of the inverse is minus the tableau's column of w_j, or a unit vector if w_j is basic.
void Lemke::keep_lexicographic_least(int column) {
  const Tableau T = tableau();
  for (int j = 0; j < size_ && candidates_.size() > 1; ++j) {
    const int place = place_[index(j)];
    const auto value = [&](int row) {
      const double entry = place >= 0 ? (row == place ? 1.0 : 0.0) : -T(row, -1 - place);
      return entry / -T(row, column);
    };
    double least = std::numeric_limits<double>::infinity();
    for (const int row : candidates_) least = std::min(least, value(row));
    const double bound = least + tie_tolerance * std::max(1.0, std::abs(least));
    std::erase_if(candidates_, [&](int row) { return value(row) > bound; });
  }
}

/// Exchanges the basic variable of a row with the variable of a column.
void Lemke::pivot(int row, int column) {
  Tableau T = tableau();
  const double inverse = 1.0 / T(row, column);
  T.row(row) *= -inverse;
  T(row, column) = inverse;
  for (int i = 0; i < size_; ++i) {
    const double factor = T(i, column);
    if (i == row || factor == 0.0) continue;
    T(i, column) = 0.0;
    T.row(i) += factor * T.row(row);
  }
  std::swap(basic_[index(row)], nonbasic_[index(column)]);
  place_[index(basic_[index(row)])] = row;
  place_[index(nonbasic_[index(column)])] = -1 - column;
}

/// Starts to rebuild the tableau of the current basis from M and q, with the largest pivots.
void Lemke::begin_refresh() {
  for (int i = 0; i < 2 * size_ + 1; ++i) wanted_[index(i)] = place_[index(i)] >= 0;
  fill_tableau();
  refreshing_ = size_;
}

/// Makes the next variable of the basis basic again.
void Lemke::refresh_one() {
  while (refreshing_ <= 2 * size_ && !wanted_[index(refreshing_)]) ++refreshing_;
  if (refreshing_ > 2 * size_) {
    refreshing_ = 0;
    return;
  }
  const int column = -1 - place_[index(refreshing_)];
  int best = -1;
  double largest = 0.0;
  for (int row = 0; row < size_; ++row) {
    const double entry = std::abs(tableau()(row, column));
    if (wanted_[index(basic_[index(row)])] || !(entry > largest)) continue;
    largest = entry;
    best = row;
  }
  if (best < 0) {
    state_ = State::breakdown;
    return;
  }
  pivot(best, column);
  ++refreshing_;
}

void Lemke::solution(std::span<double> z) {
  read(z);
  if (state_ == State::solved && place_[index(2 * size_)] < 0) refine(z);
  for (double& value : z) value = std::max(0.0, value);
}

void Lemke::read(std::span<double> z) {
  const Tableau T = tableau();
  for (int i = 0; i < size_; ++i) {
    const int row = place_[index(size_ + i)];
    z[index(i)] = row >= 0 ? std::max(0.0, T(row, size_ + 1)) : 0.0;
  }
}

/// Newton's correction on the rows of M whose z is basic: there w should vanish, and the tableau
/// holds the inverse of that part of M.
void Lemke::refine(std::span<double> z) {
  const Tableau T = tableau();
  for (int k = 0; k < refinements; ++k) {
    problem_->evaluate(z, velocity_);
    for (int row = 0; row < size_; ++row) {
      const int variable = basic_[index(row)];
      if (variable < size_) continue;
      double change = 0.0;
      for (int column = 0; column < size_ + 1; ++column) {
        const int other = nonbasic_[index(column)];
        if (other < size_) change -= T(row, column) * velocity_[index(other)];
      }
      z[index(variable - size_)] += change;
    }
  }
}

}  // namespace stiction
