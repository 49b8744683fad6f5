/// \file
/// The stages of `hybrid` for many free bodies.

#include <algorithm>
#include <limits>

#include "stiction/solver/hybrid.hpp"

namespace stiction {

namespace {

/// The methods through bodies: their work altogether.
constexpr double most_body_work = 4e9;
/// Where dense stages follow, the methods through bodies start only so many times.
constexpr std::size_t starts_before_dense = 3;
/// BodyModes: steps at most.
constexpr int most_mode_steps = 200;
/// Loads wander through large heaps: for each of so many bodies there is one more sweep.
constexpr int bodies_of_a_sweep = 20;
/// BodyModes has patience for so many steps, and one more for each of so many bodies.
constexpr int least_patience = 40;
constexpr int bodies_of_patience = 2;
/// BodyNewton: its own residual must be below this multiple of the goal before the judge is asked.
constexpr double nearly_solved = 100.0;

}  // namespace

constexpr HybridSolver::BodyStart HybridSolver::body_starts[] = {
    {{5, 10}, 150},    {{100, 100}, 300}, {{300, 300}, 300},
    {{100, 100}, 300}, {{200, 200}, 300}, {{300, 300}, 300}};

/// A few sweeps, which solve what is easy and smooth the start; then Newton's method with guessed
/// modes, and the proximal points for what it does not solve. If all fail, more sweeps, which lead
/// away from where they ended, and the same again.
bool HybridSolver::solved_by_bodies(const ContactProblem& problem, const SolverOptions& options,
                                    std::span<double> impulses) {
  double least = std::numeric_limits<double>::infinity();
  double work_left = most_body_work;
  const auto keep_better = [&] {
    const double residual = judge().examine(options.law, impulses).residual();
    if (!(residual < least)) return;
    least = residual;
    std::ranges::copy(impulses, kept_.begin());
  };
  kept_.assign(impulses.begin(), impulses.end());
  bool started = false;
  const bool dense_follows = problem.row_count() <= cheap_island;
  const std::size_t starts = dense_follows ? starts_before_dense : std::size(body_starts);
  for (const BodyStart& start : std::span(body_starts).first(starts)) {
    const int more = problem.body_count() / bodies_of_a_sweep;
    const Sweeping sweeping{start.sweeping.least + more, start.sweeping.most + 2 * more};
    const Outcome outcome = sweep(problem, options, impulses, sweeping);
    if (outcome.status == SolverStatus::certified) return true;
    keep_better();
    if (exhausted()) break;
    const int patience = least_patience + problem.body_count() / bodies_of_patience;
    if (!started) equations_.start(problem, judge());
    started = true;
    if (finished_by_modes_of_bodies(options, patience, work_left, impulses)) return true;
    keep_better();
    if (work_left <= 0.0 || exhausted()) break;
    body_newton_.start(equations_, judge(), impulses);
    if (finished_by_bodies(options, start.steps, work_left, impulses)) return true;
    keep_better();
    if (work_left <= 0.0 || exhausted()) break;
  }
  std::ranges::copy(kept_, impulses.begin());
  return false;
}

/// Whether Newton's method with guessed modes finds certified impulses. Otherwise they are those
/// with the smallest residual of its own.
bool HybridSolver::finished_by_modes_of_bodies(const SolverOptions& options, int patience,
                                               double& work_left, std::span<double> impulses) {
  body_modes_.start(equations_, impulses, patience);
  for (int k = 0; k < most_mode_steps && work_left > 0.0 && !exhausted(); ++k) {
    const bool goes_on = body_modes_.step();
    ++iterations_;
    const double work = equations_.step_work();
    work_left -= work;
    count_work(work);
    const std::span<const double> point = body_modes_.impulses();
    if (body_modes_.residual() < options.tolerance * judge().scales(point).impulse &&
        judge().certifies(options.law, point, options.tolerance)) {
      std::ranges::copy(point, impulses.begin());
      return true;
    }
    if (!goes_on) break;
  }
  std::ranges::copy(body_modes_.best(), impulses.begin());
  return false;
}

/// Goes from point to point until one is certified or its work is done. Otherwise the impulses are
/// those with the smallest residual of its own.
bool HybridSolver::finished_by_bodies(const SolverOptions& options, int steps, double& work_left,
                                      std::span<double> impulses) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < steps && work_left > 0.0 && !exhausted();) {
    const bool found = body_newton_.advance();
    const double work = std::max(1, body_newton_.steps()) * equations_.step_work();
    k += std::max(1, body_newton_.steps());
    iterations_ += std::max(1, body_newton_.steps());
    work_left -= work;
    count_work(work);
    if (!found) continue;
    const std::span<const double> point = body_newton_.impulses();
    const double goal = options.tolerance * judge().scales(point).impulse;
    if (body_newton_.residual() < nearly_solved * goal &&
        judge().certifies(options.law, point, options.tolerance)) {
      std::ranges::copy(point, impulses.begin());
      return true;
    }
    if (body_newton_.residual() < least) {
      least = body_newton_.residual();
      std::ranges::copy(point, impulses.begin());
    }
  }
  return false;
}

}  // namespace stiction
