#include "stiction/solver/convex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/solver/warm_start.hpp"

namespace stiction {

namespace {

/// Steps of the power iteration. If L is still too small, the gradient steps correct it.
constexpr int power_steps = 12;

/// How often one gradient step may increase L.
constexpr int most_corrections = 8;

/// Smaller steps, relative to the impulses, are too inexact to measure a curvature.
constexpr double measurable_step = 1e-7;

using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;

Vector view(std::span<double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
ConstVector view(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
std::span<double> span(Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

std::string_view ConvexSolver::refusal(const ContactProblem& problem,
                                       const SolverOptions& options) const {
  if (problem.has_turns()) return "does not support torsional and rolling friction";
  return options.law == Law::convex ? "" : "supports the convex law only";
}

ConvexSolver::Outcome ConvexSolver::run(const ContactProblem& problem, const SolverOptions& options,
                                        std::span<double> impulses) {
  if (options.warm_start) forget_absurd_start(problem, judge(), impulses);
  begin(problem, options, {.iterations = 20000, .without_gain = 4000}, impulses);
  start(problem, impulses);
  for (int k = 1;; ++k) {
    const double step = gradient_step(problem, impulses);
    if (ended(k, step)) break;
    extrapolate(impulses, options.convex.restart);
  }
  return finish();
}

void ConvexSolver::start(const ContactProblem& problem, std::span<double> impulses) {
  const Eigen::Index rows = problem.row_count();
  for (Eigen::VectorXd* v : {&scale_, &inverse_, &before_, &extrapolated_, &velocity_,
                             &velocity_before_, &extrapolated_velocity_}) {
    v->resize(rows);
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const double mean = problem.diagonal_block(i).trace() / block.rows;
    const bool moves = mean > 0.0 && !judge().skips(i);
    scale_.segment(block.row, block.rows).setConstant(moves ? 1.0 / mean : 0.0);
    inverse_.segment(block.row, block.rows).setConstant(moves ? mean : 0.0);
  }
  estimate_curvature(problem);
  view(impulses).array() *= scale_.array() * inverse_.array();  // zero where nothing moves
  project(problem, impulses);
  problem.multiply(impulses, span(velocity_));
  before_ = view(impulses);
  extrapolated_ = view(impulses);
  velocity_before_ = velocity_;
  extrapolated_velocity_ = velocity_;
  momentum_ = 1.0;
}

/// Largest eigenvalue of S^½ G S^½ by power iteration on S G, from below.
void ConvexSolver::estimate_curvature(const ContactProblem& problem) {
  // A fixed start with a component of every eigenvector.
  for (Eigen::Index row = 0; row < before_.size(); ++row) {
    before_[row] = scale_[row] * (1.0 + 0.37 * static_cast<double>(row * 7 % 11));
  }
  curvature_ = 1.0;  // the largest is never below the mean
  for (int k = 0; k < power_steps; ++k) {
    const double size = before_.cwiseAbs2().dot(inverse_);
    if (!(size > 0.0) || !std::isfinite(size)) return;
    before_ /= std::sqrt(size);
    problem.multiply(span(before_), span(velocity_));
    curvature_ = std::max(curvature_, before_.dot(velocity_));
    before_ = scale_.cwiseProduct(velocity_);
  }
}

/// x ← projection of y − S g/L. Returns the length of the step, measured as the natural residual
/// [N·s].
double ConvexSolver::gradient_step(const ContactProblem& problem, std::span<double> impulses) {
  Vector x = view(impulses);
  for (int correction = 0;; ++correction) {
    x.array() = extrapolated_.array() -
                scale_.array() / curvature_ *
                    (extrapolated_velocity_.array() + problem.shifted_velocity().array());
    project(problem, impulses);
    problem.multiply(impulses, span(velocity_));
    const double square = (x - extrapolated_).cwiseAbs2().dot(inverse_);
    const double energy = (x - extrapolated_).dot(velocity_ - extrapolated_velocity_);
    if (!std::isfinite(square + energy)) return std::numeric_limits<double>::quiet_NaN();
    const double whole = x.cwiseAbs2().dot(inverse_);
    const bool measurable = square > measurable_step * measurable_step * whole;
    if (!measurable || energy <= 1.0001 * curvature_ * square || correction == most_corrections) {
      break;
    }
    curvature_ = 1.1 * energy / square;
  }
  double largest = 0.0;
  for (const Block& block : problem.blocks()) {
    largest = std::max(largest, (x - extrapolated_).segment(block.row, block.rows).squaredNorm());
  }
  return curvature_ * std::sqrt(largest);
}

void ConvexSolver::project(const ContactProblem& problem, std::span<double> impulses) const {
  for (const Block& block : problem.blocks()) stiction::project(block, impulses.data() + block.row);
}

/// y ← x + β (x − x before), or x where the momentum points uphill.
void ConvexSolver::extrapolate(std::span<const double> impulses, bool restart) {
  const ConstVector x = view(impulses);
  const double uphill =
      ((extrapolated_ - x).array() * (x - before_).array() * inverse_.array()).sum();
  double beta = 0.0;
  if (restart && uphill > 0.0) {
    momentum_ = 1.0;
  } else {
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
    beta = (momentum_ - 1.0) / next;
    momentum_ = next;
  }
  extrapolated_ = x + beta * (x - before_);
  extrapolated_velocity_ = velocity_ + beta * (velocity_ - velocity_before_);
  before_ = x;
  velocity_before_.swap(velocity_);
}

}  // namespace stiction
