#include "experiments/per_contact/printed_per_contact.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/sim/workspace_parts.hpp"

namespace stiction::experiments {

namespace {

constexpr int most_sweeps = 2000;

}  // namespace

double PrintedPerContactSolver::unrest(const ContactProblem& problem,
                                       std::span<const double> impulses) {
  double sum = 0.0;
  for (std::size_t i = 0; i < impulses.size(); ++i) sum += std::abs(impulses[i] - before_[i]);
  if (!(sum < threshold_)) return sum;
  sweeps_.velocities().read_all(velocity_);
  for (const Block& block : problem.blocks()) {
    if (block.kind == BlockKind::contact) sum += std::max(0.0, -velocity_[index(block.row + 2)]);
  }
  return sum;
}

Solver::Outcome PrintedPerContactSolver::run(const ContactProblem& problem,
                                             const SolverOptions& options,
                                             std::span<double> impulses) {
  const int limit = options.max_iterations > 0 ? options.max_iterations : most_sweeps;
  sweeps_.start(problem, judge(), options, impulses);
  velocity_.resize(impulses.size());
  double relaxation = options.per_contact.relaxation;
  for (int k = 1; k <= limit; ++k) {
    before_.assign(impulses.begin(), impulses.end());
    sweeps_.sweep(relaxation);
    // `certified` means that it is content: certify() asks the judge in any case.
    if (unrest(problem, impulses) < threshold_) {
      return {.status = SolverStatus::certified, .iterations = k, .note = {}};
    }
    if (k % VelocityTracker::refresh_period == 0) sweeps_.refresh();
    relaxation = next_relaxation(options.per_contact, relaxation);
  }
  return {.status = SolverStatus::certified, .iterations = limit, .note = {}};
}

void use_solver(Workspace& workspace, std::string_view name, std::unique_ptr<Solver> solver) {
  Workspace::Parts& parts = workspace.parts();
  if (parts.workers.empty()) parts.workers.emplace_back(parts.model, parts.layout);
  solver->measure_time(false);
  parts.workers.front().solver = std::move(solver);
  parts.workers.front().solver_name = name;
}

}  // namespace stiction::experiments
