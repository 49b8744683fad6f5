#pragma once

/// \file
/// Per-contact iteration with the stop of the paper. Implements [PCI, Algorithm 2] with the sweeps
/// of the library.

#include "stiction/sim/workspace.hpp"
#include "stiction/solver/per_contact.hpp"

namespace stiction::experiments {

/// Ends when the sum of |Δλ| [N·s] in a sweep and of penetrating velocities [m/s] after it is below
/// `threshold`, whatever the law says then.
class PrintedPerContactSolver final : public Solver {
 public:
  explicit PrintedPerContactSolver(double threshold) : threshold_(threshold) {}

  [[nodiscard]] std::string_view name() const override { return "per_contact"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem&,
                                         const SolverOptions&) const override {
    return {};
  }
  /// The paper spreads no loads, so that a step must not do it in advance.
  [[nodiscard]] bool shares_loads(const ContactProblem&, const SolverOptions&) const override {
    return true;
  }

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  [[nodiscard]] double unrest(const ContactProblem& problem, std::span<const double> impulses);

  double threshold_;
  PerContactSweeps sweeps_;
  std::vector<double> before_;  ///< impulses before the sweep
  std::vector<double> velocity_;
};

/// From now on, steps with this workspace, one thread and the solver `name` use `solver`.
void use_solver(Workspace& workspace, std::string_view name, std::unique_ptr<Solver> solver);

}  // namespace stiction::experiments
