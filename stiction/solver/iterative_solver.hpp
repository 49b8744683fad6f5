#pragma once

/// \file
/// The base class of solvers with cheap iterations: decides when to ask the judge and when to stop,
/// and keeps the best impulses so far.

#include <span>
#include <vector>

#include "stiction/solver/solver.hpp"

namespace stiction {

/// A certificate costs as much as a sweep of exact answers. So the judge is asked when the steps of
/// the iteration suggest that the tolerance is met, and from time to time.
class IterativeSolver : public Solver {
 protected:
  /// When an iteration ends.
  struct Patience {
    int iterations = 2000;       ///< default limit
    int without_gain = 300;      ///< iterations without a smaller step after which it stalls
    bool by_certificate = true;  ///< ends when certified; otherwise only by end()
    int history_offset = 0;      ///< iterations of earlier stages, for the history
  };

  /// Before the first iteration. `impulses` are those that the iteration changes. A warm start is
  /// kept: it is restored if it is certified and the iteration fails.
  void begin(const ContactProblem& problem, const SolverOptions& options, Patience patience,
             std::span<double> impulses);

  /// After iteration `k` = 1, 2, …, whose largest step before relaxation was `step` [N·s]. Returns
  /// whether it was the last one. A NaN step means that a number overflowed.
  [[nodiscard]] bool ended(int k, double step);

  /// Ends the iteration at `k` by a criterion of the solver, instead of ended().
  void end(int k, SolverStatus status);

  /// After another method changed the impulses between iterations `k` and `k` + 1 in `steps` steps.
  /// Returns whether they are certified, so that `k` was the last iteration.
  [[nodiscard]] bool certified_between(int k, int steps);

  /// After the last iteration. Restores the best impulses.
  Outcome finish();

 private:
  [[nodiscard]] bool examine(int k);
  void examine_start();
  [[nodiscard]] bool rests_to_rounding(int block);
  [[nodiscard]] bool is_due(int k, double step);
  [[nodiscard]] bool has_stalled(int k, double step);

  const ContactProblem* problem_ = nullptr;
  const SolverOptions* options_ = nullptr;
  std::span<double> impulses_;
  Outcome outcome_;
  int limit_ = 0;         ///< iterations
  int without_gain_ = 0;  ///< Patience::without_gain
  bool by_certificate_ = true;
  int history_offset_ = 0;
  double sweep_work_ = 0.0;  ///< of an iteration or a certificate
  int next_regular_ = 0;     ///< iteration of the next regular certificate
  int examined_at_ = 0;      ///< iteration of the last certificate
  double step_then_ = 0.0;  ///< step at the last certificate that was asked for because of its step
  double last_step_ = 0.0;
  double best_step_ = 0.0;
  int best_step_at_ = 0;
  double last_residual_ = 0.0;  ///< of the last certificate
  double best_residual_ = 0.0;
  int at_rounding_ = 0;  ///< consecutive certificates whose worst block moved only by rounding
  std::vector<double> best_;
  bool keeps_start_ = false;
  std::vector<double> start_;  ///< impulses of the warm start
};

}  // namespace stiction
