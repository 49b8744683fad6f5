#include "stiction/compliant/pade_engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "stiction/compliant/columns.hpp"
#include "stiction/compliant/engine_plan.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Of the step in order 1, whose pieces are integrated one by one.
constexpr int most_halvings = 16;
/// Without scaling for accuracy. Sixteen pieces decay enough at any norm.
constexpr int most_stable_halvings = 4;

}  // namespace

PadeOptions cheap_pade(int order) {
  return {.order = order,
          .scaling = false,
          .norm_limit = order == 1 ? 2.0 : order,
          .family = PadeFamily::decaying};
}

void check_options(const PadeOptions& options) {
  if (!is_pade_order(options.order)) {
    throw std::invalid_argument(
        fmt::format("Padé order {} is not available. Use 1, 2, 3, 5, 7, 9 or 13.", options.order));
  }
  if (!options.scaling) {
    if (options.norm_limit >= 0.1) return;
    throw std::invalid_argument(
        fmt::format("The limit of the norm is {}. Use at least 0.1.", options.norm_limit));
  }
  const double least = options.order > 1 ? 1e-16 : 1e-6;
  if (!(options.tolerance >= least && options.tolerance <= 1e-2)) {
    throw std::invalid_argument(
        fmt::format("The tolerance of Padé order {} with scaling is {}. Use {} to 0.01.",
                    options.order, options.tolerance, least));
  }
}

void PadeEngine::set_options(const PadeOptions& options) {
  check_options(options);
  const bool same = options.order == options_.order && options.family == options_.family;
  options_ = options;
  if (options.order > 1 && !same) terms_ = pade_terms(options.order, options.family);
}

void PadeEngine::reserve(Index rows) {
  stages_.reserve(rows);
  const Index side = 2 * rows + 3;
  const std::size_t padded = index(columns::padded(side));
  if (product_.size() >= padded) return;
  for (PaddedMatrix* m : {&matrix_, &even_, &odd_, &factor_, &scratch_, &difference_})
    m->reserve(side);
  for (PaddedMatrix& power : powers_) power.reserve(side);
  denominator_.reserve(side);
  balance_.resize(padded);
  for (std::vector<double>& column : columns_) column.resize(padded);
  product_.resize(padded);
}

EngineStatus PadeEngine::integrate(const LinearContacts& system, double step,
                                   const ContactResponse& out) {
  if (!valid_input(system, step)) return EngineStatus::bad_input;
  reserve(system.rows);
  if (options_.order == 1) return integrate_in_pieces(system, step, out);
  fill_state_matrix(system, step);
  if (options_.balancing) balance();
  const double size = norm();
  if (!std::isfinite(size)) return EngineStatus::not_finite;
  squarings_ = pade_squarings(size, reach());
  augment(system, step);
  if (!fill_approximant()) return EngineStatus::not_converged;
  start_columns(system, step);
  // Products of a matrix with three columns twice per application, against squares of a matrix.
  const bool few = squarings_ < 8 && 6 * (1 << squarings_) < (squarings_ + 1) * matrix_.size();
  few ? apply_repeatedly() : apply_squared();
  read_columns(system, step, out);
  return finite_response(out) ? EngineStatus::solved : EngineStatus::not_finite;
}

double PadeEngine::reach() const {
  return options_.scaling ? pade_reach(options_.order, options_.family, options_.tolerance)
                          : options_.norm_limit;
}

EngineStatus PadeEngine::integrate_in_pieces(const LinearContacts& system, double step,
                                             const ContactResponse& out) {
  const double size = state_norm_bound(system, step);
  if (!std::isfinite(size)) return EngineStatus::not_finite;
  squarings_ = pade_squarings(size, reach());
  if (!options_.scaling) squarings_ = std::min(squarings_, most_stable_halvings);
  if (squarings_ > most_halvings) return EngineStatus::not_converged;
  return stages_.integrate(system, step, options_.family, 1 << squarings_, out);
}

void PadeEngine::fill_state_matrix(const LinearContacts& system, double step) {
  const Index rows = system.rows;
  states_ = 2 * rows;
  matrix_.resize(states_ + 3);
  for (Index j = 0; j < rows; ++j) {
    matrix_(j, rows + j) = 1.0;
    const double* upsilon = system.upsilon + j * system.stride;
    const double spring = -step * step * system.stiffness[index(j)];
    const double damper = -step * system.damping[index(j)];
    for (Index i = 0; i < rows; ++i) {
      matrix_(rows + i, j) = spring * upsilon[i];
      matrix_(rows + i, rows + j) = damper * upsilon[i];
    }
  }
  std::fill_n(balance_.data(), states_, 1.0);
}

/// A ← D⁻¹ A D with powers of two, until no row and column differ by much in the 1-norm.
void PadeEngine::balance() {
  constexpr int most_sweeps = 32;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    if (!balance_once()) return;
  }
}

bool PadeEngine::balance_once() {
  bool changed = false;
  for (Index i = 0; i < states_; ++i) {
    double column = 0.0;
    double row = 0.0;
    for (Index j = 0; j < states_; ++j) {
      if (j == i) continue;
      column += std::abs(matrix_(j, i));
      row += std::abs(matrix_(i, j));
    }
    if (!(column > 0.0 && row > 0.0) || !std::isfinite(column + row)) continue;
    // column f + row / f is least at f² = row / column.
    const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
    if (!(column * factor + row / factor < 0.95 * (column + row))) continue;
    changed = true;
    balance_[index(i)] *= factor;
    for (Index j = 0; j < states_; ++j) {
      matrix_(j, i) *= factor;
      matrix_(i, j) /= factor;
    }
  }
  return changed;
}

double PadeEngine::norm() const {
  double largest = 0.0;
  for (Index j = 0; j < states_; ++j) {
    double sum = 0.0;
    for (Index i = 0; i < states_; ++i) sum += std::abs(matrix_(i, j));
    largest = std::max(largest, sum);
    if (!std::isfinite(sum)) return sum;
  }
  return largest;
}

void PadeEngine::augment(const LinearContacts& system, double step) {
  const Index rows = system.rows;
  double force = 0.0;
  double start = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const std::size_t k = index(i);
    const double p = system.position[k] / balance_[k];
    const double w = step * system.velocity[k] / balance_[index(rows + i)];
    const double b = step * step * system.acceleration[k] / balance_[index(rows + i)];
    matrix_(rows + i, states_) = b;
    matrix_(i, states_ + 1) = p;
    matrix_(rows + i, states_ + 1) = w;
    force += std::abs(b);
    start += std::abs(p) + std::abs(w);
  }
  const double size = std::max(force, start);
  // Motion that has all but decayed must not make it infinite.
  scaling_ = size > 0.0 ? std::exp2(std::clamp(-std::round(std::log2(size)), -500.0, 500.0)) : 1.0;
  for (Index i = 0; i < states_; ++i) {
    matrix_(i, states_) *= scaling_;
    matrix_(i, states_ + 1) *= scaling_;
  }
  matrix_(states_, states_ + 1) = 1.0;
  matrix_(states_ + 1, states_ + 2) = 1.0;
  if (squarings_ > 0) matrix_.scale(std::exp2(-squarings_));
}

/// The state is (x; scaling⁻¹ y), so that y counts as itself.
void PadeEngine::start_columns(const LinearContacts& system, double step) {
  for (std::vector<double>& column : columns_) std::fill(column.begin(), column.end(), 0.0);
  const Index rows = system.rows;
  for (Index i = 0; i < rows; ++i) {
    const std::size_t k = index(i);
    const std::size_t rate = index(rows + i);
    columns_[0][k] = system.position[k] / balance_[k];
    columns_[0][rate] = step * system.velocity[k] / balance_[rate];
  }
  for (std::size_t k = 0; k < 3; ++k) columns_[k][index(states_) + k] = 1.0 / scaling_;
}

/// x ← x + R x with R = D⁻¹ (N − D), because N/D itself would hide what a small step changes.
void PadeEngine::apply_repeatedly() {
  for (std::vector<double>& column : columns_) {
    for (int k = 0; k < 1 << squarings_; ++k) {
      difference_.multiply(column.data(), product_.data());
      denominator_.solve(product_.data());
      columns::add_scaled(0, difference_.stride(), 1.0, product_.data(), column.data());
    }
  }
}

/// (I + R)² = I + (2R + R²).
void PadeEngine::apply_squared() {
  for (Index j = 0; j < difference_.size(); ++j) denominator_.solve(difference_.column(j));
  for (int k = 0; k < squarings_; ++k) {
    scratch_.set_product(difference_, difference_);
    scratch_.add(2.0, difference_);
    difference_.swap(scratch_);
  }
  for (std::vector<double>& column : columns_) {
    difference_.multiply(column.data(), product_.data());
    columns::add_scaled(0, difference_.stride(), 1.0, product_.data(), column.data());
  }
}

void PadeEngine::read_columns(const LinearContacts& system, double step,
                              const ContactResponse& out) const {
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    const std::size_t rate = index(system.rows) + i;
    const double K = system.stiffness[i] * balance_[i];
    const double B = system.damping[i] * balance_[rate] / step;
    out.average[i] = -K * columns_[1][i] - B * columns_[1][rate];                 // [EXP] (23)
    out.double_average[i] = -2.0 * (K * columns_[2][i] + B * columns_[2][rate]);  // [EXP] (25)
    if (out.end_position.empty()) continue;
    out.end_position[i] = balance_[i] * columns_[0][i];
    out.end_velocity[i] = balance_[rate] * columns_[0][rate] / step;
  }
}

}  // namespace stiction
