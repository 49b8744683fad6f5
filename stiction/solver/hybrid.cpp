#include "stiction/solver/hybrid.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

/// Default limit of all stages together.
constexpr int default_iterations = 20000;
/// Sweeps continue up to this multiple of their number if that is predicted to be enough.
constexpr int sweep_extension = 4;
/// Dense problems up to this size extrapolate their sweeps.
constexpr int extrapolated_rows = 200;
/// ModeNewton after the first sweep and after later sweeps.
constexpr NewtonSettings first_settings{.scaling = 1.0, .proximal = 1e-9, .steps = 6};
constexpr NewtonSettings later_settings{.scaling = 2.0, .proximal = 1e-7, .steps = 8};
/// Proximal term after the first sweep, for more rows than these: those have torsional or rolling
/// friction.
constexpr double turning_proximal = 1e-6;
constexpr int turning_rows = 36;
/// ModeNewton with a larger proximal term, where that has not settled: faces that slide a little,
/// and whose gaps contradict each other, open point by point.
constexpr NewtonSettings loose_settings{.scaling = 1.0, .proximal = 1e-5, .steps = 8};
/// ModeNewton with shortened steps, after sweeps where it has not settled.
constexpr NewtonSettings searching_settings{.scaling = 0.2, .proximal = 1e-7, .steps = 40};
/// The same before the slow stages.
constexpr NewtonSettings patient_settings{.scaling = 0.2, .proximal = 1e-9, .steps = 120};
/// ModeNewton after the sweeps have failed, one after another.
constexpr NewtonSettings last_settings[] = {{.scaling = 2.0, .proximal = 1e-9, .steps = 20},
                                            {.scaling = 2.0, .proximal = 1e-7, .steps = 20},
                                            {.scaling = 2.0, .proximal = 1e-5, .steps = 20},
                                            {.scaling = 0.2, .proximal = 1e-7, .steps = 20},
                                            {.proximal = 1e-7, .steps = 20, .by_blocks = true},
                                            {.proximal = 1e-9, .steps = 20, .by_blocks = true}};
/// ModeNewton's own residual must be below this fraction of the goal before it is certified.
constexpr double mode_margin = 0.5;
/// ModeNewton measures some blocks more leniently than the certificate does. If that refuses,
/// Newton continues to this fraction of the goal that would have been strict enough, so many times.
constexpr double refining_margin = 0.2;
constexpr int most_refinements = 2;
constexpr double hopeless_excess = 1e6;
/// Steps below this multiple of the tolerance need one more sweep, not Newton.
constexpr double nearly_there = 30.0;
/// ModeNewton first tries after this sweep where a step of it costs more than some sweeps, but
/// joint friction makes them slow.
constexpr int first_newton_of_boxes = 4;
/// If this sweep still steps so little but too much, sweeps converge slowly: then the certificate
/// is asked, and Newton after it. Steps may be large although the law is met, because those of
/// hyperstatic loads grow from block to block.
constexpr int most_nearly_there = 3;
/// Sweeps stall after this number without a smaller step than all before.
constexpr int sweep_patience = 1000;
/// Beyond so many rows a dense factorization takes seconds.
constexpr int largest_island = 3000;

/// R of the Newton stages relative to the mean diagonal: the best in general, and an alternative
/// that helps where that fails.
constexpr double usual_scaling = 0.2;
constexpr double small_scaling = 0.02;

/// Below `polish_residual` every third interior point is given to Newton for some steps.
constexpr double polish_residual = 1e-2;
constexpr int polish_period = 3;
constexpr int polish_steps = 20;

/// Newton continues as long as its merit falls by `newton_gain` every `newton_patience` steps.
constexpr int newton_patience = 6;
constexpr double newton_gain = 0.5;
/// Limits of the implicit complementarity stage: rows of an island, and steps.
constexpr int dogleg_rows = 300;
constexpr int dogleg_steps = 40;
/// With a larger proximal term, Newton's steps are too short to be useful.
constexpr double largest_proximal = 1e6;
/// The interior point method starts with this fraction of the velocity scale, because most contacts
/// stay closed.
constexpr double first_velocity = 0.1;
/// Interior steps without a better residual before the stage ends.
constexpr int interior_patience = 40;

/// Islands are solved to this fraction of the tolerance, because the whole is certified afterwards.
constexpr double margin = 0.3;

/// Bounds of torsional and rolling friction follow the normal impulses at most this number of
/// times, with this number of sweeps after each.
constexpr int most_thaws = 40;
constexpr int thawed_sweeps = 6;
/// They stop following after this number of times without a smaller residual.
constexpr int patience_with_thaws = 4;
/// The problem without locks is solved to this fraction of the tolerance, because its scales may be
/// smaller or larger than those of the whole.
constexpr double margin_without_locks = 0.5;

/// Contacts without impulse that open faster than this fraction of the velocity scale are left out,
/// if they are this part of all rows; those that close join, so many times.
constexpr double opening = 1e-6;
constexpr double least_left_out = 0.2;
constexpr int most_rounds = 5;

/// Whether the problem has joint friction.
bool has_boxes(const ContactProblem& problem) {
  return std::ranges::any_of(problem.blocks(), is_boxed);
}

/// Approximate multiply-adds of a dense step.
double dense_work(double rows) { return 2.0 * factor_work(rows); }

}  // namespace

std::string_view HybridSolver::refusal(const ContactProblem&, const SolverOptions&) const {
  return {};
}

bool HybridSolver::shares_loads(const ContactProblem& problem, const SolverOptions& options) const {
  return options.law == Law::coulomb && ModeNewton::suits(problem);
}

HybridSolver::Outcome HybridSolver::run(const ContactProblem& problem, const SolverOptions& options,
                                        std::span<double> impulses) {
  most_iterations_ = options.max_iterations > 0 ? options.max_iterations : default_iterations;
  iterations_ = 0;
  if (solved_by_sticking(problem, options, impulses)) {
    return {.status = SolverStatus::certified, .iterations = iterations_};
  }
  stage_options_ = options;
  if (LockFactor::suits(problem) && solved_without_locks(problem, options, impulses)) {
    return {.status = SolverStatus::certified, .iterations = iterations_};
  }
  if (options.law == Law::coulomb && BodyEquations::suits(problem)) {
    if (solved_by_bodies(problem, options, impulses)) {
      return {.status = SolverStatus::certified, .iterations = iterations_};
    }
    if (exhausted()) {
      return {.status = limit_reached().value_or(SolverStatus::iteration_limit),
              .iterations = iterations_};
    }
    islands_.find(problem);
    if (largest_island_rows() > cheap_island) {
      return {.status = SolverStatus::stalled, .iterations = iterations_};
    }
  }
  const int sweeps = std::min(options.hybrid.sweeps, most_iterations_);
  const int extended =
      sweeps > most_iterations_ / sweep_extension ? most_iterations_ : sweep_extension * sweeps;
  Outcome outcome = sweep(problem, options, impulses, {.least = sweeps, .most = extended});
  if (outcome.status == SolverStatus::certified) return outcome;
  if (solved_without_open(problem, options, impulses)) {
    return {.status = SolverStatus::certified, .iterations = iterations_};
  }
  if (problem.has_turns()) return solve_with_frozen_turns(problem, options, impulses);

  islands_.find(problem);
  outcome = sweep_large_islands(problem, options, impulses, outcome);
  if (outcome.status == SolverStatus::certified || exhausted()) return outcome;
  by_sweeps_ = !traits_of(options.law).solved_globally;
  if (by_sweeps_) return sweep_from_coulomb(problem, options, impulses);

  // First solve each island relative to the scale of the whole problem, then to its own scale.
  for (const double leniency : {1.0, 0.0}) {
    solve_islands(problem, impulses, leniency * judge().scales(impulses).impulse);
    const Certificate certificate = judge().examine(options.law, impulses);
    record(iterations_, certificate.residual());
    if (certificate.certified(options.tolerance)) {
      return {.status = SolverStatus::certified, .iterations = iterations_};
    }
    if (exhausted()) break;
  }
  SolverStatus status = SolverStatus::stalled;
  if (iterations_ >= most_iterations_) status = SolverStatus::iteration_limit;
  if (const auto limit = limit_reached()) status = *limit;
  return {.status = status, .iterations = iterations_};
}

bool HybridSolver::solved_by_sticking(const ContactProblem& problem, const SolverOptions& options,
                                      std::span<double> impulses) {
  const double work = factor_work(problem.row_count());
  if (!options.warm_start || options.law != Law::coulomb || !ModeNewton::suits(problem) ||
      judge().skipped_count() > 0 || limit_reached(work)) {
    return false;
  }
  kept_.assign(impulses.begin(), impulses.end());
  if (!mode_newton_.stick(problem, impulses)) return false;
  ++iterations_;
  count_work(work + sweep_work(problem));
  const Certificate& certificate = judge().examine(options.law, impulses);
  record(iterations_, certificate.residual());
  if (certificate.certified(options.tolerance)) return true;
  std::ranges::copy(kept_, impulses.begin());
  return false;
}

bool HybridSolver::solved_without_locks(const ContactProblem& problem, const SolverOptions& options,
                                        std::span<double> impulses) {
  locks_.eliminate(problem);
  count_work(locks_.work());
  const ContactProblem& rest = locks_.rest();
  rest_.resize(index(rest.row_count()));
  locks_.gather(impulses, rest_);
  if (rest.block_count() > 0) {
    if (without_locks_ == nullptr) without_locks_ = std::make_unique<HybridSolver>();
    without_locks_->measure_time(false);
    SolverOptions own = options;
    own.tolerance *= margin_without_locks;
    own.check = CheckLevel::finite;
    own.keep_history = false;
    pass_on_limits(own);
    SolverReport report;
    without_locks_->attempt(rest, own, rest_, report);
    iterations_ += report.iterations;
    count_work(report.work);
  } else {
    ++iterations_;
  }
  locks_.complete(rest_, impulses);
  const Certificate certificate = judge().examine(options.law, impulses);
  record(iterations_, certificate.residual());
  return certificate.certified(options.tolerance);
}

bool HybridSolver::solved_without_open(const ContactProblem& problem, const SolverOptions& options,
                                       std::span<double> impulses) {
  if (is_of_active_ || options.law != Law::coulomb || problem.storage() != DelassusStorage::dense ||
      !has_dense_stages(problem.row_count())) {
    return false;
  }
  const Certificate before = judge().examine(options.law, impulses);
  active_.choose(problem, impulses, judge().velocity(), opening * before.scales.velocity);
  kept_.assign(impulses.begin(), impulses.end());
  for (int round = 0; round < most_rounds && !exhausted(); ++round) {
    if (active_.left_out_rows() < least_left_out * problem.row_count()) break;
    if (of_active_ == nullptr) {
      of_active_ = std::make_unique<HybridSolver>();
      of_active_->is_of_active_ = true;
      of_active_->measure_time(false);
    }
    active_.gather(impulses, active_impulses_);
    SolverOptions own = options;
    own.tolerance *= margin;
    own.check = CheckLevel::finite;
    own.warm_start = true;
    own.keep_history = false;
    own.max_iterations = most_iterations_ - iterations_;
    pass_on_limits(own);
    SolverReport report;
    of_active_->attempt(active_.extract(), own, active_impulses_, report);
    iterations_ += report.iterations;
    count_work(report.work);
    active_.scatter(active_impulses_, impulses);
    const Certificate certificate = judge().examine(options.law, impulses);
    record(iterations_, certificate.residual());
    if (certificate.certified(options.tolerance)) return true;
    if (!active_.add_closing(judge().velocity())) break;
  }
  if (!(judge().examine(options.law, impulses).residual() < before.residual())) {
    std::ranges::copy(kept_, impulses.begin());
  }
  return false;
}

int HybridSolver::largest_island_rows() const {
  int largest = 0;
  for (int island = 0; island < islands_.count(); ++island) {
    largest = std::max(largest, islands_.row_count(island));
  }
  return largest;
}

/// Sweeps on, because they stay cheap where dense steps do not: for the work of one dense step, or
/// until a limit is reached if the largest island is too large for dense steps.
HybridSolver::Outcome HybridSolver::sweep_large_islands(const ContactProblem& problem,
                                                        const SolverOptions& options,
                                                        std::span<double> impulses,
                                                        const Outcome& before) {
  const int largest = largest_island_rows();
  const int rest = most_iterations_ - iterations_;
  if (largest <= cheap_island || rest <= 0) return before;
  int most = rest;
  if (has_dense_stages(largest)) {
    most = std::min(rest, static_cast<int>(dense_work(largest) / sweep_work(problem)) + 1);
  }
  return sweep(problem, options, impulses, {.least = most, .most = most});
}

/// Coulomb's law has nearly the same sticking and open contacts, so sweeps under max_dissipation
/// that start at its solution have little left to do.
HybridSolver::Outcome HybridSolver::sweep_from_coulomb(const ContactProblem& problem,
                                                       const SolverOptions& options,
                                                       std::span<double> impulses) {
  const double residual = judge().examine(options.law, impulses).residual();
  kept_.assign(impulses.begin(), impulses.end());
  stage_options_.law = Law::coulomb;
  stage_options_.per_contact.one_contact.method = SlipMethod::newton;  // knows every law
  solve_islands(problem, impulses, judge().scales(impulses).impulse);
  const int rest = most_iterations_ - iterations_;
  Outcome outcome{.status = SolverStatus::iteration_limit, .iterations = iterations_};
  if (rest > 0) outcome = sweep(problem, options, impulses, {.least = rest, .most = rest});
  if (outcome.status != SolverStatus::certified &&
      residual < judge().examine(options.law, impulses).residual()) {
    std::ranges::copy(kept_, impulses.begin());
  }
  return outcome;
}

/// Whether ModeNewton with other settings finds certified impulses, island by island.
bool HybridSolver::finished_by_modes(const ContactProblem& problem, const SolverOptions& options,
                                     std::span<double> impulses) {
  islands_.find(problem);
  by_sweeps_ = false;
  solve_islands(problem, impulses, judge().scales(impulses).impulse);
  return judge().examine(options.law, impulses).certified(options.tolerance);
}

/// Solves with frozen bounds and lets the bounds follow. Under other laws than Coulomb's, and on
/// problems too large for dense stages, the sweeps have the last word.
HybridSolver::Outcome HybridSolver::solve_with_frozen_turns(const ContactProblem& problem,
                                                            const SolverOptions& options,
                                                            std::span<double> impulses) {
  if (inner_ == nullptr) inner_ = std::make_unique<HybridSolver>();
  double least = judge().examine(options.law, impulses).residual();
  kept_.assign(impulses.begin(), impulses.end());
  Outcome outcome{.status = SolverStatus::stalled, .iterations = iterations_};
  if (options.law == Law::coulomb && has_dense_stages(problem.row_count()) &&
      finished_by_modes(problem, options, impulses)) {
    return {.status = SolverStatus::certified, .iterations = iterations_};
  }
  int stale = 0;
  for (int k = 0; k < most_thaws && stale < patience_with_thaws && !exhausted(); ++k) {
    if (!has_dense_stages(problem.row_count())) break;
    frozen_.freeze(problem, impulses, judge().scales(impulses).impulse);
    SolverOptions inner = options;
    inner.law = Law::coulomb;
    inner.per_contact.one_contact.method = SlipMethod::newton;  // knows every law
    inner.check = CheckLevel::finite;
    inner.warm_start = true;
    inner.keep_history = false;
    inner.tolerance = margin * options.tolerance;
    inner.max_iterations = most_iterations_ - iterations_;
    pass_on_limits(inner);
    const SolverReport report = inner_->solve(frozen_.problem(), inner, frozen_.impulses());
    iterations_ += report.iterations;
    count_work(report.work);
    frozen_.thaw(problem, impulses);
    const int rest = most_iterations_ - iterations_;
    if (rest <= 0) break;
    const int sweeps = std::min(rest, thawed_sweeps);
    outcome = sweep(problem, options, impulses, {.least = sweeps, .most = sweeps});
    if (outcome.status == SolverStatus::certified) return outcome;
    const double residual = judge().examine(options.law, impulses).residual();
    const bool better = residual < least;
    stale = better ? 0 : stale + 1;
    if (better) {
      least = residual;
      std::ranges::copy(impulses, kept_.begin());
    }
    if (options.law != Law::coulomb || (!better && !report.certified())) break;
  }
  std::ranges::copy(kept_, impulses.begin());
  if (options.law == Law::coulomb && !exhausted() && has_dense_stages(problem.row_count()) &&
      finished_by_modes(problem, options, impulses)) {
    return {.status = SolverStatus::certified, .iterations = iterations_};
  }
  const int rest = most_iterations_ - iterations_;
  if (rest > 0 && !limit_reached()) {
    outcome = sweep(problem, options, impulses, {.least = rest, .most = rest});
    if (outcome.status == SolverStatus::certified) return outcome;
  }
  if (least < judge().examine(options.law, impulses).residual()) {
    std::ranges::copy(kept_, impulses.begin());
  }
  if (iterations_ >= most_iterations_) outcome.status = SolverStatus::iteration_limit;
  if (const auto limit = limit_reached()) outcome.status = *limit;
  outcome.iterations = iterations_;
  return outcome;
}

HybridSolver::Outcome HybridSolver::sweep(const ContactProblem& problem,
                                          const SolverOptions& options, std::span<double> impulses,
                                          const Sweeping& sweeping) {
  const PerContactOptions& own = options.per_contact;
  const int before = iterations_;
  sweeps_.start(problem, judge(), options, impulses);
  begin(problem, options,
        {.iterations = sweeping.most, .without_gain = sweep_patience, .history_offset = before},
        impulses);
  const double goal = options.tolerance * judge().scales(impulses).impulse;
  const auto ends_soon = [goal](double step, double last_step, int left) {
    const double rate = step / last_step;
    return rate < 1.0 && step * std::pow(rate, left) < goal;
  };
  const bool extrapolates =
      problem.storage() == DelassusStorage::dense && problem.row_count() <= extrapolated_rows;
  if (extrapolates) extrapolation_.start(problem, impulses);
  int next_newton = 0;
  if (options.law == Law::coulomb && ModeNewton::suits(problem)) {
    next_newton = 1;
  } else if (options.law == Law::coulomb && ModeNewton::fits(problem) && has_boxes(problem)) {
    next_newton = first_newton_of_boxes;
  }
  double relaxation = own.relaxation;
  double last_step = 0.0;
  for (int k = 1;; ++k) {
    const double step = sweeps_.sweep(relaxation);
    ++iterations_;
    if (ended(k, step)) break;
    const bool enough = k >= sweeping.least && !ends_soon(step, last_step, sweeping.most - k);
    if (enough || k >= sweeping.most || iterations_ >= most_iterations_) {
      end(k, SolverStatus::iteration_limit);
      break;
    }
    last_step = step;
    if (k == next_newton && k < most_nearly_there && step <= nearly_there * goal) {
      ++next_newton;
    } else if (k == next_newton) {
      if (step <= nearly_there * goal && certified_between(k, 0)) break;
      next_newton = 2 * k + 1;
      const bool shares = step > nearly_there * goal && ModeNewton::suits(problem);
      if (finished_by_newton(problem, k, shares, impulses)) break;
      if (iterations_ >= most_iterations_) {
        end(k, SolverStatus::iteration_limit);
        break;
      }
    }
    const bool moved = extrapolates && extrapolation_.advance(impulses);
    if (moved || k % VelocityTracker::refresh_period == 0) sweeps_.refresh();
    relaxation = next_relaxation(own, relaxation);
  }
  Outcome outcome = finish();
  outcome.iterations = iterations_;
  return outcome;
}

/// If not, the sweeps continue from where Newton converged, or from where they were.
bool HybridSolver::finished_by_newton(const ContactProblem& problem, int k, bool shares,
                                      std::span<double> impulses) {
  if (problem.block_count() == 1) return certified_between(k, 0);  // the sweep was exact
  const double goal = stage_options_.tolerance * judge().scales(impulses).impulse;
  NewtonSettings settings = k == 1 ? first_settings : later_settings;
  if (k == 1 && problem.row_count() > turning_rows) settings.proximal = turning_proximal;
  settings.steps = std::min(settings.steps, most_iterations_ - iterations_);
  bool settled = mode_newton_.solve(problem, judge(), sweeps_.velocities(), mode_margin * goal,
                                    settings, impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  if (!settled && k > 1 && !exhausted()) {
    settings = loose_settings;
    settings.steps = std::min(settings.steps, most_iterations_ - iterations_);
    settled = mode_newton_.solve(problem, judge(), sweeps_.velocities(), mode_margin * goal,
                                 settings, impulses);
    iterations_ += mode_newton_.steps();
    count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  }
  if (!settled && k > 1 && !exhausted()) {
    settled = searched_by_newton(problem, judge(), sweeps_.velocities(), mode_margin * goal,
                                 searching_settings, impulses);
  }
  if (!settled) return false;
  int steps = mode_newton_.steps();
  if (shares && mode_newton_.is_hyperstatic()) {
    shared_.assign(impulses.begin(), impulses.end());
    const bool shared = shared_by_newton(problem, mode_margin * goal, impulses);
    steps += mode_newton_.steps();
    if (shared && certified_by_refining(problem, k, steps, impulses)) return true;
    std::ranges::copy(shared_, impulses.begin());
    if (certified_between(k, 0)) return true;
    sweeps_.refresh();
    if (settled_again(problem, judge(), sweeps_.velocities(), goal, impulses) &&
        certified_by_refining(problem, k, mode_newton_.steps(), impulses)) {
      return true;
    }
  } else if (certified_by_refining(problem, k, steps, impulses)) {
    return true;
  }
  sweeps_.refresh();
  extrapolation_.start(problem, impulses);
  return false;
}

/// After loads could not be shared: Newton from the loads before that, so that they can be refined.
bool HybridSolver::settled_again(const ContactProblem& problem, const Judge& judge,
                                 const VelocityTracker& velocities, double goal,
                                 std::span<double> impulses) {
  NewtonSettings settings = later_settings;
  settings.steps = std::min(settings.steps, most_iterations_ - iterations_);
  const bool settled =
      mode_newton_.solve(problem, judge, velocities, mode_margin * goal, settings, impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  return settled;
}

/// Newton with shortened steps, for where it goes to and fro.
bool HybridSolver::searched_by_newton(const ContactProblem& problem, const Judge& judge,
                                      const VelocityTracker& velocities, double goal,
                                      NewtonSettings settings, std::span<double> impulses) {
  settings.steps = std::min(settings.steps, most_iterations_ - iterations_);
  const bool settled = mode_newton_.search(problem, judge, velocities, goal, settings, impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  return settled;
}

/// Whether what Newton has found is certified, at once or after some more steps.
bool HybridSolver::certified_by_refining(const ContactProblem& problem, int k, int steps,
                                         std::span<double> impulses) {
  for (int left = most_refinements;; --left) {
    if (certified_between(k, steps)) return true;
    const Certificate certificate = judge().examine(stage_options_.law, impulses);
    const double goal = stage_options_.tolerance * certificate.scales.impulse;
    if (left == 0 || !refined_by_newton(problem, certificate, goal, impulses)) return false;
    steps = mode_newton_.steps();
  }
}

/// Steps on to what the certificate of the impulses would need for a goal [N·s]; whether it could.
bool HybridSolver::refined_by_newton(const ContactProblem& problem, const Certificate& certificate,
                                     double goal, std::span<double> impulses) {
  const double excess = certificate.residual() * certificate.scales.impulse / goal;
  if (!(excess < hopeless_excess)) return false;
  const bool refined =
      mode_newton_.refine(mode_margin * refining_margin * goal / std::max(1.0, excess), impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  return refined;
}

bool HybridSolver::shared_by_newton(const ContactProblem& problem, double goal,
                                    std::span<double> impulses) {
  const bool shared = mode_newton_.share(goal, impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  return shared;
}

bool HybridSolver::has_dense_stages(int rows) const {
  return rows <= largest_island && !limit_reached(dense_work(rows));
}

void HybridSolver::solve_islands(const ContactProblem& problem, std::span<double> impulses,
                                 double impulse_scale) {
  for (int island = 0; island < islands_.count() && !exhausted(); ++island) {
    if (!has_dense_stages(islands_.row_count(island))) continue;
    open_task(problem, island, impulses);
    task_.impulse_goal = (whole_ ? 1.0 : margin) * stage_options_.tolerance *
                         std::max(impulse_scale, task_.certificate.scales.impulse);
    if (task_done()) continue;
    solve_task();
    islands_.scatter(island, task_.best, impulses);
  }
}

void HybridSolver::open_task(const ContactProblem& problem, int island,
                             std::span<const double> impulses) {
  whole_ = islands_.count() == 1 && problem.storage() == DelassusStorage::dense;
  if (whole_) {
    task_.problem = &problem;
  } else {
    islands_.extract(island, task_.own);
    task_.problem = &task_.own;
  }
  const std::size_t rows = index(task_.problem->row_count());
  task_.judge.open(*task_.problem);
  task_.best.resize(rows);
  task_.trial.resize(rows);
  islands_.gather(island, impulses, task_.best);
  task_.certificate = task_.judge.examine(stage_options_.law, task_.best);
}

double HybridSolver::offer(std::span<const double> impulse) {
  const Certificate certificate = task_.judge.examine(stage_options_.law, impulse);
  count_work(sweep_work(*task_.problem));
  if (whole_ && !by_sweeps_) record(iterations_, certificate.residual());
  const auto measure = [](const Certificate& c) { return c.residual() * c.scales.impulse; };
  if (measure(certificate) < measure(task_.certificate) &&
      certificate.cone <= Certificate::cone_tolerance) {
    task_.certificate = certificate;
    std::ranges::copy(impulse, task_.best.begin());
  }
  return certificate.residual();
}

bool HybridSolver::task_done() const {
  return task_.certificate.residual() * task_.certificate.scales.impulse <= task_.impulse_goal &&
         task_.certificate.cone <= Certificate::cone_tolerance;
}

bool HybridSolver::exhausted() const { return iterations_ >= most_iterations_ || limit_reached(); }

void HybridSolver::solve_task() {
  const HybridOptions& own = stage_options_.hybrid;
  const bool coulomb = stage_options_.law == Law::coulomb;
  if (coulomb) mode_stage();
  if (task_.problem->has_turns()) return;  // the others do not know them
  if (!task_done() && coulomb) newton_stage(task_.best, usual_scaling, own.newton_steps);
  if (!task_done() && coulomb) dogleg_stage();
  if (!task_done()) interior_stage(false);
  if (!task_done() && coulomb) interior_stage(true);
  if (!task_done() && coulomb) newton_stage(task_.best, small_scaling, own.newton_steps);
  if (!task_done()) admm_stage();
  if (!task_done() && coulomb) newton_stage(task_.best, usual_scaling, own.newton_steps);
}

/// All settings together cost less than one of the other stages.
void HybridSolver::mode_stage() {
  if (!ModeNewton::fits(*task_.problem)) return;
  search_stage();
  if (task_done()) return;
  for (const bool from_zero : {false, true}) {
    for (NewtonSettings settings : last_settings) {
      if (exhausted()) return;
      settings.steps = std::min(settings.steps, most_iterations_ - iterations_);
      std::ranges::copy(task_.best, task_.trial.begin());
      if (from_zero) std::ranges::fill(task_.trial, 0.0);
      task_.velocities.start(*task_.problem, task_.trial);
      const bool settled =
          mode_newton_.solve(*task_.problem, task_.judge, task_.velocities,
                             mode_margin * task_.impulse_goal, settings, task_.trial);
      iterations_ += mode_newton_.steps();
      count_work(mode_newton_.steps() * factor_work(task_.problem->row_count()));
      if (settled) offer_settled();
      if (task_done()) return;
    }
  }
}

/// Newton with shortened steps, from the best impulses and from zero.
void HybridSolver::search_stage() {
  for (const NewtonSettings& settings : {searching_settings, patient_settings}) {
    for (const bool from_zero : {false, true}) {
      if (exhausted()) return;
      std::ranges::copy(task_.best, task_.trial.begin());
      if (from_zero) std::ranges::fill(task_.trial, 0.0);
      task_.velocities.start(*task_.problem, task_.trial);
      if (!searched_by_newton(*task_.problem, task_.judge, task_.velocities,
                              mode_margin * task_.impulse_goal, settings, task_.trial)) {
        continue;
      }
      offer_settled();
      if (task_done()) return;
    }
  }
}

/// Offers what Newton has settled on.
void HybridSolver::offer_settled() {
  if (mode_newton_.is_hyperstatic()) {
    offer_shared();
    if (task_done()) return;
    offer(task_.trial);
    if (task_done()) return;
    task_.velocities.start(*task_.problem, task_.trial);
    if (settled_again(*task_.problem, task_.judge, task_.velocities, task_.impulse_goal,
                      task_.trial)) {
      offer_refined(task_.trial);
    }
  } else {
    offer_refined(task_.trial);
  }
}

/// Offers what Newton has found with its loads shared evenly.
void HybridSolver::offer_shared() {
  shared_.assign(task_.trial.begin(), task_.trial.end());
  if (shared_by_newton(*task_.problem, mode_margin * task_.impulse_goal, shared_)) {
    offer_refined(shared_);
  }
}

/// Offers what Newton has found, at once and after some more steps.
void HybridSolver::offer_refined(std::span<double> impulses) {
  for (int left = most_refinements;; --left) {
    offer(impulses);
    if (task_done() || left == 0) return;
    const Certificate certificate = task_.judge.examine(stage_options_.law, impulses);
    if (!refined_by_newton(*task_.problem, certificate, task_.impulse_goal, impulses)) return;
  }
}

void HybridSolver::newton_stage(std::span<const double> start, double scaling, int steps) {
  newton_.start(*task_.problem, task_.judge, start, scaling);
  double merit_then = newton_.merit();
  bool smoothed = false;
  for (int k = 1; k <= steps && !exhausted(); ++k) {
    newton_.step();
    ++iterations_;
    count_work(dense_work(task_.problem->row_count()));
    offer(newton_.impulses());
    if (task_done() || newton_.proximal() > largest_proximal) return;
    if (k % newton_patience != 0) continue;
    if (newton_.merit() > newton_gain * merit_then) {
      if (smoothed) return;
      smoothed = true;
      if (exhausted()) return;
      sweep_task(newton_.impulses());
      if (task_done()) return;
      newton_.start(*task_.problem, task_.judge, task_.trial, scaling);
    }
    merit_then = newton_.merit();
  }
}

/// One sweep, for when Newton alternates between two guesses of the modes.
void HybridSolver::sweep_task(std::span<const double> start) {
  std::ranges::copy(start, task_.trial.begin());
  sweeps_.start(*task_.problem, task_.judge, stage_options_, task_.trial);
  sweeps_.sweep(1.0);
  ++iterations_;
  offer(task_.trial);
}

/// Starts at zero, not at the best impulses: those are near a combination of modes that almost
/// satisfies the law, but not quite.
void HybridSolver::dogleg_stage() {
  if (task_.problem->row_count() > dogleg_rows || exhausted()) return;
  run_on_task(dogleg_, dogleg_steps, false);
}

/// Runs another solver on the task, from the best impulses or from zero.
void HybridSolver::run_on_task(Solver& solver, int most_steps, bool from_best) {
  SolverOptions options = stage_options_;
  options.check = CheckLevel::finite;
  options.warm_start = from_best;
  options.keep_history = false;
  options.max_iterations = std::min(most_steps, most_iterations_ - iterations_);
  pass_on_limits(options);
  options.tolerance = task_.impulse_goal / task_.certificate.scales.impulse;
  if (from_best) std::ranges::copy(task_.best, task_.trial.begin());
  const SolverReport report = solver.solve(*task_.problem, options, task_.trial);
  iterations_ += report.iterations;
  count_work(report.work);
  offer(task_.trial);
}

void HybridSolver::interior_stage(bool follow_slip) {
  Scales scales = task_.certificate.scales;
  scales.velocity *= first_velocity;
  interior_.start(*task_.problem, stage_options_.law, scales, follow_slip);
  double least = 1e300;
  int least_at = 0;
  for (int k = 1; k <= stage_options_.hybrid.interior_steps && !exhausted(); ++k) {
    count_work(dense_work(task_.problem->row_count()));
    if (!interior_.step()) return;
    ++iterations_;
    interior_.impulses(task_.trial);
    const double residual = offer(task_.trial);
    if (task_done()) return;
    if (residual < 0.9 * least) {
      least = residual;
      least_at = k;
    }
    if (k - least_at > interior_patience) return;
    if (stage_options_.law == Law::coulomb && residual < polish_residual &&
        k % polish_period == 0) {
      newton_stage(task_.trial, usual_scaling, polish_steps);
      if (task_done()) return;
    }
  }
}

void HybridSolver::admm_stage() {
  if (stage_options_.hybrid.admm_steps == 0 || exhausted()) return;
  run_on_task(admm_, stage_options_.hybrid.admm_steps, true);
}

}  // namespace stiction
