#include "stiction/solver/admm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/dense_delassus.hpp"
#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int largest_row_count = 3000;  // a factor of this size takes about a second
constexpr int default_iterations = 100000;
constexpr int iterations_per_certificate = 5;

/// From this size on the limits are checked after each iteration.
constexpr int rows_of_long_iterations = 300;

/// A variant of the iteration. Each fails on some problems, but two rarely fail on the same one.
struct Variant {
  bool mixing = true;
  double relaxation = 1.0;  ///< α, in (0, 2)
  double penalty = 0.1;     ///< initial ρ, relative to the root of the largest eigenvalue
};
constexpr std::array variants{Variant{true, 1.6, 0.01}, Variant{false, 1.6, 0.1},
                              Variant{true, 1.0, 0.1}, Variant{false, 1.0, 1.0}};
constexpr int first_patience = 400;
constexpr double patience_growth = 1.5;
constexpr int most_failed_variants = 2 * static_cast<int>(variants.size());
/// A smaller residual is rounding and cannot be improved.
constexpr double rounding_residual = 1e-13;

/// A mixed state is rejected if the next step is larger than the last one by this factor.
constexpr double allowed_growth = 2.0;

/// A leap covers this fraction of the predicted distance to the fixed point. Its length is counted
/// in steps.
constexpr double leap_fraction = 0.3;
constexpr double least_leap = 10.0;
constexpr double largest_leap = 1000.0;
constexpr int iterations_between_leaps = 20;

/// The penalty changes when the ratio of primal to dual residual exceeds the square of this, by at
/// most a factor of ten at a time, and less and less often, because each change costs a
/// factorization.
constexpr double imbalance = 5.0;
constexpr double largest_change = 10.0;
constexpr int first_balance_interval = 20;
constexpr double balance_interval_growth = 1.2;
constexpr double least_penalty = 1e-6;  // relative to the root of the largest eigenvalue
constexpr double largest_penalty = 1e3;

double largest(const WorkVector& v) { return v.lpNorm<Eigen::Infinity>(); }

}  // namespace

std::string_view AdmmSolver::refusal(const ContactProblem& problem,
                                     const SolverOptions& options) const {
  if (!traits_of(options.law).solved_globally) return "supports the laws coulomb and convex only";
  if (problem.row_count() > largest_row_count) return "supports at most 3000 rows";
  if (problem.has_turns()) return "does not support torsional and rolling friction";
  return {};
}

Solver::Outcome AdmmSolver::run(const ContactProblem& problem, const SolverOptions& options,
                                std::span<double> impulses) {
  const int limit = options.max_iterations > 0 ? options.max_iterations : default_iterations;
  const int rows = problem.row_count();
  Outcome outcome;
  double start_residual = infinity;
  if (options.warm_start) {
    const Certificate start = judge().examine(options.law, impulses);
    start_residual = start.residual();
    outcome.status = start.certified(options.tolerance) ? SolverStatus::certified : outcome.status;
    if (outcome.status == SolverStatus::certified) return outcome;
  }
  if (const auto limit = limit_reached(factor_work(rows))) return {.status = *limit};
  open(problem, options);
  begin(impulses);
  outcome.status = factorize();
  while (outcome.status == SolverStatus::stalled) {
    const int iteration = ++outcome.iterations;
    step();
    const bool regular = iteration % iterations_per_certificate == 1;
    const bool looks = regular || rows > rows_of_long_iterations;
    const std::optional<SolverStatus> late = looks ? limit_reached() : std::nullopt;
    if (regular || late || iteration == limit) {
      if (examine(iteration, options))
        outcome.status = SolverStatus::certified;
      else if (late)
        outcome.status = *late;
      else if (iteration == limit)
        outcome.status = SolverStatus::iteration_limit;
      if (outcome.status != SolverStatus::stalled) break;
    }
    advance();
    bool refactor = false;
    if (!has_gained(iteration)) {
      if (!try_next_variant(iteration)) break;
      refactor = true;
    } else if (options.admm.adapt) {
      refactor = balance_penalty(iteration);
    }
    if (refactor) outcome.status = factorize();
  }
  if (best_residual_ < start_residual) std::ranges::copy(best_, impulses.begin());
  return outcome;
}

void AdmmSolver::open(const ContactProblem& problem, const SolverOptions& options) {
  problem_ = &problem;
  coulomb_ = options.law == Law::coulomb;
  resize();
  scale_rows();
  matrix_.resize(problem.row_count(), problem.row_count());
  copy_delassus(problem, matrix_);
  matrix_.array().colwise() *= scale_.array();
  matrix_.array().rowwise() *= scale_.transpose().array();
  free_ = scale_.cwiseProduct(problem.shifted_velocity());
  const double eigenvalue = largest_eigenvalue();
  penalty_scale_ = std::sqrt(eigenvalue);
  proximal_ = options.admm.proximal * eigenvalue;
  variant_ = 0;
  penalty_ = variants[variant_].penalty * penalty_scale_;
  patience_ = first_patience;
  failed_variants_ = 0;
  milestone_ = last_change_ = best_residual_ = residual_ = infinity;
  milestone_at_ = 0;
  since_leap_ = 0;
  balance_interval_ = next_balance_ = first_balance_interval;
}

void AdmmSolver::resize() {
  const Eigen::Index n = problem_->row_count();
  for (WorkVector* vector : {&scale_, &free_, &shift_, &state_, &cone_impulse_, &last_impulse_,
                             &multiplier_, &impulse_, &image_, &mixed_, &fallback_}) {
    vector->resize(n);
  }
  mixing_.resize(n);
  best_.assign(index(problem_->row_count()), 0.0);
  candidate_.resize(best_.size());
}

void AdmmSolver::scale_rows() {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double mean = problem_->diagonal_block(i).trace() / block.rows;
    scale_.segment(block.row, block.rows).setConstant(mean > 0.0 ? 1.0 / std::sqrt(mean) : 1.0);
  }
}

/// By the power method. An estimate that is slightly too low does no harm.
double AdmmSolver::largest_eigenvalue() {
  constexpr int steps = 20;
  double eigenvalue = 1.0;
  image_.setOnes();
  for (int k = 0; k < steps; ++k) {
    const double length = image_.norm();
    if (!(length > 0.0)) break;
    mixed_ = image_ / length;
    image_.noalias() = matrix_ * mixed_;
    eigenvalue = std::max(1e-3, image_.norm());
  }
  return eigenvalue;
}

/// Starts at the impulses and the multipliers that follow from their velocities.
void AdmmSolver::begin(std::span<const double> impulses) {
  problem_->multiply(impulses, candidate_);
  const auto velocity = Eigen::Map<const Eigen::VectorXd>(candidate_.data(), scale_.size());
  const auto start = Eigen::Map<const Eigen::VectorXd>(impulses.data(), scale_.size());
  // The polar part of −σ/ρ is y/ρ.
  image_ = -(scale_.cwiseProduct(velocity) + free_) / penalty_;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (!is_one_sided(block)) {
      image_.segment(block.row, block.rows).setZero();
    } else if (coulomb_ && has_cone(block)) {
      image_[block.row + 2] -= block.friction * image_.segment<2>(block.row).norm();
    }
    project(i, image_, cone_impulse_);
  }
  state_ = start.cwiseQuotient(scale_) + image_ - cone_impulse_;
  last_impulse_.setZero();
}

/// Returns `stalled`, which here means "not ended yet", unless it failed or would take too long.
SolverStatus AdmmSolver::factorize() {
  const double work = factor_work(problem_->row_count());
  if (const auto limit = limit_reached(work)) return *limit;
  count_work(work);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double penalty = is_bilateral(block) ? 0.0 : penalty_;
    shift_.segment(block.row, block.rows).setConstant(penalty + proximal_);
  }
  const bool done = factor_.factorize(matrix_, shift_);
  return done ? SolverStatus::stalled : SolverStatus::breakdown;
}

void AdmmSolver::step() {
  count_work(sweep_work(*problem_));
  const double relaxation = variants[variant_].relaxation;
  project_all();
  multiplier_ = penalty_ * (state_ - cone_impulse_);
  impulse_ = shift_.cwiseProduct(cone_impulse_) - multiplier_ - free_;
  for (const Block& block : problem_->blocks()) {
    if (!coulomb_ || !has_cone(block)) continue;
    impulse_[block.row + 2] -= block.friction * multiplier_.segment<2>(block.row).norm();
  }
  factor_.solve_in_place(impulse_);
  image_ = state_ + relaxation * (impulse_ - cone_impulse_);
  for (const Block& block : problem_->blocks()) {
    if (!is_bilateral(block)) continue;
    image_.segment(block.row, block.rows) = impulse_.segment(block.row, block.rows);
  }
  measure();
}

void AdmmSolver::measure() {
  constexpr double tiny = std::numeric_limits<double>::min();
  mixed_ = impulse_ - cone_impulse_;
  primal_residual_ = largest(mixed_) / std::max({largest(impulse_), largest(cone_impulse_), tiny});
  mixed_ = cone_impulse_ - last_impulse_;
  dual_residual_ =
      penalty_ * largest(mixed_) / std::max({largest(multiplier_), largest(free_), tiny});
  last_impulse_ = cone_impulse_;
}

void AdmmSolver::project_all() {
  for (int i = 0; i < problem_->block_count(); ++i) project(i, state_, cone_impulse_);
}

void AdmmSolver::project(int i, const WorkVector& point, WorkVector& result) {
  const Block& block = problem_->blocks()[index(i)];
  double* impulse = result.data() + block.row;
  if (judge().skips(i)) {
    std::fill_n(impulse, block.rows, 0.0);
    return;
  }
  std::copy_n(point.data() + block.row, block.rows, impulse);
  stiction::project(in_unit(block, scale_[block.row]), impulse);
}

/// Continues at the image, or at the fixed point that Anderson's mixing predicts.
void AdmmSolver::advance() {
  if (!variants[variant_].mixing) {
    leap();
    return;
  }
  mixed_ = image_ - state_;
  const double change = mixed_.norm();
  if (!(change <= allowed_growth * last_change_)) {
    state_ = fallback_;
    mixing_.reset();
    last_change_ = infinity;
    return;
  }
  last_change_ = change;
  fallback_ = image_;
  mixing_.mix(state_, image_, mixed_);
  state_.exchange(mixed_);
}

/// Plain iterations may repeat almost the same step thousands of times towards distant impulses.
/// Then many steps are taken at once, and some iterations follow before the next leap.
void AdmmSolver::leap() {
  image_ -= state_;
  mixed_ = image_ - fallback_;
  double steps = 1.0;
  if (++since_leap_ > iterations_between_leaps) {
    const double length = std::min(largest_leap, leap_fraction * image_.norm() / mixed_.norm());
    if (length > least_leap) {
      steps = length;
      since_leap_ = 0;
    }
  }
  state_ += steps * image_;
  fallback_.exchange(image_);
}

bool AdmmSolver::examine(int iteration, const SolverOptions& options) {
  for (std::size_t row = 0; row < candidate_.size(); ++row) {
    const Eigen::Index i = static_cast<Eigen::Index>(row);
    candidate_[row] = cone_impulse_[i] * scale_[i];
  }
  const Certificate certificate = judge().examine(options.law, candidate_);
  residual_ = certificate.residual();
  record(iteration, residual_);
  if (residual_ < best_residual_) {
    if (residual_ < 0.5 * best_residual_) failed_variants_ = 0;
    best_residual_ = residual_;
    best_.swap(candidate_);
  }
  return certificate.certified(options.tolerance);
}

/// Whether the residual was halved within the last `patience_` iterations.
bool AdmmSolver::has_gained(int iteration) {
  if (residual_ < 0.5 * milestone_) {
    milestone_ = residual_;
    milestone_at_ = iteration;
  }
  return iteration - milestone_at_ < patience_;
}

/// Changes the variant and the penalty. False if all variants have failed.
bool AdmmSolver::try_next_variant(int iteration) {
  ++failed_variants_;
  if (failed_variants_ > most_failed_variants || best_residual_ < rounding_residual) {
    return false;
  }
  variant_ = (variant_ + 1) % variants.size();
  patience_ = static_cast<int>(patience_growth * patience_);
  milestone_ = residual_;
  milestone_at_ = iteration;
  balance_interval_ = first_balance_interval;
  next_balance_ = iteration + balance_interval_;
  change_penalty(variants[variant_].penalty * penalty_scale_);
  return true;
}

/// Returns whether the penalty was changed.
bool AdmmSolver::balance_penalty(int iteration) {
  if (iteration < next_balance_) return false;
  balance_interval_ = static_cast<int>(balance_interval_growth * balance_interval_) + 1;
  next_balance_ = iteration + balance_interval_;
  const double ratio = std::sqrt(primal_residual_ / dual_residual_);
  if (!(ratio > imbalance || ratio < 1.0 / imbalance)) return false;
  const double wanted = penalty_ * std::clamp(ratio, 1.0 / largest_change, largest_change);
  const double penalty =
      std::clamp(wanted, least_penalty * penalty_scale_, largest_penalty * penalty_scale_);
  if (penalty == penalty_) return false;
  change_penalty(penalty);
  return true;
}

/// Keeps z and y, so that ζ = z + y/ρ changes.
void AdmmSolver::change_penalty(double penalty) {
  project_all();
  state_ = cone_impulse_ + (penalty_ / penalty) * (state_ - cone_impulse_);
  penalty_ = penalty;
  mixing_.reset();
  last_change_ = infinity;
  since_leap_ = 0;
}

}  // namespace stiction
