#include "stiction/solver/lcp_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/core/index.hpp"
#include "stiction/core/random.hpp"

namespace stiction {

namespace {

constexpr int attempts_at_most = 8;
constexpr int steps_per_attempt = 100;
constexpr int halvings = 40;

/// Armijo's constant: the fraction of the predicted decrease that is sufficient.
constexpr double sufficient_decrease = 1e-4;

/// Bounds of the Levenberg-Marquardt term's factor, and its floor relative to a unit matrix.
constexpr double least_damping = 1e-8;
constexpr double first_damping = 1e-2;
constexpr double largest_damping = 1e6;
constexpr double least_shift = 1e-14;

/// τ falls by this factor each time, and to zero from the last.
constexpr double smoothing_factor = 0.1;
constexpr double last_smoothing = 1e-10;

/// √(a² + b² + 2τ).
double radius(double a, double b, double smoothing) {
  return std::sqrt(a * a + b * b + 2.0 * smoothing);
}

/// Vanishes where a, b ≥ 0 and ab = τ.
double fischer_burmeister(double a, double b, double smoothing) {
  const double r = radius(a, b, smoothing);
  // Without cancellation where both are positive: a + b − r = 2(ab − τ)/(a + b + r).
  return a > 0.0 && b > 0.0 ? 2.0 * (a * b - smoothing) / (a + b + r) : a + b - r;
}

}  // namespace

LcpNewton::State LcpNewton::start(const LinearComplementarity& problem, std::span<const double> z,
                                  double tolerance) {
  problem_ = &problem;
  size_ = problem.size();
  tolerance_ = tolerance;
  const std::size_t n = index(size_);
  for (auto* vector : {&trial_, &w_, &clipped_, &phi_, &direction_, &gradient_}) {
    vector->resize(n);
  }
  z_.assign(z.begin(), z.end());
  best_.assign(n, 0.0);
  jacobian_.resize(n * n);
  normal_.resize(n * n);
  factor_.resize(n * n);
  best_residual_ = std::numeric_limits<double>::infinity();
  attempt_ = 0;
  smoothing_ = 0.0;
  state_ = State::running;
  begin_attempt();
  return state_;
}

void LcpNewton::begin_attempt() {
  steps_ = 0;
  damping_ = first_damping;
  merit_ = evaluate(z_);
  judge_iterate();
}

/// Restarts with a smoothed Φ, first at z = 1, then at seeded random numbers of growing size.
void LcpNewton::next_attempt() {
  if (attempt_ + 1 >= attempts_at_most) {
    state_ = State::stalled;
    return;
  }
  ++attempt_;
  Random random(static_cast<std::uint64_t>(attempt_));
  const double size = std::ldexp(1.0, attempt_ - 2);
  for (double& value : z_) value = attempt_ == 1 ? 1.0 : size * random.uniform();
  smoothing_ = size * size;
  begin_attempt();
}

/// Φ and w at z; returns the merit.
double LcpNewton::evaluate(std::vector<double>& z) {
  problem_->evaluate(z, w_);
  double sum = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    phi_[i] = fischer_burmeister(z[i], w_[i], smoothing_);
    sum += phi_[i] * phi_[i];
  }
  return 0.5 * sum;
}

/// Keeps z without its negative parts if that is the best so far. w stays that of z.
void LcpNewton::judge_iterate() {
  for (std::size_t i = 0; i < z_.size(); ++i) clipped_[i] = std::max(0.0, z_[i]);
  problem_->evaluate(clipped_, trial_);
  const double residual = LinearComplementarity::residual(clipped_, trial_);
  if (!(residual < best_residual_)) return;
  best_residual_ = residual;
  best_ = clipped_;
  if (residual <= tolerance_) state_ = State::solved;
}

LcpNewton::State LcpNewton::step() {
  if (state_ != State::running) return state_;
  fill_jacobian();
  const double before = merit_;
  const bool moved = find_direction() && search_along(map(gradient_).dot(map(direction_)));
  if (moved) judge_iterate();
  if (state_ != State::running) return state_;
  ++steps_;
  if (moved && lower_smoothing()) return state_;
  const bool crawls = moved && merit_ > (1.0 - 1e-10) * before;
  if (!moved || crawls || steps_ >= steps_per_attempt) next_attempt();
  return state_;
}

/// Once Φ is small against √τ, τ falls, at the end to zero; false if there is nothing to lower.
bool LcpNewton::lower_smoothing() {
  if (smoothing_ == 0.0 || steps_ >= steps_per_attempt) return false;
  if (map(phi_).cwiseAbs().maxCoeff() > 0.5 * std::sqrt(smoothing_)) return false;
  smoothing_ = smoothing_ > last_smoothing ? smoothing_factor * smoothing_ : 0.0;
  merit_ = evaluate(z_);
  return true;
}

/// V and the gradient of the merit, VᵀΦ.
void LcpNewton::fill_jacobian() {
  Eigen::Map<Matrix> V(jacobian_.data(), size_, size_);
  const auto M = problem_->M();
  map(gradient_).setZero();
  for (int i = 0; i < size_; ++i) {
    const double a = z_[index(i)], b = w_[index(i)];
    const double r = radius(a, b, smoothing_);
    // At the kink any unit vector in place of (a, b)/r gives an element of the Jacobian.
    const double da = r > 0.0 ? 1.0 - a / r : 1.0 - std::sqrt(0.5);
    const double db = r > 0.0 ? 1.0 - b / r : 1.0 - std::sqrt(0.5);
    V.row(i) = db * M.row(i);
    V(i, i) += da;
    map(gradient_) += phi_[index(i)] * V.row(i).transpose();
  }
}

/// Lower triangle of VᵀV, row after row of V, skipping its zeros.
void LcpNewton::fill_normal_matrix() {
  const Eigen::Map<const Matrix> V(jacobian_.data(), size_, size_);
  Eigen::Map<Eigen::MatrixXd> A(normal_.data(), size_, size_);
  A.setZero();
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) {
      const double factor = V(i, j);
      if (factor == 0.0) continue;
      A.col(j).tail(size_ - j) += factor * V.row(i).tail(size_ - j).transpose();
    }
  }
}

/// Cholesky factor of VᵀV + shift, column after column; false where rounding makes it indefinite.
/// Unlike Eigen's it allocates nothing.
bool LcpNewton::factorize(double shift) {
  Eigen::Map<Eigen::MatrixXd> L(factor_.data(), size_, size_);
  L = Eigen::Map<const Eigen::MatrixXd>(normal_.data(), size_, size_);
  L.diagonal().array() += shift;
  for (int j = 0; j < size_; ++j) {
    if (!(L(j, j) > 0.0)) return false;
    L(j, j) = std::sqrt(L(j, j));
    const int below = size_ - j - 1;
    L.col(j).tail(below) /= L(j, j);
    for (int k = j + 1; k < size_; ++k) {
      const double factor = L(k, j);
      if (factor != 0.0) L.col(k).tail(size_ - k) -= factor * L.col(j).tail(size_ - k);
    }
  }
  return true;
}

void LcpNewton::solve_in_place(Vector x) {
  const Eigen::Map<const Eigen::MatrixXd> L(factor_.data(), size_, size_);
  for (int j = 0; j < size_; ++j) {
    x[j] /= L(j, j);
    x.tail(size_ - j - 1) -= x[j] * L.col(j).tail(size_ - j - 1);
  }
  for (int j = size_ - 1; j >= 0; --j) {
    x[j] = (x[j] - L.col(j).tail(size_ - j - 1).dot(x.tail(size_ - j - 1))) / L(j, j);
  }
}

/// (VᵀV + ν) direction = −VᵀΦ, with ν raised until the factorization succeeds.
bool LcpNewton::find_direction() {
  fill_normal_matrix();
  for (; damping_ <= largest_damping; damping_ *= 10.0) {
    if (!factorize(std::max(least_shift, damping_ * 2.0 * merit_))) continue;
    map(direction_) = -map(gradient_);
    solve_in_place(map(direction_));
    if (map(direction_).allFinite()) return true;
  }
  return false;
}

/// Halves the step until the merit falls enough; false if it never does.
bool LcpNewton::search_along(double slope) {
  double length = 1.0;
  for (int k = 0; k < halvings; ++k, length *= 0.5) {
    map(trial_) = map(z_) + length * map(direction_);
    const double merit = evaluate(trial_);
    if (!(merit <= merit_ + sufficient_decrease * length * slope)) continue;
    z_.swap(trial_);
    merit_ = merit;
    damping_ = k == 0 ? std::max(least_damping, 0.1 * damping_) : damping_;
    if (k > 2) damping_ = std::min(largest_damping, 10.0 * damping_);
    return true;
  }
  return false;
}

}  // namespace stiction
