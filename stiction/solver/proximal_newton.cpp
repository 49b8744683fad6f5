#include "stiction/solver/proximal_newton.hpp"

#include <algorithm>

namespace stiction {

namespace {

/// The proximal term relative to R: initial value, lower bound, factor after a full step, factor
/// after a failed one.
constexpr double first_rho = 1e-3;
constexpr double least_rho = 1e-11;
constexpr double fall = 0.1;
constexpr double growth = 30.0;

/// Halvings of a step, and the fraction of the predicted decrease that is sufficient.
constexpr int halvings = 8;
constexpr double least_decrease = 1e-4;

}  // namespace

void ProximalNewton::start(const ContactProblem& problem, const Judge& judge,
                           std::span<const double> impulses, double scaling) {
  map_.open(problem, judge, scaling);
  for (WorkVector* x : {&x_, &r_, &dx_, &trial_x_, &trial_r_}) x->resize(map_.size());
  map_.point_of(impulses, x_);
  merit_ = map_.evaluate(x_, r_);
  rho_ = first_rho;
  impulses_.resize(impulses.size());
  map_.impulses_of(x_, impulses_);
}

/// (G + ρ) B, and into the factor C (G + ρ) B + E.
void ProximalNewton::multiply_out() {
  const WorkMatrix& G = map_.matrix();
  const auto count = static_cast<Eigen::Index>(freedoms_.size());
  GB_.resize(map_.size(), count);
  WorkMatrix& A = lu_.matrix(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const ImplicitMap::Freedom& freedom = freedoms_[static_cast<std::size_t>(j)];
    GB_.col(j) = freedom.along[0] * G.col(freedom.row);
    for (int k = 1; k < freedom.rows; ++k) GB_.col(j) += freedom.along[k] * G.col(freedom.row + k);
    for (int k = 0; k < freedom.rows; ++k) GB_(freedom.row + k, j) += rho_ * freedom.along[k];
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const ImplicitMap::Freedom& freedom = freedoms_[static_cast<std::size_t>(i)];
    A.row(i) = freedom.across[0] * GB_.row(freedom.row);
    for (int k = 1; k < freedom.rows; ++k) {
      A.row(i) += freedom.across[k] * GB_.row(freedom.row + k);
    }
    A(i, i) += freedom.compliance;
  }
}

/// dx of (G_ρ − 1) df − dx + r = 0 with df = B y.
bool ProximalNewton::find_direction() {
  map_.find_freedoms(x_, freedoms_);
  dx_ = r_;
  if (freedoms_.empty()) return true;
  multiply_out();
  if (!lu_.compute()) return false;
  y_.resize(static_cast<Eigen::Index>(freedoms_.size()));
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    const ImplicitMap::Freedom& freedom = freedoms_[static_cast<std::size_t>(i)];
    y_[i] = 0.0;
    for (int k = 0; k < freedom.rows; ++k) y_[i] -= freedom.across[k] * r_[freedom.row + k];
  }
  lu_.solve(y_);
  dx_.noalias() += GB_ * y_;
  for (Eigen::Index j = 0; j < y_.size(); ++j) {
    const ImplicitMap::Freedom& freedom = freedoms_[static_cast<std::size_t>(j)];
    for (int k = 0; k < freedom.rows; ++k) dx_[freedom.row + k] -= y_[j] * freedom.along[k];
  }
  return dx_.allFinite();
}

bool ProximalNewton::step() {
  if (find_direction()) {
    double length = 1.0;
    for (int k = 0; k < halvings; ++k, length *= 0.5) {
      trial_x_ = x_ + length * dx_;
      const double trial = map_.evaluate(trial_x_, trial_r_);
      if (trial >= (1.0 - least_decrease * length) * merit_) continue;
      x_.exchange(trial_x_);
      r_.exchange(trial_r_);
      merit_ = trial;
      if (length == 1.0) rho_ = std::max(least_rho, fall * rho_);
      map_.impulses_of(x_, impulses_);
      return true;
    }
  }
  rho_ *= growth;
  return false;
}

}  // namespace stiction
