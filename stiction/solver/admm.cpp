#include "stiction/solver/admm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/contact/friction_cone.hpp"
#include "stiction/solver/dense_delassus.hpp"
#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int largest_row_count = 3000;  // a factor of this size takes about a second
constexpr int default_iterations = 100000;
constexpr int iterations_per_certificate = 5;

/// From this size on the limits are looked at after each iteration.
constexpr int rows_of_long_iterations = 300;

/// Ways to iterate. Each alone fails on some problems, and seldom two on the same.
struct Manner {
  bool mixing = true;
  double relaxation = 1.0;  ///< α, in (0, 2)
  double penalty = 0.1;     ///< ρ to begin with, in roots of the largest eigenvalue
};
constexpr std::array manners{Manner{true, 1.6, 0.01}, Manner{false, 1.6, 0.1},
                             Manner{true, 1.0, 0.1}, Manner{false, 1.0, 1.0}};
constexpr int first_patience = 400;
constexpr double patience_growth = 1.5;
constexpr int fruitless_manners_allowed = 2 * static_cast<int>(manners.size());
/// Below this a residual is rounding: what does not improve then never will.
constexpr double rounding_residual = 1e-13;

/// A mixed state that makes the iteration move by so much more than before was a bad guess.
constexpr double allowed_growth = 2.0;

/// A leap is this fraction of the way to where the steps would vanish if they went on to shrink as
/// they do, in steps.
constexpr double leap_fraction = 0.3;
constexpr double least_leap = 10.0;
constexpr double largest_leap = 1000.0;
constexpr int iterations_between_leaps = 20;

/// The penalty is changed when primal and dual residual are further apart than this squared, by at
/// most a factor of ten at once, and ever more rarely, for each change costs a factor.
constexpr double imbalance = 5.0;
constexpr double largest_change = 10.0;
constexpr int first_balance_interval = 20;
constexpr double balance_interval_growth = 1.2;
constexpr double least_penalty = 1e-6;  // in roots of the largest eigenvalue
constexpr double largest_penalty = 1e3;

std::size_t index(int i) { return static_cast<std::size_t>(i); }
double largest(const WorkVector& v) { return v.lpNorm<Eigen::Infinity>(); }

}  // namespace

std::string_view AdmmSolver::refusal(const ContactProblem& problem,
                                     const SolverOptions& options) const {
  if (options.law == Law::max_dissipation) return "does not know the law max_dissipation";
  if (problem.row_count() > largest_row_count) return "takes at most 3000 rows";
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
      if (!try_next_manner(iteration)) break;
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
  copy_delassus(problem, matrix_);
  matrix_.array().colwise() *= scale_.array();
  matrix_.array().rowwise() *= scale_.transpose().array();
  free_ = scale_.cwiseProduct(problem.shifted_velocity());
  const double eigenvalue = largest_eigenvalue();
  penalty_scale_ = std::sqrt(eigenvalue);
  proximal_ = options.admm.proximal * eigenvalue;
  manner_ = 0;
  penalty_ = manners[manner_].penalty * penalty_scale_;
  patience_ = first_patience;
  fruitless_manners_ = 0;
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
  skipped_.assign(index(problem_->block_count()), 0);
}

void AdmmSolver::scale_rows() {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double mean = problem_->diagonal_block(i).trace() / block.rows;
    scale_.segment(block.row, block.rows).setConstant(mean > 0.0 ? 1.0 / std::sqrt(mean) : 1.0);
    const bool immovable =
        block.kind == BlockKind::contact ? judge().factor(i).inverse_nn == 0.0 : !(mean > 0.0);
    skipped_[index(i)] = immovable ? 1 : 0;
  }
}

/// By the power method; a guess that is somewhat low does no harm.
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

/// Begins at the impulses with the multipliers that belong to their velocities.
void AdmmSolver::begin(std::span<const double> impulses) {
  problem_->multiply(impulses, candidate_);
  const auto velocity = Eigen::Map<const Eigen::VectorXd>(candidate_.data(), scale_.size());
  const auto start = Eigen::Map<const Eigen::VectorXd>(impulses.data(), scale_.size());
  // The polar part of −σ/ρ is y/ρ.
  image_ = -(scale_.cwiseProduct(velocity) + free_) / penalty_;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (block.kind == BlockKind::lock || block.kind == BlockKind::joint_friction) {
      image_.segment(block.row, block.rows).setZero();
    } else if (coulomb_ && block.kind == BlockKind::contact) {
      image_[block.row + 2] -= block.friction * image_.segment<2>(block.row).norm();
    }
    project(i, image_, cone_impulse_);
  }
  state_ = start.cwiseQuotient(scale_) + image_ - cone_impulse_;
  last_impulse_.setZero();
}

/// `stalled`, which stands for "not yet ended", unless it failed or would take too long.
SolverStatus AdmmSolver::factorize() {
  const double work = factor_work(problem_->row_count());
  if (const auto limit = limit_reached(work)) return *limit;
  count_work(work);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double penalty = block.kind == BlockKind::lock ? 0.0 : penalty_;
    shift_.segment(block.row, block.rows).setConstant(penalty + proximal_);
  }
  const bool done = factor_.factorize(matrix_, shift_);
  return done ? SolverStatus::stalled : SolverStatus::breakdown;
}

void AdmmSolver::step() {
  count_work(sweep_work(*problem_));
  const double relaxation = manners[manner_].relaxation;
  project_all();
  multiplier_ = penalty_ * (state_ - cone_impulse_);
  impulse_ = shift_.cwiseProduct(cone_impulse_) - multiplier_ - free_;
  for (const Block& block : problem_->blocks()) {
    if (!coulomb_ || block.kind != BlockKind::contact) continue;
    impulse_[block.row + 2] -= block.friction * multiplier_.segment<2>(block.row).norm();
  }
  factor_.solve_in_place(impulse_);
  image_ = state_ + relaxation * (impulse_ - cone_impulse_);
  for (const Block& block : problem_->blocks()) {
    if (block.kind != BlockKind::lock) continue;
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

void AdmmSolver::project(int i, const WorkVector& point, WorkVector& result) const {
  const Block& block = problem_->blocks()[index(i)];
  if (skipped_[index(i)] != 0) {
    result.segment(block.row, block.rows).setZero();
    return;
  }
  switch (block.kind) {
    case BlockKind::contact: {
      const FrictionCone<double> cone{block.friction};
      const Eigen::Vector3d x = point.segment<3>(block.row);
      result.segment<3>(block.row) = to_eigen(cone.project(from_eigen(x)));
      break;
    }
    case BlockKind::limit:
      result[block.row] = std::max(0.0, point[block.row]);
      break;
    case BlockKind::joint_friction: {
      const double bound = block.bound / scale_[block.row];
      result[block.row] = std::clamp(point[block.row], -bound, bound);
      break;
    }
    case BlockKind::lock:
      result.segment(block.row, block.rows) = point.segment(block.row, block.rows);
      break;
  }
}

/// Moves on to the image, or to where Anderson's mixing expects the fixed point.
void AdmmSolver::advance() {
  if (!manners[manner_].mixing) {
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

/// Plain iterations may move by almost the same step for thousands of times, towards impulses far
/// away; then many are taken at once, and what that stirs up gets some iterations to calm down.
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
    if (residual_ < 0.5 * best_residual_) fruitless_manners_ = 0;
    best_residual_ = residual_;
    best_.swap(candidate_);
  }
  return certificate.certified(options.tolerance);
}

/// Whether the residual has halved within the iterations that patience allows.
bool AdmmSolver::has_gained(int iteration) {
  if (residual_ < 0.5 * milestone_) {
    milestone_ = residual_;
    milestone_at_ = iteration;
  }
  return iteration - milestone_at_ < patience_;
}

/// False if all manners have been tried in vain. Changes the penalty otherwise.
bool AdmmSolver::try_next_manner(int iteration) {
  ++fruitless_manners_;
  if (fruitless_manners_ > fruitless_manners_allowed || best_residual_ < rounding_residual) {
    return false;
  }
  manner_ = (manner_ + 1) % manners.size();
  patience_ = static_cast<int>(patience_growth * patience_);
  milestone_ = residual_;
  milestone_at_ = iteration;
  balance_interval_ = first_balance_interval;
  next_balance_ = iteration + balance_interval_;
  change_penalty(manners[manner_].penalty * penalty_scale_);
  return true;
}

/// Whether it has changed the penalty.
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

/// Keeps z and y, so ζ = z + y/ρ changes.
void AdmmSolver::change_penalty(double penalty) {
  project_all();
  state_ = cone_impulse_ + (penalty_ / penalty) * (state_ - cone_impulse_);
  penalty_ = penalty;
  mixing_.reset();
  last_change_ = infinity;
  since_leap_ = 0;
}

}  // namespace stiction
