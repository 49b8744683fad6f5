#include "experiments/implicit/iteration_counts.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/solver/implicit_complementarity.hpp"
#include "stiction/solver/lcp.hpp"

namespace stiction::experiments {

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all{
      {"published, R = 1", {.scaling = 1.0, .common_scaling = true, .restarts = 0}},
      {"published, own R", {.restarts = 0}},
      {"ours", {}}};
  return all;
}

double IterationCounts::solved_share() const {
  return problems > 0 ? static_cast<double>(solved.size()) / static_cast<double>(problems) : 0.0;
}

int IterationCounts::within(double share) const {
  const auto needed = static_cast<std::size_t>(std::ceil(share * static_cast<double>(problems)));
  if (needed == 0 || needed > solved.size()) return -1;
  return solved[needed - 1];
}

IterationCounts count_iterations(const std::vector<ContactProblem>& problems,
                                 const Algorithm& algorithm, double tolerance) {
  IterationCounts counts;
  counts.algorithm = algorithm.name;
  counts.tolerance = tolerance;
  SolverOptions options;
  options.tolerance = tolerance;
  options.check = CheckLevel::finite;
  options.implicit_complementarity = algorithm.options;
  ImplicitComplementaritySolver solver;
  std::vector<double> impulses;
  double iterations = 0.0;
  double full = 0.0;
  for (const ContactProblem& problem : problems) {
    impulses.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
    const SolverReport report = solver.solve(problem, options, impulses);
    ++counts.problems;
    iterations += report.iterations;
    full += report.iterations * solver.full_newton_fraction();
    counts.sweeps += solver.sweep_count();
    counts.microseconds += 1e6 * report.seconds;
    if (!report.certified()) continue;
    counts.solved.push_back(report.iterations);
    counts.mean += report.iterations;
  }
  std::ranges::sort(counts.solved);
  const double all = std::max(1.0, static_cast<double>(counts.problems));
  counts.mean /= std::max(1.0, static_cast<double>(counts.solved.size()));
  counts.mean_of_all = iterations / all;
  counts.full = iterations > 0.0 ? full / iterations : 1.0;
  counts.sweeps /= all;
  counts.microseconds /= all;
  return counts;
}

PyramidCosts solve_pyramids(const std::vector<ContactProblem>& problems, int stride) {
  PyramidCosts costs;
  SolverOptions options;
  options.check = CheckLevel::finite;
  options.lcp.sides = 8;
  LcpSolver lemke;
  std::vector<double> impulses;
  for (std::size_t i = 0; i < problems.size(); i += static_cast<std::size_t>(stride)) {
    impulses.assign(static_cast<std::size_t>(problems[i].row_count()), 0.0);
    const SolverReport report = lemke.solve(problems[i], options, impulses);
    ++costs.problems;
    costs.solved += report.certified() || report.status == SolverStatus::solved ? 1.0 : 0.0;
    costs.variables += lemke.variable_count();
    costs.pivots += lemke.pivots();
    costs.microseconds += 1e6 * report.seconds;
  }
  const double all = std::max(1.0, static_cast<double>(costs.problems));
  for (double* each : {&costs.solved, &costs.variables, &costs.pivots, &costs.microseconds}) {
    *each /= all;
  }
  return costs;
}

}  // namespace stiction::experiments
