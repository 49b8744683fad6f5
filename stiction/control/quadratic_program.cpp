#include "stiction/control/quadratic_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>

#include "stiction/core/finite.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

using Eigen::Index;

/// What rounding leaves of a row of unit length: a constraint counts as met within this much of its
/// terms, and a normal whose free part is smaller than `dependent` of it as dependent on others.
constexpr double feasible = 1e-10;
constexpr double dependent = 1e-9;
constexpr double infinity = std::numeric_limits<double>::infinity();

void require(bool condition, const char* what, Index expected, Index found) {
  if (!condition) {
    throw std::invalid_argument(
        fmt::format("quadratic program: {}: expected {}, found {}", what, expected, found));
  }
}

void require_finite(const QuadraticProgram::Matrix& matrix, const char* name) {
  for (Index column = 0; column < matrix.cols(); ++column) {
    if (!all_finite({matrix.col(column).data(), static_cast<std::size_t>(matrix.rows())})) {
      throw std::invalid_argument(
          fmt::format("quadratic program: {} contains NaN or infinity in column {}", name, column));
    }
  }
}

void require_bounds(const QuadraticProgram::Vector& lower, const QuadraticProgram::Vector& upper,
                    const char* name) {
  for (Index row = 0; row < lower.size(); ++row) {
    if (std::isnan(lower[row]) || std::isnan(upper[row]) || lower[row] == infinity ||
        upper[row] == -infinity) {
      throw std::invalid_argument(fmt::format("quadratic program: bounds of {} {} are [{}, {}]",
                                              name, row, lower[row], upper[row]));
    }
  }
}

void check(const QuadraticProgram& p) {
  const Index n = p.g.size();
  require(p.H.rows() == n, "rows of H", n, p.H.rows());
  require(p.H.cols() == n, "columns of H", n, p.H.cols());
  require(p.A.rows() == p.b.size(), "entries of b", p.A.rows(), p.b.size());
  require(p.A.rows() == 0 || p.A.cols() == n, "columns of A", n, p.A.cols());
  require(p.C.rows() == p.lower.size(), "entries of lower", p.C.rows(), p.lower.size());
  require(p.C.rows() == p.upper.size(), "entries of upper", p.C.rows(), p.upper.size());
  require(p.C.rows() == 0 || p.C.cols() == n, "columns of C", n, p.C.cols());
  require(p.least.size() == 0 || p.least.size() == n, "entries of least", n, p.least.size());
  require(p.largest.size() == p.least.size(), "entries of largest", p.least.size(),
          p.largest.size());
  require_finite(p.H, "H");
  require_finite(p.g, "g");
  require_finite(p.A, "A");
  require_finite(p.b, "b");
  require_finite(p.C, "C");
  require_bounds(p.lower, p.upper, "inequality");
  require_bounds(p.least, p.largest, "entry");
}

/// Makes room without losing room.
void grow(Eigen::VectorXd& vector, Index size) {
  if (vector.size() < size) vector.setZero(size);
}
void grow(Eigen::MatrixXd& matrix, Index rows, Index columns) {
  if (matrix.rows() < rows || matrix.cols() < columns) {
    matrix.setZero(std::max(matrix.rows(), rows), std::max(matrix.cols(), columns));
  }
}

}  // namespace

std::string to_string(const ProgramRow& row) {
  switch (row.kind) {
    case ProgramRow::Kind::equality:
      return fmt::format("equality {}", row.row);
    case ProgramRow::Kind::inequality:
      return fmt::format("{} side of inequality {}", row.upper ? "upper" : "lower", row.row);
    case ProgramRow::Kind::bound:
      return fmt::format("{} bound of x[{}]", row.upper ? "upper" : "lower", row.row);
  }
  return "";
}

std::string_view to_string(ProgramStatus status) {
  switch (status) {
    case ProgramStatus::solved:
      return "solved";
    case ProgramStatus::infeasible:
      return "infeasible";
    case ProgramStatus::not_convex:
      return "not convex";
    case ProgramStatus::iteration_limit:
      return "iteration limit";
  }
  return "";
}

void QuadraticProgramSolver::reserve(const QuadraticProgram& program) {
  n_ = program.g.size();
  equalities_ = program.A.rows();
  rows_ = program.C.rows();
  bounds_ = program.least.size();
  const Index room = std::max(n_, equalities_) + 1;
  for (Eigen::MatrixXd* matrix : {&L_, &J_, &R_}) grow(*matrix, room, room);
  grow(reflectors_, room, equalities_);
  for (Eigen::VectorXd* vector : {&x_, &z_, &d_, &r_, &normal_, &work_, &multipliers_}) {
    grow(*vector, room);
  }
  grow(y_equality_, equalities_);
  for (Eigen::VectorXd* vector : {&row_norms_, &values_, &y_inequality_}) {
    grow(*vector, rows_ + bounds_);
  }
  active_.reserve(index(room));
  conflict_.reserve(index(room));
  active_.clear();
  conflict_.clear();
  state_.assign(index(rows_ + bounds_), 0);
  const std::array<Index, 3> size{n_, rows_, bounds_};
  if (size != hint_size_) hint_.assign(index(rows_ + bounds_), 0);
  hint_size_ = size;
  for (Index row = 0; row < rows_; ++row) row_norms_[row] = program.C.row(row).norm();
  row_norms_.segment(rows_, bounds_).setOnes();
  violated_ = {};
  fixed_ = 0;
  iterations_ = 0;
}

bool QuadraticProgramSolver::start(const QuadraticProgram& program) {
  auto L = L_.topLeftCorner(n_, n_);
  L.triangularView<Eigen::Lower>() = program.H.triangularView<Eigen::Lower>();
  double largest = 0.0;
  for (Index i = 0; i < n_; ++i) largest = std::max(largest, L(i, i));
  if (Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(L) != -1) return false;
  for (Index i = 0; i < n_; ++i) {
    // The pivot of a singular matrix is rounding of its entries.
    if (!(L(i, i) * L(i, i) > 1e-15 * largest)) return false;
  }
  auto x = x_.head(n_);
  x = -program.g;
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  auto J = J_.topLeftCorner(n_, n_);
  J.setIdentity();
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(J);
  return true;
}

bool QuadraticProgramSolver::enter_equalities(const QuadraticProgram& program) {
  if (equalities_ == 0) return true;
  auto L = L_.topLeftCorner(n_, n_);
  auto J = J_.topLeftCorner(n_, n_);
  auto B = reflectors_.topLeftCorner(n_, equalities_);
  B = program.A.transpose();
  L.triangularView<Eigen::Lower>().solveInPlace(B);
  const Index most = std::min(n_, equalities_);
  // Each column: what the reflections before leave of it, then its own reflection.
  for (Index k = 0; k < equalities_; ++k) {
    auto column = B.col(k);
    const double norm = column.norm();
    if (fixed_ < most) {
      auto rest = column.tail(n_ - fixed_);
      const double size = rest.norm();
      if (size > dependent * norm) {
        auto v = work_.head(n_ - fixed_);
        const double diagonal = rest[0] > 0.0 ? -size : size;
        v = rest;
        v[0] -= diagonal;
        v *= std::sqrt(2.0) / v.norm();
        for (Index j = k + 1; j < equalities_; ++j) {
          auto other = B.col(j).tail(n_ - fixed_);
          other -= v.dot(other) * v;
        }
        auto J2 = J.rightCols(n_ - fixed_);
        z_.head(n_).noalias() = J2 * v;
        J2.noalias() -= z_.head(n_) * v.transpose();
        R_.col(fixed_).head(fixed_) = column.head(fixed_);
        R_(fixed_, fixed_) = diagonal;
        active_.push_back({ProgramRow::Kind::equality, static_cast<int>(k), false});
        ++fixed_;
      }
    }
  }
  // x += J1 R⁻ᵀ (b − A x), and the multipliers R⁻¹ of the same.
  auto u = multipliers_.head(fixed_);
  for (Index i = 0; i < fixed_; ++i) {
    const Index row = active_[index(i)].row;
    u[i] = program.b[row] - program.A.row(row).dot(x_.head(n_));
  }
  const auto R = R_.topLeftCorner(fixed_, fixed_).triangularView<Eigen::Upper>();
  R.transpose().solveInPlace(u);
  x_.head(n_).noalias() += J.leftCols(fixed_) * u;
  R.solveInPlace(u);
  for (Index k = 0; k < equalities_; ++k) {
    const auto row = program.A.row(k);
    const double scale = row.norm() * x_.head(n_).norm() + std::abs(program.b[k]);
    if (std::abs(row.dot(x_.head(n_)) - program.b[k]) <= 1e-8 * scale) continue;
    const ProgramRow contradiction{ProgramRow::Kind::equality, static_cast<int>(k), false};
    normal_of(program, contradiction);
    directions();
    report_conflict(contradiction);
    return false;
  }
  return true;
}

double QuadraticProgramSolver::side(const QuadraticProgram& program, const ProgramRow& row) const {
  if (row.kind == ProgramRow::Kind::bound) {
    return row.upper ? -program.largest[row.row] : program.least[row.row];
  }
  return row.upper ? -program.upper[row.row] : program.lower[row.row];
}

bool QuadraticProgramSolver::most_violated(const QuadraticProgram& program, ProgramRow& worst,
                                           double& violation) {
  const auto x = x_.head(n_);
  if (rows_ > 0) values_.head(rows_).noalias() = program.C * x;
  values_.segment(rows_, bounds_) = x.head(bounds_);
  const double size = x.norm();
  double largest = 0.0;
  bool hinted = false;
  for (Index i = 0; i < rows_ + bounds_; ++i) {
    if (state_[index(i)] != 0) continue;
    const bool is_bound = i >= rows_;
    const Index row = is_bound ? i - rows_ : i;
    const double low = is_bound ? program.least[row] : program.lower[row];
    const double high = is_bound ? program.largest[row] : program.upper[row];
    const double below = low - values_[i];
    const double above = values_[i] - high;
    const double amount = std::max(below, above);
    const double norm = row_norms_[i];
    const double bound = std::abs(above > below ? high : low);
    if (!(amount > feasible * (norm * (1.0 + size) + bound))) continue;
    const bool known = hint_[index(i)] == (above > below ? 2 : 1);
    const double measure = amount / std::max(norm, 1e-300);
    if (known < hinted || (known == hinted && measure <= largest)) continue;
    hinted = known;
    largest = measure;
    violation = amount;
    worst = {is_bound ? ProgramRow::Kind::bound : ProgramRow::Kind::inequality,
             static_cast<int>(row), above > below};
  }
  return largest > 0.0;
}

void QuadraticProgramSolver::normal_of(const QuadraticProgram& program, const ProgramRow& row) {
  auto normal = normal_.head(n_);
  const double sign = row.upper ? -1.0 : 1.0;
  switch (row.kind) {
    case ProgramRow::Kind::equality:
      normal = program.A.row(row.row);
      break;
    case ProgramRow::Kind::inequality:
      normal = sign * program.C.row(row.row);
      break;
    case ProgramRow::Kind::bound:
      normal.setZero();
      normal[row.row] = sign;
      break;
  }
}

/// d = Jᵀn, the primal direction z = J₂ d₂ and the dual one r = R⁻¹ d₁ [Goldfarb1983] (3.8).
void QuadraticProgramSolver::directions() {
  const Index q = static_cast<Index>(active_.size());
  const auto J = J_.topLeftCorner(n_, n_);
  d_.head(n_).noalias() = J.transpose() * normal_.head(n_);
  z_.head(n_).noalias() = J.rightCols(n_ - q) * d_.segment(q, n_ - q);
  auto r = r_.head(q);
  r = d_.head(q);
  R_.topLeftCorner(q, q).triangularView<Eigen::Upper>().solveInPlace(r);
}

void QuadraticProgramSolver::append(const ProgramRow& row, double multiplier) {
  const Index q = static_cast<Index>(active_.size());
  const auto rest = d_.segment(q, n_ - q);
  const double size = rest.norm();
  const double diagonal = rest[0] > 0.0 ? -size : size;
  auto v = work_.head(n_ - q);
  v = rest;
  v[0] -= diagonal;
  v *= std::sqrt(2.0) / v.norm();
  auto J2 = J_.topLeftCorner(n_, n_).rightCols(n_ - q);
  z_.head(n_).noalias() = J2 * v;
  J2.noalias() -= z_.head(n_) * v.transpose();
  R_.col(q).head(q) = d_.head(q);
  R_(q, q) = diagonal;
  multipliers_[q] = multiplier;
  active_.push_back(row);
  const Index i = row.kind == ProgramRow::Kind::bound ? rows_ + row.row : row.row;
  state_[index(i)] = 1;
}

void QuadraticProgramSolver::drop(Index position) {
  const ProgramRow row = active_[index(position)];
  state_[index(row.kind == ProgramRow::Kind::bound ? rows_ + row.row : Index(row.row))] = 0;
  const Index q = static_cast<Index>(active_.size());
  for (Index j = position; j + 1 < q; ++j) {
    R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
    multipliers_[j] = multipliers_[j + 1];
    const double a = R_(j, j);
    const double b = R_(j + 1, j);
    const double size = std::hypot(a, b);
    const double c = size > 0.0 ? a / size : 1.0;
    const double s = size > 0.0 ? b / size : 0.0;
    R_(j, j) = size;
    R_(j + 1, j) = 0.0;
    for (Index k = j + 2; k < q; ++k) {
      // Columns that are still one place to the right of where they will be.
      const double upper = R_(j, k);
      const double lower = R_(j + 1, k);
      R_(j, k) = c * upper + s * lower;
      R_(j + 1, k) = c * lower - s * upper;
    }
    auto left = J_.col(j).head(n_);
    auto right = J_.col(j + 1).head(n_);
    auto old = work_.head(n_);
    old = left;
    left = c * old + s * right;
    right = c * right - s * old;
  }
  active_.erase(active_.begin() + position);
}

void QuadraticProgramSolver::report_conflict(const ProgramRow& row) {
  violated_ = row;
  conflict_.clear();
  const double largest =
      active_.empty() ? 0.0 : r_.head(Index(active_.size())).cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (std::abs(r_[Index(i)]) > 1e-9 * largest) conflict_.push_back(active_[i]);
  }
}

/// Adds one violated row, and drops those that push the wrong way meanwhile. False: infeasible.
bool QuadraticProgramSolver::enter(const QuadraticProgram& program, const ProgramRow& row,
                                   double violation) {
  normal_of(program, row);
  double multiplier = 0.0;
  while (true) {
    ++iterations_;
    directions();
    const Index q = static_cast<Index>(active_.size());
    Index blocking = -1;
    double dual_step = infinity;
    for (Index i = fixed_; i < q; ++i) {
      if (r_[i] <= 0.0) continue;
      const double step = multipliers_[i] / r_[i];
      if (step < dual_step) {
        dual_step = step;
        blocking = i;
      }
    }
    const double free = d_.segment(q, n_ - q).squaredNorm();
    const bool movable = std::sqrt(free) > dependent * d_.head(n_).norm();
    const double primal_step = movable ? violation / free : infinity;
    const double step = std::min(dual_step, primal_step);
    if (step == infinity) {
      report_conflict(row);
      return false;
    }
    multipliers_.head(q) -= step * r_.head(q);
    multiplier += step;
    if (movable) {
      x_.head(n_) += step * z_.head(n_);
      if (primal_step <= dual_step) {
        append(row, multiplier);
        return true;
      }
    }
    drop(blocking);
    violation = side(program, row) - normal_.head(n_).dot(x_.head(n_));
    if (violation <= 0.0) return true;
  }
}

void QuadraticProgramSolver::finish(const QuadraticProgram& program) {
  y_equality_.head(equalities_).setZero();
  y_inequality_.head(rows_ + bounds_).setZero();
  std::fill(hint_.begin(), hint_.end(), std::int8_t{0});
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const ProgramRow& row = active_[i];
    const double y = multipliers_[Index(i)];
    if (row.kind == ProgramRow::Kind::equality) {
      y_equality_[row.row] = y;
      continue;
    }
    const Index place = row.kind == ProgramRow::Kind::bound ? rows_ + row.row : Index(row.row);
    y_inequality_[place] = row.upper ? -y : y;
    hint_[index(place)] = row.upper ? 2 : 1;
  }
  auto product = work_.head(n_);
  product.noalias() = program.H.selfadjointView<Eigen::Lower>() * x_.head(n_);
  objective_ = x_.head(n_).dot(0.5 * product + program.g);
}

ProgramStatus QuadraticProgramSolver::solve(const QuadraticProgram& program) {
  check(program);
  reserve(program);
  if (!start(program)) return ProgramStatus::not_convex;
  if (!enter_equalities(program)) return ProgramStatus::infeasible;
  for (Index i = 0; i < rows_ + bounds_; ++i) {
    const bool is_bound = i >= rows_;
    const int row = static_cast<int>(is_bound ? i - rows_ : i);
    const double low = is_bound ? program.least[row] : program.lower[row];
    const double high = is_bound ? program.largest[row] : program.upper[row];
    if (low <= high) continue;
    const auto kind = is_bound ? ProgramRow::Kind::bound : ProgramRow::Kind::inequality;
    violated_ = {kind, row, false};
    conflict_.push_back({kind, row, true});
    return ProgramStatus::infeasible;
  }
  const int limit = static_cast<int>(100 + 20 * (n_ + rows_ + bounds_));
  ProgramRow row;
  double violation = 0.0;
  while (most_violated(program, row, violation)) {
    if (iterations_ > limit) return ProgramStatus::iteration_limit;
    if (!enter(program, row, violation)) return ProgramStatus::infeasible;
  }
  finish(program);
  return ProgramStatus::solved;
}

}  // namespace stiction
