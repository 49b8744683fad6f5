#include "stiction/solver/body_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

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

double largest_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double length_of(const double* y) { return std::sqrt(fma(y[1], y[1], y[0] * y[0])); }

}  // namespace

void BodyNewton::start(BodyEquations& equations, const Judge& judge,
                       std::span<const double> impulses) {
  equations_ = &equations;
  judge_ = &judge;
  const std::size_t blocks = equations.parts().size();
  for (Vector* v : {&w_, &dw_, &centre_, &trial_, &impulses_, &row_stiffness_}) {
    v->resize(equations.rows());
  }
  for (Vector* v : {&z_, &dz_, &gradient_, &centre_z_, &lagged_z_}) {
    v->resize(equations.unknowns());
  }
  stiffness_.resize(blocks);
  bounds_.resize(blocks);
  velocity_scale_ = judge.scales(impulses).velocity;
  std::ranges::copy(impulses, centre_.begin());
  for (const Part& part : equations.parts()) {
    if (part.skipped) std::fill_n(centre_.begin() + part.row, part.rows, 0.0);
  }
  impulses_ = centre_;
  equations.apply(centre_, z_);
  centre_z_ = z_;
  for (std::size_t i = 0; i < blocks; ++i) {
    const Part& part = equations.parts()[i];
    bounds_[i] = part.cone ? part.friction * std::max(0.0, centre_[index(part.row + 2)]) : 0.0;
  }
  rho_ = first_rho;
  least_rho_ = smallest_rho;
  was_exact_ = false;
  failures_ = 0;
  residual_ = std::numeric_limits<double>::infinity();
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
  const Part& part = equations_->parts()[index(block)];
  const double normal = fnma(stiffness(part), w[2], centre_[index(part.row + 2)]);
  return part.friction * std::max(0.0, normal);
}

/// λ = P(c − k w).
void BodyNewton::answer(int block, const double* w, double bound, double* impulse) const {
  const Part& part = equations_->parts()[index(block)];
  aim(part, w, impulse);
  if (!part.cone) {
    const Block& own = equations_->block(index(block));
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
  equations_->read(z_, w_);
  gradient_ = z_;
  const std::span<const double> free = equations_->free_velocity();
  for (std::size_t k = 0; k < w_.size(); ++k) w_[k] += free[k];
  for (int i = 0; i < static_cast<int>(stiffness_.size()); ++i) {
    const Part& part = equations_->parts()[index(i)];
    double* impulse = trial_.data() + part.row;
    if (part.skipped) {
      std::fill_n(impulse, part.rows, 0.0);
      continue;
    }
    const double* w = w_.data() + part.row;
    answer(i, w, part.cone ? bound_of(i, w, bounds) : 0.0, impulse);
    equations_->take_out(part, impulse, gradient_);
  }
  return largest_of(gradient_);
}

/// K of a block at w.
void BodyNewton::find_stiffness(int i, Bounds bounds) {
  const Part& part = equations_->parts()[index(i)];
  Stiffness& K = stiffness_[index(i)];
  K.kind = Stiffness::Kind::none;
  if (part.skipped) return;
  const double* w = w_.data() + part.row;
  double y[max_block_rows];
  aim(part, w, y);
  K.k = stiffness(part);
  if (!part.cone) {
    const Block& block = equations_->block(index(i));
    for (int row = 0; row < part.rows; ++row) {
      const bool inside = is_inside(block, y[row]);
      row_stiffness_[index(part.row + row)] = inside ? K.k : 0.0;
      if (inside) K.kind = Stiffness::Kind::rows;
    }
    return;
  }
  if (!(y[2] > 0.0)) return;
  const double bound = bound_of(i, w, bounds);
  const double length = length_of(y);
  if (length <= bound) {
    K.kind = Stiffness::Kind::stick;
    return;
  }
  K.kind = Stiffness::Kind::slip;
  K.friction = bounds == Bounds::exact ? part.friction : 0.0;
  K.x = y[0] / length;
  K.y = y[1] / length;
  K.across = K.k * bound / length;
}

/// dz and dw of a step of Newton's method, after evaluate().
bool BodyNewton::find_direction(Bounds bounds) {
  ++steps_;
  for (int i = 0; i < static_cast<int>(stiffness_.size()); ++i) find_stiffness(i, bounds);
  for (std::size_t k = 0; k < dz_.size(); ++k) dz_[k] = -gradient_[k];
  if (!equations_->solve(stiffness_, row_stiffness_, dz_)) return false;
  equations_->read(dz_, dw_);
  return std::isfinite(largest_of(dz_));
}

/// Derivative along dz of the function that the lagged form minimizes, `length` dz from z.
double BodyNewton::slope(double length) {
  double sum = 0.0;
  for (std::size_t k = 0; k < z_.size(); ++k) sum += dz_[k] * fma(length, dz_[k], z_[k]);
  for (int i = 0; i < static_cast<int>(stiffness_.size()); ++i) {
    const Part& part = equations_->parts()[index(i)];
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
                  4e-16 * velocity_scale_ / (rho_ * equations_->mean_root()));
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
  for (std::size_t i = 0; i < stiffness_.size(); ++i) {
    const Part& part = equations_->parts()[i];
    if (!part.cone) continue;
    clip(equations_->block(i), &impulses_[index(part.row)]);
    bounds_[i] = part.friction * std::max(0.0, trial_[index(part.row + 2)]);
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

}  // namespace stiction
