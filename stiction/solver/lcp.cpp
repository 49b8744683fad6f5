#include "stiction/solver/lcp.hpp"

#include <algorithm>
#include <limits>

#include "stiction/contact/block_laws.hpp"

namespace stiction {

namespace {

/// Above these sizes one pivot or one factorization takes a large fraction of a second.
constexpr int lemke_variables = 4000;
constexpr int newton_variables = 1000;

/// Lemke's method needs about as many pivots as variables; some problems need many more.
constexpr int pivots_per_variable = 50;
constexpr int least_pivots = 1000;
constexpr int newton_steps = 1000;

/// Newton's method continues to this fraction of the certificate's tolerance, at most to the floor.
/// It converges quadratically, so this costs one or two more steps.
constexpr double surplus = 1e-3;
constexpr double newton_floor = 1e-13;

/// Cost of the set-up per matrix entry, in operations of dense algebra (it waits for memory), and
/// of a Newton step per cubed number of variables (its factorization is not blocked).
constexpr double setup_operations = 50.0;
constexpr double newton_operations = 4.0;

double newton_work(double size) { return newton_operations * size * size * size; }
double pivot_work(double size) { return 2.0 * size * size; }

bool has_friction(const ContactProblem& problem) {
  return std::ranges::any_of(
      problem.blocks(), [](const Block& block) { return has_cone(block) && block.friction > 0.0; });
}

}  // namespace

std::string_view LcpSolver::refusal(const ContactProblem& problem,
                                    const SolverOptions& options) const {
  if (options.law != Law::coulomb && has_friction(problem)) {
    return "supports no law of friction but `coulomb`";
  }
  if (problem.has_turns()) return "does not support torsional and rolling friction";
  const int size = Pyramid::variable_count(problem, options.lcp.sides);
  if (options.lcp.method == LcpOptions::Method::lemke && size > lemke_variables) {
    return "supports at most 4000 variables with Lemke's method; a contact with friction has sides "
           "+ 2";
  }
  if (options.lcp.method == LcpOptions::Method::newton && size > newton_variables) {
    return "supports at most 1000 variables with Newton's method; a contact with friction has "
           "sides + 2";
  }
  return "";
}

Solver::Outcome LcpSolver::run(const ContactProblem& problem, const SolverOptions& options,
                               std::span<double> impulses) {
  const bool lemke = options.lcp.method == LcpOptions::Method::lemke;
  const double size = Pyramid::variable_count(problem, options.lcp.sides);
  pivots_ = 0;
  residual_ = std::numeric_limits<double>::infinity();
  const double setup = size * size * setup_operations;
  if (const auto limit = limit_reached(setup + (lemke ? 0.0 : newton_work(size)))) {
    return {.status = *limit};
  }
  count_work(setup);
  pyramid_.assemble(problem, judge(), options.lcp.sides, lcp_);
  z_.resize(static_cast<std::size_t>(lcp_.size()));
  w_.resize(z_.size());
  Outcome outcome = lemke ? run_lemke(options, impulses) : run_newton(options, impulses);
  pyramid_.impulses(z_, impulses);
  lcp_.evaluate(z_, w_);
  residual_ = LinearComplementarity::residual(z_, w_);
  const bool met = residual_ <= options.tolerance;
  if (outcome.status == SolverStatus::solved && !met) outcome.status = SolverStatus::stalled;
  // Because of rounding, Lemke's method may miss a solution and report a ray that starts at it.
  if (outcome.status == SolverStatus::ray && met) outcome.status = SolverStatus::solved;
  return outcome;
}

Solver::Outcome LcpSolver::run_lemke(const SolverOptions& options, std::span<double> impulses) {
  const int limit = options.max_iterations > 0
                        ? options.max_iterations
                        : std::max(least_pivots, pivots_per_variable * lcp_.size());
  SolverStatus status = SolverStatus::iteration_limit;
  lemke_.start(lcp_);
  while (lemke_.state() == Lemke::State::running && lemke_.pivots() < limit) {
    if (const auto reached = limit_reached()) {
      status = *reached;
      break;
    }
    if (keeps_history() && !lemke_.refreshing()) {
      lemke_.solution(z_);
      note_progress(options, lemke_.pivots(), impulses);
    }
    lemke_.step();
    count_work(pivot_work(lcp_.size()));
  }
  if (lemke_.state() == Lemke::State::solved) status = SolverStatus::solved;
  if (lemke_.state() == Lemke::State::ray) status = SolverStatus::ray;
  if (lemke_.state() == Lemke::State::breakdown) status = SolverStatus::breakdown;
  lemke_.solution(z_);
  pivots_ = lemke_.pivots();
  if (keeps_history()) note_progress(options, pivots_, impulses);
  return {.status = status, .iterations = pivots_};
}

Solver::Outcome LcpSolver::run_newton(const SolverOptions& options, std::span<double> impulses) {
  const int limit = options.max_iterations > 0 ? options.max_iterations : newton_steps;
  SolverStatus status = SolverStatus::iteration_limit;
  pyramid_.from_impulses(impulses, z_);
  newton_.start(lcp_, z_, std::max(newton_floor, surplus * options.tolerance));
  int steps = 0;
  for (; newton_.state() == LcpNewton::State::running && steps < limit; ++steps) {
    const double work = newton_work(lcp_.size());
    if (const auto reached = limit_reached(work)) {
      status = *reached;
      break;
    }
    newton_.step();
    count_work(work);
    if (keeps_history()) {
      std::ranges::copy(newton_.solution(), z_.begin());
      note_progress(options, steps + 1, impulses);
    }
  }
  if (newton_.state() == LcpNewton::State::stalled) status = SolverStatus::stalled;
  if (newton_.residual() <= options.tolerance) status = SolverStatus::solved;
  std::ranges::copy(newton_.solution(), z_.begin());
  return {.status = status, .iterations = steps};
}

void LcpSolver::note_progress(const SolverOptions& options, int iteration,
                              std::span<double> impulses) {
  pyramid_.impulses(z_, impulses);
  record(iteration, judge().examine(options.law, impulses).residual());
}

}  // namespace stiction
