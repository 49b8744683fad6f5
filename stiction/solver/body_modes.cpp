#include "stiction/solver/body_modes.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

/// ρ: initial value and bounds.
constexpr double first_rho = 1e-3;
constexpr double smallest_rho = 1e-6;
constexpr double largest_rho = 1.0;
/// The residual falls, and ρ with it, if the merit is below the first multiple of the one before.
/// It grows if it is above the second.
constexpr double falling = 0.25;
constexpr double growing = 1.3;
constexpr double rho_fall = 0.3;
constexpr double rho_growth = 20.0;
/// Else loads wander: a step should move them by this fraction of the largest; most change of ρ.
constexpr double wanted_move = 0.1;
constexpr double largest_fall = 0.01;

double length_of(const double* y) { return std::sqrt(fma(y[1], y[1], y[0] * y[0])); }

}  // namespace

void BodyModes::start(BodyEquations& equations, std::span<const double> impulses, int patience) {
  patience_ = patience;
  equations_ = &equations;
  for (Vector* v : {&next_, &clipped_, &w_, &dw_, &row_stiffness_}) v->resize(equations.rows());
  for (Vector* v : {&z_, &dz_}) v->resize(equations.unknowns());
  stiffness_.resize(equations.parts().size());
  impulses_.assign(impulses.begin(), impulses.end());
  for (const Part& part : equations.parts()) {
    if (part.skipped) std::fill_n(impulses_.begin() + part.row, part.rows, 0.0);
  }
  rho_ = first_rho;
  without_gain_ = 0;
  now_ = least_ = measure();
  best_ = impulses_;
}

/// w of the impulses, and how far they are from the natural map.
BodyModes::Error BodyModes::measure() {
  equations_->apply(impulses_, z_);
  const std::span<const double> free = equations_->free_velocity();
  Error error;
  const auto note = [&error](double R, double e) {
    error.residual = std::max(error.residual, std::abs(e));
    error.merit = fma(R * e, e, error.merit);
  };
  for (std::size_t i = 0; i < equations_->parts().size(); ++i) {
    const Part& part = equations_->parts()[i];
    double* w = w_.data() + part.row;
    equations_->read(part, z_, w);
    for (int k = 0; k < part.rows; ++k) w[k] += free[index(part.row + k)];
    if (part.skipped) continue;
    const double* impulse = impulses_.data() + part.row;
    const double r = 1.0 / part.R;
    if (!part.cone) {
      const Block& block = equations_->block(i);
      for (int k = 0; k < part.rows; ++k) {
        note(part.R, impulse[k] - project_row(block, fnma(r, w[k], impulse[k])));
      }
      continue;
    }
    const double y[2] = {fnma(r, w[0], impulse[0]), fnma(r, w[1], impulse[1])};
    const double normal = std::max(0.0, fnma(r, w[2], impulse[2]));
    const double bound = part.friction * normal;
    const double length = length_of(y);
    const double scale = length > bound ? bound / length : 1.0;
    note(part.R, fnma(scale, y[0], impulse[0]));
    note(part.R, fnma(scale, y[1], impulse[1]));
    note(part.R, impulse[2] - normal);
  }
  return error;
}

/// K of a block, and its next impulse if no velocity changed.
void BodyModes::guess(std::size_t i) {
  const Part& part = equations_->parts()[i];
  Stiffness& K = stiffness_[i];
  K.kind = Stiffness::Kind::none;
  double* next = next_.data() + part.row;
  std::fill_n(next, part.rows, 0.0);
  if (part.skipped) return;
  const double* w = w_.data() + part.row;
  const double* impulse = impulses_.data() + part.row;
  if (part.cone) {
    guess_contact(part, w, impulse, K, next);
  } else {
    guess_rows(part, equations_->block(i), w, impulse, K, next);
  }
}

void BodyModes::guess_rows(const Part& part, const Block& block, const double* w,
                           const double* impulse, Stiffness& K, double* next) {
  const double r = 1.0 / part.R;
  const double k = r / rho_;
  for (int row = 0; row < part.rows; ++row) {
    const double y = fnma(r, w[row], impulse[row]);
    const bool inside = is_inside(block, y);
    row_stiffness_[index(part.row + row)] = inside ? k : 0.0;
    next[row] = inside ? fnma(k, w[row], impulse[row]) : project_row(block, y);
    if (inside) K.kind = Stiffness::Kind::rows;
  }
}

void BodyModes::guess_contact(const Part& part, const double* w, const double* impulse,
                              Stiffness& K, double* next) const {
  const double r = 1.0 / part.R;
  const double k = r / rho_;
  const double y[3] = {fnma(r, w[0], impulse[0]), fnma(r, w[1], impulse[1]),
                       fnma(r, w[2], impulse[2])};
  if (!(y[2] > 0.0)) return;
  const double length = length_of(y);
  const double bound = part.friction * y[2];
  next[2] = fnma(k, w[2], impulse[2]);
  K.k = k;
  if (length <= bound) {
    K.kind = Stiffness::Kind::stick;
    next[0] = fnma(k, w[0], impulse[0]);
    next[1] = fnma(k, w[1], impulse[1]);
    return;
  }
  K.kind = Stiffness::Kind::slip;
  K.friction = part.friction;
  K.x = y[0] / length;
  K.y = y[1] / length;
  // Across the slip, friction turns with the velocity; where it hardly slips, it sticks instead.
  const double sliding = r * bound / (length - bound);
  const bool turns = sliding < k;
  K.across = turns ? sliding : k;
  double across = -K.across * fma(K.x, w[1], -K.y * w[0]);
  if (!turns) across += fma(K.x, impulse[1], -K.y * impulse[0]);
  const double along = part.friction * next[2];
  next[0] = fma(K.x, along, -K.y * across);
  next[1] = fma(K.y, along, K.x * across);
}

/// Solves for the guess.
bool BodyModes::move() {
  for (std::size_t i = 0; i < stiffness_.size(); ++i) guess(i);
  equations_->apply(next_, dz_);
  for (std::size_t k = 0; k < dz_.size(); ++k) dz_[k] -= z_[k];
  if (!equations_->solve(stiffness_, row_stiffness_, dz_)) return false;
  equations_->read(dz_, dw_);
  for (std::size_t i = 0; i < stiffness_.size(); ++i) {
    const Part& part = equations_->parts()[i];
    const std::size_t row = index(part.row);
    BodyEquations::respond(part, stiffness_[i], &row_stiffness_[row], &dw_[row], &next_[row]);
  }
  return true;
}

bool BodyModes::step() {
  if (!move()) return false;
  double moved = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < next_.size(); ++k) {
    moved = std::max(moved, std::abs(next_[k] - impulses_[k]));
    largest = std::max(largest, std::abs(next_[k]));
  }
  if (!std::isfinite(moved)) return false;
  impulses_.swap(next_);
  const Error before = now_;
  now_ = measure();
  if (!std::isfinite(now_.merit)) return false;
  if (now_.residual < least_.residual) {
    least_.residual = now_.residual;
    best_ = impulses_;
  }
  without_gain_ = now_.merit < falling * least_.merit ? 0 : without_gain_ + 1;
  least_.merit = std::min(least_.merit, now_.merit);
  adapt(before, moved, largest);
  return without_gain_ <= patience_;
}

void BodyModes::adapt(const Error& before, double moved, double largest) {
  if (now_.merit < falling * before.merit) {
    rho_ *= rho_fall;
  } else if (now_.merit > growing * before.merit) {
    rho_ *= rho_growth;
  } else {
    const double wanted = rho_ * moved / (wanted_move * largest);
    rho_ = std::clamp(wanted, largest_fall * rho_, rho_);
  }
  rho_ = std::clamp(rho_, smallest_rho, largest_rho);
}

std::span<const double> BodyModes::clipped(const Vector& impulses) {
  clipped_ = impulses;
  for (const Block& block : equations_->problem().blocks()) {
    clip(block, clipped_.data() + block.row);
  }
  return clipped_;
}

std::span<const double> BodyModes::impulses() { return clipped(impulses_); }
std::span<const double> BodyModes::best() { return clipped(best_); }

}  // namespace stiction
