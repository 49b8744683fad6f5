#pragma once

/// \file
/// One call for "solve this problem by that solver", with the velocities that come of it.

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/solver/solver.hpp"

namespace stiction::test {

struct SolverRun {
  SolverStatus status = SolverStatus::invalid_problem;
  int iterations = 0;
  Certificate certificate;
  std::string message;
  Eigen::VectorXd impulse;
  Eigen::VectorXd velocity;  ///< w = Gλ + v* − target

  [[nodiscard]] bool certified() const { return status == SolverStatus::certified; }
};

/// `start`: where to begin, if it is not empty.
inline SolverRun run_solver(std::string_view name, const ContactProblem& problem,
                            SolverOptions options = {}, const Eigen::VectorXd& start = {}) {
  SolverRun run;
  run.impulse = Eigen::VectorXd::Zero(problem.row_count());
  if (start.size() > 0) {
    run.impulse = start;
    options.warm_start = true;
  }
  const std::span<double> impulse(run.impulse.data(),
                                  static_cast<std::size_t>(problem.row_count()));
  const std::unique_ptr<Solver> solver = make_solver(name);
  const SolverReport report = solver->solve(problem, options, impulse);
  run.status = report.status;
  run.iterations = report.iterations;
  run.certificate = report.certificate;
  run.message = report.message;
  run.velocity.resize(problem.row_count());
  problem.multiply(impulse, {run.velocity.data(), impulse.size()});
  run.velocity += problem.shifted_velocity();
  return run;
}

}  // namespace stiction::test
