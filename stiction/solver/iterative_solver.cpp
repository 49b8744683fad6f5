#include "stiction/solver/iterative_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Smaller steps, relative to the largest impulse, are rounding; after this number of them without
/// a smaller one, the iteration has stalled.
constexpr double rounding_step = 1e-14;
constexpr int patience_at_rounding = 50;

/// A velocity below this fraction of what the block's own impulse adds to it is rounding. After
/// this number of consecutive certificates that fail because of it, no later one will succeed.
constexpr double rounding_of_velocity = 16.0 * std::numeric_limits<double>::epsilon();
constexpr int certificates_at_rounding = 3;

/// Iteration of the first regular certificate, and the ratio of the next such iteration to the
/// last.
constexpr int first_regular = 50;
constexpr double regular_growth = 1.5;

/// With a history, each of the first `dense_history` iterations is examined, later ones at
/// intervals of k / `history_fraction`.
constexpr int dense_history = 64;
constexpr int history_fraction = 16;

/// A warm start whose first step exceeds this multiple of the tolerance is not examined later.
constexpr double hopeless_start = 100.0;

}  // namespace

void IterativeSolver::begin(const ContactProblem& problem, const SolverOptions& options,
                            Patience patience, std::span<double> impulses) {
  problem_ = &problem;
  options_ = &options;
  impulses_ = impulses;
  outcome_ = {};
  limit_ = options.max_iterations > 0 ? options.max_iterations : patience.iterations;
  without_gain_ = patience.without_gain;
  by_certificate_ = patience.by_certificate;
  history_offset_ = patience.history_offset;
  sweep_work_ = sweep_work(problem);
  next_regular_ = first_regular;
  examined_at_ = 0;
  best_step_at_ = 0;
  step_then_ = last_step_ = best_step_ = best_residual_ = last_residual_ = infinity;
  best_.resize(impulses.size());
  at_rounding_ = 0;
  keeps_start_ = options.warm_start && patience.by_certificate;
  if (keeps_start_) start_.assign(impulses.begin(), impulses.end());
}

bool IterativeSolver::ended(int k, double step) {
  outcome_.iterations = k;
  count_work(sweep_work_);
  const double relative = step / judge().scales(impulses_).impulse;
  if (!(relative < infinity)) {
    outcome_.status = SolverStatus::breakdown;
    return true;
  }
  if (k == 1 && relative > hopeless_start * options_->tolerance) keeps_start_ = false;
  if (is_due(k, relative) && examine(k) && by_certificate_) {
    outcome_.status = SolverStatus::certified;
    return true;
  }
  if (has_stalled(k, relative) || at_rounding_ >= certificates_at_rounding) {
    outcome_.status = SolverStatus::stalled;
    return true;
  }
  if (k >= limit_) {
    outcome_.status = SolverStatus::iteration_limit;
    return true;
  }
  if (const std::optional<SolverStatus> limit = limit_reached()) {
    outcome_.status = *limit;
    return true;
  }
  return false;
}

void IterativeSolver::end(int k, SolverStatus status) {
  outcome_.iterations = k;
  outcome_.status = status;
}

bool IterativeSolver::certified_between(int k, int steps) {
  history_offset_ += steps;
  if (!examine(k)) return false;
  end(k, SolverStatus::certified);
  return true;
}

IterativeSolver::Outcome IterativeSolver::finish() {
  if (outcome_.status == SolverStatus::certified) return outcome_;
  if (examined_at_ != outcome_.iterations && examine(outcome_.iterations)) {
    outcome_.status = SolverStatus::certified;
    return outcome_;
  }
  if (keeps_start_) examine_start();
  if (outcome_.status == SolverStatus::iteration_limit && at_rounding_ > 0) {
    outcome_.status = SolverStatus::stalled;
  }
  if (best_residual_ < last_residual_) std::ranges::copy(best_, impulses_.begin());
  return outcome_;
}

/// Examines the warm start, which is only worth it if the iteration failed. A start that is not
/// certified is dropped, even if its residual is smaller: unfinished sweeps have already carried
/// the weight of a stack some of the way down.
void IterativeSolver::examine_start() {
  if (!judge().certifies(options_->law, start_, options_->tolerance)) return;
  best_residual_ = 0.0;
  best_.swap(start_);
  outcome_.status = SolverStatus::certified;
}

/// Asks the judge. Returns whether the tolerance is met.
bool IterativeSolver::examine(int k) {
  const Certificate& certificate = judge().examine(options_->law, impulses_);
  count_work(sweep_work_);
  examined_at_ = k;
  last_residual_ = certificate.residual();
  record(history_offset_ + k, last_residual_);
  if (certificate.certified(options_->tolerance)) return true;
  at_rounding_ = rests_to_rounding(certificate.worst_block) ? at_rounding_ + 1 : 0;
  if (last_residual_ < best_residual_) {
    best_residual_ = last_residual_;
    std::ranges::copy(impulses_, best_.begin());
  }
  return false;
}

/// Whether a block moved only by the rounding of Gλ at the last certificate. Then its law residual,
/// which may be large if the block is ill-conditioned, is rounding too.
bool IterativeSolver::rests_to_rounding(int i) {
  if (i < 0) return false;
  const Block& block = problem_->blocks()[index(i)];
  double velocity = 0.0;
  double impulse = 0.0;
  for (int row = block.row; row < block.row + block.rows; ++row) {
    velocity = std::max(velocity, std::abs(judge().velocity()[index(row)]));
    impulse = std::max(impulse, std::abs(impulses_[index(row)]));
  }
  return velocity <= rounding_of_velocity * problem_->diagonal_block(i).trace() * impulse;
}

/// Whether to ask for a certificate now. Steps shrink by about the same factor each time, so the
/// next step, which the law residual measures, can be predicted.
bool IterativeSolver::is_due(int k, double step) {
  const double rate = last_step_ < infinity ? std::min(1.0, step / last_step_) : 1.0;
  last_step_ = step;
  if (keeps_history() &&
      (k <= dense_history || k - examined_at_ >= std::max(1, k / history_fraction))) {
    return true;
  }
  if (!by_certificate_) return false;
  if (step == 0.0 || (rate * step <= options_->tolerance && step < 0.5 * step_then_)) {
    step_then_ = step;
    return true;
  }
  if (k >= next_regular_) {
    next_regular_ = static_cast<int>(regular_growth * k);
    return true;
  }
  return false;
}

bool IterativeSolver::has_stalled(int k, double step) {
  if (step == 0.0) return true;
  if (step < 0.9 * best_step_) {
    best_step_ = step;
    best_step_at_ = k;
  }
  return k - best_step_at_ >= (best_step_ < rounding_step ? patience_at_rounding : without_gain_);
}

}  // namespace stiction
