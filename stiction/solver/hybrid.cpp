#include "stiction/solver/hybrid.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

/// All stages together, where the options do not say.
constexpr int default_iterations = 20000;
/// Sweeps go on beyond their number, up to so many times it, if that is foreseen to be enough.
constexpr int sweep_extension = 4;
/// Dense problems up to so many rows are moved on to where the sweeps lead.
constexpr int extrapolated_rows = 200;
/// Newton's method after the first sweep and after later ones, and how much better than asked its
/// own measure must be for a certificate to be worth asking for.
constexpr ModeNewton::Manner first_manner{.scaling = 1.0, .proximal = 1e-9, .steps = 6};
constexpr ModeNewton::Manner later_manner{.scaling = 2.0, .proximal = 1e-7, .steps = 8};
/// And where the sweeps have failed.
constexpr ModeNewton::Manner last_manners[] = {{.scaling = 2.0, .proximal = 1e-9, .steps = 20},
                                               {.scaling = 2.0, .proximal = 1e-7, .steps = 20},
                                               {.scaling = 2.0, .proximal = 1e-5, .steps = 20},
                                               {.scaling = 0.2, .proximal = 1e-7, .steps = 20}};
constexpr double mode_margin = 0.5;
/// Steps of so many tolerances are left to one more sweep.
constexpr double nearly_there = 30.0;
/// Sweeps after which the velocities are computed anew.
constexpr int refresh_period = 256;
/// Sweeps without a smaller step than all before: they have stalled.
constexpr int sweep_patience = 1000;
/// Rows of an island up to which a dense factorization is hardly more than a few sweeps, and beyond
/// which it takes seconds.
constexpr int cheap_island = 450;
constexpr int largest_island = 3000;

/// R of the Newton stages, in parts of the mean diagonal: what is best in general, and what helps
/// where that does not.
constexpr double usual_scaling = 0.2;
constexpr double small_scaling = 0.02;

/// The interior point method hands over to Newton below this residual, every so many steps.
constexpr double polish_residual = 1e-2;
constexpr int polish_period = 3;
constexpr int polish_steps = 20;

/// Newton goes on as long as its merit falls by this factor in so many steps.
constexpr int newton_patience = 6;
constexpr double newton_gain = 0.5;
/// Islands up to so many rows are given to implicit complementarity, for so many steps.
constexpr int dogleg_rows = 300;
constexpr int dogleg_steps = 40;
/// Beyond this a proximal term leaves no step worth taking.
constexpr double largest_proximal = 1e6;
/// The interior point method begins with this part of the velocity scale: contacts that stay closed
/// are many, and nearer to it.
constexpr double first_velocity = 0.1;
/// Interior steps without a better residual.
constexpr int interior_patience = 40;

/// Islands are solved a little better than asked, for the whole is judged anew.
constexpr double margin = 0.3;

/// Multiply-adds of a dense step, roughly.
double dense_work(double rows) { return 2.0 * factor_work(rows); }

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::string_view HybridSolver::refusal(const ContactProblem&, const SolverOptions&) const {
  return {};
}

HybridSolver::Outcome HybridSolver::run(const ContactProblem& problem, const SolverOptions& options,
                                        std::span<double> impulses) {
  most_iterations_ = options.max_iterations > 0 ? options.max_iterations : default_iterations;
  iterations_ = 0;
  stage_options_ = options;
  const int sweeps = std::min(options.hybrid.sweeps, most_iterations_);
  const int extended =
      sweeps > most_iterations_ / sweep_extension ? most_iterations_ : sweep_extension * sweeps;
  Outcome outcome = sweep(problem, options, impulses, {.least = sweeps, .most = extended});
  if (outcome.status == SolverStatus::certified) return outcome;

  islands_.find(problem);
  outcome = sweep_large_islands(problem, options, impulses, outcome);
  if (outcome.status == SolverStatus::certified || exhausted()) return outcome;
  by_sweeps_ = options.law == Law::max_dissipation;
  if (by_sweeps_) return sweep_from_coulomb(problem, options, impulses);

  // An island is first solved to what matters to the whole, then to what matters to itself.
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

/// Sweeps stay cheap where dense steps do not: for the work of one of those, or, for an island that
/// gets none, until a limit is reached.
HybridSolver::Outcome HybridSolver::sweep_large_islands(const ContactProblem& problem,
                                                        const SolverOptions& options,
                                                        std::span<double> impulses,
                                                        const Outcome& before) {
  int largest = 0;
  for (int island = 0; island < islands_.count(); ++island) {
    largest = std::max(largest, islands_.row_count(island));
  }
  const int rest = most_iterations_ - iterations_;
  if (largest <= cheap_island || rest <= 0) return before;
  int most = rest;
  if (has_dense_stages(largest)) {
    most = std::min(rest, static_cast<int>(dense_work(largest) / sweep_work(problem)) + 1);
  }
  return sweep(problem, options, impulses, {.least = most, .most = most});
}

/// Coulomb's answer agrees on who sticks and who opens, so that sweeps under max_dissipation have
/// little left to do from there.
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
  int next_newton = options.law == Law::coulomb && ModeNewton::suits(problem) ? 1 : 0;
  double relaxation = own.relaxation;
  double last_step = 0.0;
  for (int k = 1;; ++k) {
    const double step = sweeps_.sweep(relaxation);
    ++iterations_;
    if (ended(k, step)) break;
    const bool enough = k >= sweeping.least && !ends_soon(step, last_step, sweeping.most - k);
    if (enough || k >= sweeping.most) {
      end(k, SolverStatus::iteration_limit);
      break;
    }
    last_step = step;
    if (k == next_newton && step <= nearly_there * goal) {
      ++next_newton;
    } else if (k == next_newton) {
      next_newton = 2 * k + 1;
      if (finished_by_newton(problem, k, impulses)) break;
    }
    const bool moved = extrapolates && extrapolation_.advance(impulses);
    if (moved || k % refresh_period == 0) sweeps_.refresh();
    relaxation = own.relaxation_floor + own.relaxation_decay * (relaxation - own.relaxation_floor);
  }
  Outcome outcome = finish();
  outcome.iterations = iterations_;
  return outcome;
}

/// If not, the sweeps go on from where it has settled, or as if it had not been tried.
bool HybridSolver::finished_by_newton(const ContactProblem& problem, int k,
                                      std::span<double> impulses) {
  if (problem.block_count() == 1) return certified_between(k, 0);  // the sweep was the answer
  const double goal = stage_options_.tolerance * judge().scales(impulses).impulse;
  ModeNewton::Manner manner = k == 1 ? first_manner : later_manner;
  manner.steps = std::min(manner.steps, most_iterations_ - iterations_);
  const bool settled = mode_newton_.solve(problem, judge(), sweeps_.velocities(),
                                          mode_margin * goal, manner, impulses);
  iterations_ += mode_newton_.steps();
  count_work(mode_newton_.steps() * factor_work(problem.row_count()));
  if (!settled) return false;
  if (certified_between(k, mode_newton_.steps())) return true;
  sweeps_.refresh();
  extrapolation_.start(problem, impulses);
  return false;
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
  ++iterations_;
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
  if (!task_done() && coulomb) newton_stage(task_.best, usual_scaling, own.newton_steps);
  if (!task_done() && coulomb) dogleg_stage();
  if (!task_done()) interior_stage(false);
  if (!task_done() && coulomb) interior_stage(true);
  if (!task_done() && coulomb) newton_stage(task_.best, small_scaling, own.newton_steps);
  if (!task_done()) admm_stage();
  if (!task_done() && coulomb) newton_stage(task_.best, usual_scaling, own.newton_steps);
}

/// All manners together take less than one of the other stages.
void HybridSolver::mode_stage() {
  if (!ModeNewton::suits(*task_.problem)) return;
  for (const bool from_zero : {false, true}) {
    for (ModeNewton::Manner manner : last_manners) {
      if (exhausted()) return;
      manner.steps = std::min(manner.steps, most_iterations_ - iterations_);
      std::ranges::copy(task_.best, task_.trial.begin());
      if (from_zero) std::ranges::fill(task_.trial, 0.0);
      task_.velocities.start(*task_.problem, task_.trial);
      const bool settled =
          mode_newton_.solve(*task_.problem, task_.judge, task_.velocities,
                             mode_margin * task_.impulse_goal, manner, task_.trial);
      iterations_ += mode_newton_.steps();
      count_work(mode_newton_.steps() * factor_work(task_.problem->row_count()));
      if (settled) offer(task_.trial);
      if (task_done()) return;
    }
  }
}

void HybridSolver::newton_stage(std::span<const double> start, double scaling, int steps) {
  newton_.start(*task_.problem, task_.judge, start, scaling);
  double merit_then = newton_.merit();
  bool smoothed = false;
  for (int k = 1; k <= steps && !exhausted(); ++k) {
    newton_.step();
    count_work(dense_work(task_.problem->row_count()));
    offer(newton_.impulses());
    if (task_done() || newton_.proximal() > largest_proximal) return;
    if (k % newton_patience != 0) continue;
    if (newton_.merit() > newton_gain * merit_then) {
      if (smoothed) return;
      smoothed = true;
      sweep_task(newton_.impulses());
      if (task_done()) return;
      newton_.start(*task_.problem, task_.judge, task_.trial, scaling);
    }
    merit_then = newton_.merit();
  }
}

/// Where Newton is caught between two guesses of who sticks, one sweep moves it off.
void HybridSolver::sweep_task(std::span<const double> start) {
  std::ranges::copy(start, task_.trial.begin());
  sweeps_.start(*task_.problem, task_.judge, stage_options_, task_.trial);
  sweeps_.sweep(1.0);
  offer(task_.trial);
}

/// From zero, not from the best impulses: those lie on a face that holds nearly, but not quite.
void HybridSolver::dogleg_stage() {
  if (task_.problem->row_count() > dogleg_rows || exhausted()) return;
  SolverOptions options = stage_options_;
  options.check = CheckLevel::finite;
  options.warm_start = false;
  options.keep_history = false;
  options.max_iterations = std::min(dogleg_steps, most_iterations_ - iterations_);
  pass_on_limits(options);
  options.tolerance = task_.impulse_goal / task_.certificate.scales.impulse;
  const SolverReport report = dogleg_.solve(*task_.problem, options, task_.trial);
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
  SolverOptions options = stage_options_;
  options.check = CheckLevel::finite;
  options.warm_start = true;
  options.keep_history = false;
  options.max_iterations =
      std::min(stage_options_.hybrid.admm_steps, most_iterations_ - iterations_);
  pass_on_limits(options);
  options.tolerance = task_.impulse_goal / task_.certificate.scales.impulse;
  std::ranges::copy(task_.best, task_.trial.begin());
  const SolverReport report = admm_.solve(*task_.problem, options, task_.trial);
  iterations_ += report.iterations;
  count_work(report.work);
  offer(task_.trial);
}

}  // namespace stiction
