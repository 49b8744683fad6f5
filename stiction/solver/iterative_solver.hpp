#pragma once

/// \file
/// What solvers share that repeat a cheap iteration: when to ask the judge, when to give up, and
/// the best impulses so far.

#include <span>
#include <vector>

#include "stiction/solver/solver.hpp"

namespace stiction {

/// A certificate costs as much as a sweep of exact answers. So it is asked for when the step of the
/// iteration lets one expect that it is met, and every so often besides.
class IterativeSolver : public Solver {
 protected:
  /// How patient an iteration is.
  struct Patience {
    int iterations = 2000;   ///< at most, where the options do not say
    int without_gain = 300;  ///< iterations without a step smaller than all before: it has stalled
    bool by_certificate = true;  ///< ends when the certificate is met; else only by its own end()
    int history_offset = 0;      ///< iterations of earlier stages, for the history
  };

  /// Before the first iteration. `impulses` are those that the iteration changes. A warm start is
  /// remembered: it comes back if it is certified and nothing else is found.
  void begin(const ContactProblem& problem, const SolverOptions& options, Patience patience,
             std::span<double> impulses);

  /// After iteration `k` = 1, 2, …, which would have liked to change an impulse by `step` [N·s]:
  /// whether it was the last one. NaN means that numbers overflowed.
  [[nodiscard]] bool ended(int k, double step);

  /// Ends the iteration at `k` for a reason of the solver's own; for use instead of ended().
  void end(int k, SolverStatus status);

  /// After another method has changed the impulses between iterations `k` and `k` + 1, in so many
  /// steps of its own: whether they are certified, and so `k` was the last iteration.
  [[nodiscard]] bool certified_between(int k, int steps);

  /// After the last iteration: the best impulses are put in place.
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
  int next_regular_ = 0;     ///< iteration at which a certificate is due in any case
  int examined_at_ = 0;      ///< iteration of the last certificate
  double step_then_ = 0.0;   ///< step of the last certificate that was asked for because of it
  double last_step_ = 0.0;
  double best_step_ = 0.0;
  int best_step_at_ = 0;
  double last_residual_ = 0.0;  ///< of the last certificate
  double best_residual_ = 0.0;
  int at_rounding_ = 0;  ///< certificates in a row whose worst block rests to rounding
  std::vector<double> best_;
  bool keeps_start_ = false;
  std::vector<double> start_;  ///< impulses of the warm start
};

}  // namespace stiction
