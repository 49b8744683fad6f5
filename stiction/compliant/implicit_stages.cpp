#include "stiction/compliant/implicit_stages.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/compliant/columns.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

using columns::Index;

namespace {

constexpr double decaying_gamma = 0.29289321881345247560;  // 1 − √½

}  // namespace

void ImplicitStages::reserve(Index rows) {
  factor_.reserve(rows);
  const std::size_t side = index(columns::padded(rows));
  if (softness_.size() >= side) return;
  for (std::vector<double>* v : {&softness_, &position_, &velocity_, &first_, &second_, &change_,
                                 &average_, &double_average_}) {
    v->resize(side);
  }
  base_.resize(2 * side);
}

EngineStatus ImplicitStages::integrate(const LinearContacts& system, double step, PadeFamily family,
                                       int pieces, const ContactResponse& out) {
  const std::size_t rows = index(system.rows);
  reserve(system.rows);
  const double piece = step / pieces;
  const bool trapezoid = family == PadeFamily::diagonal;
  if (!factorize(system, piece, trapezoid ? 0.5 : decaying_gamma)) {
    return EngineStatus::not_converged;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    position_[i] = system.position[i];
    velocity_[i] = piece * system.velocity[i];
    out.average[i] = out.double_average[i] = 0.0;
  }
  const double share = 1.0 / pieces;
  for (int k = 0; k < pieces; ++k) {
    trapezoid ? advance_trapezoid(system) : advance_decaying(system);
    // ∫∫ λ: what a piece adds to the velocity acts until the end of the step.
    const double rest = 2.0 * (pieces - 1 - k) * share * share;
    for (std::size_t i = 0; i < rows; ++i) {
      out.average[i] += share * average_[i];
      out.double_average[i] += rest * average_[i] + share * share * double_average_[i];
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (out.end_position.empty()) continue;
    out.end_position[i] = position_[i];
    out.end_velocity[i] = velocity_[i] / piece;
  }
  return finite_response(out) ? EngineStatus::solved : EngineStatus::not_finite;
}

bool ImplicitStages::factorize(const LinearContacts& system, double step, double gamma) {
  step_ = step;
  gamma_ = gamma;
  factor_.resize(system.rows);
  for (Index j = 0; j < system.rows; ++j) {
    const double* upsilon = system.upsilon + j * system.stride;
    double* column = factor_.column(j);
    for (Index i = 0; i < system.rows; ++i) column[i] = gamma * step * step * upsilon[i];
    const std::size_t row = index(j);
    softness_[row] = 1.0 / (gamma * system.stiffness[row] + system.damping[row] / step);
    column[j] += softness_[row];
  }
  return factorize_cholesky_in_place(factor_);
}

void ImplicitStages::solve_stage(const LinearContacts& system, const double* p, const double* w,
                                 double* force) {
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    force[i] = -softness_[i] * system.stiffness[i] * p[i] - w[i] -
               gamma_ * step_ * step_ * system.acceleration[i];
  }
  solve_cholesky(factor_, force);
}

void ImplicitStages::accelerate(const LinearContacts& system, const double* force,
                                double* a) const {
  const Index rows = system.rows;
  for (Index i = 0; i < rows; ++i) a[i] = system.acceleration[index(i)];
  for (Index j = 0; j < rows; ++j) {
    const double* upsilon = system.upsilon + j * system.stride;
    for (Index i = 0; i < rows; ++i) a[i] = fma(upsilon[i], force[j], a[i]);
  }
  for (Index i = 0; i < rows; ++i) a[i] *= step_ * step_;
}

void ImplicitStages::advance_trapezoid(const LinearContacts& system) {
  solve_stage(system, position_.data(), velocity_.data(), first_.data());
  accelerate(system, first_.data(), change_.data());
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    position_[i] += velocity_[i] + 0.5 * change_[i];
    velocity_[i] += change_[i];
    average_[i] = double_average_[i] = first_[i];
  }
}

/// x₁ = x₀ + (1 − γ) k₁ + γ k₂ with k = (W, h² (Υ F + c)) of each stage.
void ImplicitStages::advance_decaying(const LinearContacts& system) {
  const std::size_t rows = index(system.rows);
  const double g = gamma_;
  double* p = base_.data();
  double* w = base_.data() + rows;
  solve_stage(system, position_.data(), velocity_.data(), first_.data());
  accelerate(system, first_.data(), change_.data());
  for (std::size_t i = 0; i < rows; ++i) {
    p[i] = position_[i] + (1.0 - g) * (velocity_[i] + g * change_[i]);
    w[i] = velocity_[i] + (1.0 - g) * change_[i];
  }
  solve_stage(system, p, w, second_.data());
  accelerate(system, second_.data(), change_.data());
  for (std::size_t i = 0; i < rows; ++i) {
    velocity_[i] = w[i] + g * change_[i];
    position_[i] = p[i] + g * velocity_[i];
    average_[i] = (1.0 - g) * first_[i] + g * second_[i];
    double_average_[i] = 4.0 * g * (1.0 - g) * first_[i] + 2.0 * g * g * second_[i];
  }
}

}  // namespace stiction
