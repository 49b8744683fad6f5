#include "stiction/solver/body_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

using Matrix6 = ContactProblem::Matrix6;

/// ρ: initial value and bounds.
constexpr double first_rho = 0.03;
constexpr double smallest_rho = 1e-8;
constexpr double largest_rho = 0.1;
/// A point should move impulses by this fraction of the largest one.
constexpr double lagged_move = 0.1;
constexpr double exact_move = 0.3;
/// Largest changes of ρ from point to point.
constexpr double rho_fall = 0.1;
constexpr double rho_growth = 10.0;
/// Growth of ρ after a failure, and how fast its lower bound falls again after points.
constexpr double growth_after_exact = 4.0;
constexpr double growth_after_lagged = 10.0;
constexpr double relief = 4.0;
/// Failures of the exact form before the lagged one is asked.
constexpr int most_failures = 6;

/// The lagged form is solved to this fraction of its first gradient, in at most so many steps.
constexpr double lagged_accuracy = 0.05;
constexpr int most_lagged_steps = 20;
/// The exact form: steps, of which the first may enlarge the gradient; then each must reduce it.
constexpr int most_exact_steps = 8;
constexpr int patient_steps = 2;
constexpr double largest_enlargement = 1e3;
constexpr double least_reduction = 0.7;
/// It is solved once the gradient is this fraction of the first one, or rounding.
constexpr double exact_accuracy = 1e-3;
constexpr double relative_rounding = 1e-12;
/// Line search: the slope must fall to this fraction, within so many evaluations.
constexpr double flat = 0.1;
constexpr int most_evaluations = 30;
constexpr double longest_step = 64.0;

/// L with L Lᵀ = A, for A that may be singular.
Matrix6 root_of(const Matrix6& A) {
  Matrix6 L = Matrix6::Zero();
  const double least = 1e-14 * A.trace();
  for (int k = 0; k < 6; ++k) {
    double square = A(k, k);
    for (int j = 0; j < k; ++j) square -= L(k, j) * L(k, j);
    if (!(square > least)) continue;
    L(k, k) = std::sqrt(square);
    for (int row = k + 1; row < 6; ++row) {
      double sum = A(row, k);
      for (int j = 0; j < k; ++j) sum -= L(row, j) * L(k, j);
      L(row, k) = sum / L(k, k);
    }
  }
  return L;
}

/// y[k] += a x[k], six numbers.
[[gnu::always_inline]] inline void add_scaled(double a, const double* __restrict x,
                                              double* __restrict y) {
  for (int k = 0; k < 6; ++k) y[k] = fma(a, x[k], y[k]);
}

[[gnu::always_inline]] inline double dot6(const double* a, const double* b) {
  return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])) +
         fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]));
}

double largest_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double length_of(const double* y) { return std::sqrt(fma(y[1], y[1], y[0] * y[0])); }

}  // namespace

bool BodyNewton::suits(const ContactProblem& problem) {
  constexpr int most_bodies = 20000;  // of EliminationOrder's bits: 50 MB
  return problem.storage() == DelassusStorage::bodies && !problem.has_turns() &&
         problem.body_count() <= most_bodies;
}

void BodyNewton::start(const ContactProblem& problem, const Judge& judge,
                       std::span<const double> impulses) {
  problem_ = &problem;
  judge_ = &judge;
  const std::size_t rows = index(problem.row_count());
  for (Vector* v : {&free_, &w_, &dw_, &centre_, &trial_, &impulses_, &row_stiffness_}) {
    v->resize(rows);
  }
  for (Vector* v : {&z_, &dz_, &gradient_, &centre_z_, &lagged_z_}) {
    v->resize(6 * index(problem.body_count()));
  }
  K_.resize(index(problem.block_count()));
  bounds_.resize(index(problem.block_count()));
  const auto shifted = problem.shifted_velocity();
  std::copy_n(shifted.data(), rows, free_.begin());
  read_parts();
  scale_jacobians();
  find_order();
  velocity_scale_ = judge.scales(impulses).velocity;
  std::ranges::copy(impulses, centre_.begin());
  for (const Part& part : parts_) {
    if (part.skipped) std::fill_n(centre_.begin() + part.row, part.rows, 0.0);
  }
  impulses_ = centre_;
  apply(centre_, z_);
  centre_z_ = z_;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    bounds_[index(i)] =
        has_cone(block) ? block.friction * std::max(0.0, centre_[index(block.row + 2)]) : 0.0;
  }
  rho_ = first_rho;
  least_rho_ = smallest_rho;
  was_exact_ = false;
  failures_ = 0;
  residual_ = std::numeric_limits<double>::infinity();
}

void BodyNewton::read_parts() {
  parts_.resize(index(problem_->block_count()));
  double roots = 0.0;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const auto couplings = problem_->couplings(i);
    Part& part = parts_[index(i)];
    part = {.row = block.row,
            .rows = block.rows,
            .body = {couplings[0].body, couplings[1].body},
            .cone = has_cone(block),
            .skipped = judge_->skips(i)};
    const double mean = problem_->diagonal_block(i).trace() / block.rows;
    if (mean > 0.0) part.R = mean;
    roots += std::sqrt(part.R);
  }
  mean_root_ = roots / static_cast<double>(parts_.size());
}

void BodyNewton::scale_jacobians() {
  roots_.resize(index(problem_->body_count()));
  for (int b = 0; b < problem_->body_count(); ++b) {
    roots_[index(b)] = root_of(problem_->inverse_mass(b));
  }
  jacobians_.resize(12 * index(problem_->row_count()));
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    const auto couplings = problem_->couplings(i);
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* from = couplings[side].jacobian.data();
      double* to = jacobians_.data() + 12 * index(part.row) + 6 * index(part.rows) * side;
      const double* L = roots_[index(part.body[side])].data();
      for (int row = 0; row < part.rows; ++row) {
        for (int column = 0; column < 6; ++column) {
          to[6 * row + column] = dot6(from + 6 * row, L + 6 * column);
        }
      }
    }
  }
}

/// The order of elimination for all blocks, open ones as well: heaps change their modes at every
/// step, but their pairs seldom. It depends on the pairs alone, so it may be kept.
void BodyNewton::find_order() {
  new_edges_.clear();
  for (const Part& part : parts_) {
    if (!part.skipped && part.body[0] >= 0 && part.body[1] >= 0) new_edges_.push_back(part.body);
  }
  if (ordered_bodies_ == problem_->body_count() && new_edges_ == edges_) return;
  edges_ = new_edges_;
  ordered_bodies_ = problem_->body_count();
  order_.start(ordered_bodies_);
  for (const auto& [a, b] : edges_) order_.join(a, b);
  order_.eliminate();
}

/// z = J̃ᵀ λ.
void BodyNewton::apply(const Vector& impulses, Vector& z) const {
  std::ranges::fill(z, 0.0);
  for (const Part& part : parts_) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      double* own = z.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) add_scaled(impulses[index(part.row + k)], J + 6 * k, own);
    }
  }
}

/// J̃ z.
void BodyNewton::read(const Vector& z, Vector& velocities) const {
  for (const Part& part : parts_) {
    double* own = velocities.data() + part.row;
    std::fill_n(own, part.rows, 0.0);
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      const double* body = z.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) own[k] += dot6(J + 6 * k, body);
    }
  }
}

/// y = c − k w.
void BodyNewton::aim(const Part& part, const double* w, double* y) const {
  const double k = stiffness(part);
  for (int row = 0; row < part.rows; ++row)
    y[row] = fnma(k, w[row], centre_[index(part.row + row)]);
}

/// Largest friction at w.
double BodyNewton::bound_of(int block, const double* w, Bounds bounds) const {
  if (bounds == Bounds::lagged) return bounds_[index(block)];
  const Part& part = parts_[index(block)];
  const double normal = fnma(stiffness(part), w[2], centre_[index(part.row + 2)]);
  return problem_->blocks()[index(block)].friction * std::max(0.0, normal);
}

/// λ = P(c − k w).
void BodyNewton::answer(int block, const double* w, double bound, double* impulse) const {
  const Part& part = parts_[index(block)];
  aim(part, w, impulse);
  if (!part.cone) {
    const Block& own = problem_->blocks()[index(block)];
    for (int k = 0; k < part.rows; ++k) impulse[k] = project_row(own, impulse[k]);
    return;
  }
  if (!(impulse[2] > 0.0)) {
    std::fill_n(impulse, 3, 0.0);
    return;
  }
  const double length = length_of(impulse);
  if (length <= bound) return;
  impulse[0] *= bound / length;
  impulse[1] *= bound / length;
}

/// w, λ and the gradient z − J̃ᵀ λ at z; returns its largest entry.
double BodyNewton::evaluate(Bounds bounds) {
  read(z_, w_);
  gradient_ = z_;
  for (std::size_t k = 0; k < w_.size(); ++k) w_[k] += free_[k];
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    double* impulse = trial_.data() + part.row;
    if (part.skipped) {
      std::fill_n(impulse, part.rows, 0.0);
      continue;
    }
    const double* w = w_.data() + part.row;
    answer(i, w, part.cone ? bound_of(i, w, bounds) : 0.0, impulse);
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      double* own = gradient_.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) add_scaled(-impulse[k], J + 6 * k, own);
    }
  }
  return largest_of(gradient_);
}

/// K of a block at w.
void BodyNewton::find_stiffness(int i, Bounds bounds) {
  Part& part = parts_[index(i)];
  const Block& block = problem_->blocks()[index(i)];
  part.active = false;
  if (part.skipped) return;
  const double k = stiffness(part);
  const double* w = w_.data() + part.row;
  double y[max_block_rows];
  aim(part, w, y);
  if (!part.cone) {
    for (int row = 0; row < part.rows; ++row) {
      const bool inside = is_inside(block, y[row]);
      row_stiffness_[index(part.row + row)] = inside ? k : 0.0;
      part.active |= inside;
    }
    return;
  }
  if (!(y[2] > 0.0)) return;
  part.active = true;
  Matrix3& K = K_[index(i)];
  K.setZero();
  const double bound = bound_of(i, w, bounds);
  const double length = length_of(y);
  if (length <= bound) {
    K.diagonal().setConstant(k);
    return;
  }
  const double ux = y[0] / length;
  const double uy = y[1] / length;
  const double around = k * bound / length;
  K(0, 0) = around * uy * uy;
  K(0, 1) = K(1, 0) = -around * ux * uy;
  K(1, 1) = around * ux * ux;
  K(2, 2) = k;
  if (bounds == Bounds::lagged) return;
  K(0, 2) = k * block.friction * ux;
  K(1, 2) = k * block.friction * uy;
}

/// J̃ᵀ K J̃ of a block.
void BodyNewton::add_to_matrix(int i) {
  const Part& part = parts_[index(i)];
  for (std::size_t right = 0; right < 2; ++right) {
    if (part.body[right] < 0) continue;
    const double* J = jacobian(part, right);
    double KJ[6 * max_block_rows] = {};
    for (int row = 0; row < part.rows; ++row) {
      if (!part.cone) {
        add_scaled(row_stiffness_[index(part.row + row)], J + 6 * row, KJ + 6 * row);
        continue;
      }
      for (int k = 0; k < 3; ++k) add_scaled(K_[index(i)](row, k), J + 6 * k, KJ + 6 * row);
    }
    for (std::size_t left = 0; left < 2; ++left) {
      if (part.body[left] < 0) continue;
      const double* other = jacobian(part, left);
      double* to = lu_.block(part.body[left], part.body[right]);
      for (int row = 0; row < part.rows; ++row) {
        for (int column = 0; column < 6; ++column) {
          add_scaled(KJ[6 * row + column], other + 6 * row, to + 6 * column);
        }
      }
    }
  }
}

/// dz and dw of a step of Newton's method, after evaluate().
bool BodyNewton::find_direction(Bounds bounds) {
  ++steps_;
  lu_.start(order_);
  for (int b = 0; b < problem_->body_count(); ++b) {
    double* diagonal = lu_.block(b, b);
    for (int k = 0; k < 6; ++k) diagonal[7 * k] = 1.0;
  }
  for (int i = 0; i < problem_->block_count(); ++i) {
    find_stiffness(i, bounds);
    if (parts_[index(i)].active) add_to_matrix(i);
  }
  if (!lu_.compute()) return false;
  for (std::size_t k = 0; k < dz_.size(); ++k) dz_[k] = -gradient_[k];
  lu_.solve(dz_);
  read(dz_, dw_);
  return std::isfinite(largest_of(dz_));
}

/// Derivative along dz of the function that the lagged form minimizes, `length` dz from z.
double BodyNewton::slope(double length) {
  double sum = 0.0;
  for (std::size_t k = 0; k < z_.size(); ++k) sum += dz_[k] * fma(length, dz_[k], z_[k]);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    if (part.skipped) continue;
    double w[max_block_rows];
    double impulse[max_block_rows];
    const double* along = dw_.data() + part.row;
    for (int k = 0; k < part.rows; ++k) w[k] = fma(length, along[k], w_[index(part.row + k)]);
    answer(i, w, bounds_[index(i)], impulse);
    for (int k = 0; k < part.rows; ++k) sum -= along[k] * impulse[k];
  }
  return sum;
}

/// Moves z along dz to where the slope, which rises, is nearly zero: regula falsi.
void BodyNewton::search() {
  double low = 0.0;
  double low_slope = 0.0;
  for (std::size_t k = 0; k < z_.size(); ++k) low_slope += dz_[k] * gradient_[k];
  const double enough = flat * std::abs(low_slope);
  double high = 1.0;
  double high_slope = slope(high);
  while (high_slope < -enough && high < longest_step) {
    low = high;
    low_slope = high_slope;
    high *= 2.0;
    high_slope = slope(high);
  }
  double length = high;
  for (int n = 0; n < most_evaluations && high_slope > enough; ++n) {
    const double part = std::clamp(-low_slope / (high_slope - low_slope), 0.05, 0.95);
    length = fma(part, high - low, low);
    const double here = slope(length);
    if (std::abs(here) <= enough) break;
    (here < 0.0 ? low : high) = length;
    (here < 0.0 ? low_slope : high_slope) = here;
  }
  for (std::size_t k = 0; k < z_.size(); ++k) z_[k] = fma(length, dz_[k], z_[k]);
}

/// Gradients of this size are rounding of w.
double BodyNewton::rounding() const {
  return std::max(relative_rounding * largest_of(centre_z_),
                  4e-16 * velocity_scale_ / (rho_ * mean_root_));
}

bool BodyNewton::solve_lagged() {
  double gradient = evaluate(Bounds::lagged);
  const double goal = std::max(lagged_accuracy * gradient, rounding());
  for (int k = 0; gradient > goal; ++k) {
    if (k == most_lagged_steps || !find_direction(Bounds::lagged)) return false;
    search();
    gradient = evaluate(Bounds::lagged);
  }
  return true;
}

bool BodyNewton::solve_exact() {
  const double first = evaluate(Bounds::exact);
  const double goal = rounding();
  double gradient = first;
  for (int k = 1; k <= most_exact_steps && gradient > goal; ++k) {
    if (!find_direction(Bounds::exact)) return false;
    for (std::size_t n = 0; n < z_.size(); ++n) z_[n] += dz_[n];
    const double next = evaluate(Bounds::exact);
    const bool goes_on =
        k <= patient_steps ? next < largest_enlargement * first : next < least_reduction * gradient;
    gradient = next;
    if (!goes_on) break;
  }
  return gradient <= std::max(goal, exact_accuracy * first);
}

void BodyNewton::go_back() { z_ = centre_z_; }

bool BodyNewton::advance() {
  steps_ = 0;
  bool exact = false;
  if (was_exact_) {
    exact = solve_exact();
    if (!exact) {
      go_back();
      if (++failures_ <= most_failures && rho_ < largest_rho) {
        rho_ = least_rho_ = std::min(largest_rho, growth_after_exact * rho_);
        return false;
      }
      failures_ = 0;
    }
  }
  if (!exact) {
    if (!solve_lagged()) {
      go_back();
      rho_ = least_rho_ = std::min(largest_rho, growth_after_lagged * rho_);
      was_exact_ = false;
      return false;
    }
    lagged_z_ = z_;
    exact = solve_exact();
    if (!exact) {
      z_ = lagged_z_;
      evaluate(Bounds::lagged);
    }
  }
  take_point(exact);
  return true;
}

/// λ(z) becomes the centre, and ρ follows how far that moved.
void BodyNewton::take_point(bool exact) {
  double moved = 0.0;
  for (std::size_t k = 0; k < trial_.size(); ++k) {
    moved = std::max(moved, std::abs(trial_[k] - centre_[k]));
  }
  centre_ = trial_;
  centre_z_ = z_;
  impulses_ = trial_;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (!has_cone(block)) continue;
    clip(block, &impulses_[index(block.row)]);
    bounds_[index(i)] = block.friction * std::max(0.0, trial_[index(block.row + 2)]);
  }
  residual_ = exact ? moved * rho_ : moved;
  const double largest = judge_->scales(impulses_).impulse;
  const double wanted = moved * rho_ / ((exact ? exact_move : lagged_move) * largest);
  rho_ = std::clamp(wanted, rho_fall * rho_, rho_growth * rho_);
  rho_ = std::clamp(rho_, least_rho_, largest_rho);
  least_rho_ = std::max(smallest_rho, least_rho_ / relief);
  was_exact_ = exact;
  if (exact) failures_ = std::max(0, failures_ - 1);
}

double BodyNewton::step_work() const {
  constexpr double product = 216.0;
  constexpr double block = 1500.0;  // K, its share of the matrix, and evaluations
  return product * (2.0 * order_.products() + 4.0 * static_cast<double>(order_.fill()) +
                    2.0 * order_.size()) +
         block * static_cast<double>(parts_.size());
}

}  // namespace stiction
