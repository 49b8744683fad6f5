#pragma once

/// \file
/// Per-contact iteration: each sweep replaces the impulse of one block after another by its exact
/// answer, the others fixed. Implements [PCI, Algorithm 2].
///
/// Notation: λ → impulses, α → relaxation, γ → relaxation_decay, α_min → relaxation_floor,
/// c_i = v*_i + Σ_{k≠i} G_ik λ_k → the velocity of contact i without its own impulse.
///
/// Deviations: the certificate ends the iteration, not the change of λ. Limits, joint friction,
/// locks, and torsional and rolling friction are swept too. Coulomb's law and the convex law are
/// supported besides the paper's maximum dissipation. v is updated column by column instead of
/// summing c_i again, so a block whose impulse does not change costs little. Where Coulomb's law
/// allows a closed contact both to open and to stay closed, the nearer answer is taken, which ends
/// some cycles. Settled blocks may be left out of some sweeps (`rest_fraction`).

#include <span>
#include <vector>

#include "stiction/contact/velocity_tracker.hpp"
#include "stiction/solver/iterative_solver.hpp"

namespace stiction {

/// The relaxation of the next sweep.
[[nodiscard]] double next_relaxation(const PerContactOptions& options, double relaxation);

/// The sweeps alone, for solvers that start with some of them.
class PerContactSweeps {
 public:
  /// The judge must be open on the problem; the law and the one-contact solver come from the
  /// options. `impulses` (all rows) are the starting point. None of the arguments may be moved. A
  /// useless warm start is set to zero (warm_start.hpp).
  void start(const ContactProblem& problem, const Judge& judge, const SolverOptions& options,
             std::span<double> impulses);

  /// λ ← λ + α (answer − λ) for each block in order. Returns the largest ‖answer − λ‖ of a block
  /// [N·s]; NaN if a number overflowed.
  double sweep(double relaxation);

  /// Call it every VelocityTracker::refresh_period sweeps, and when others changed the impulses.
  void refresh() { velocities_.refresh(impulses_); }

  /// w = Gλ + v* − target of the current impulses.
  [[nodiscard]] const VelocityTracker& velocities() const { return velocities_; }

 private:
  template <DelassusStorage storage, class Solve>
  double sweep_blocks(const Solve& solve, double relaxation);
  [[nodiscard]] double resting_square();
  template <DelassusStorage storage, class Solve>
  double update_contact(const Solve& solve, int block, double relaxation);
  [[nodiscard]] Vector3<double> step_of_opening(int block, const Vector3<double>& c,
                                                const Vector3<double>& lambda) const;
  double update_row(int block, double relaxation);
  double update_bilateral(int block, double relaxation);
  double update_turn(int block, double relaxation);

  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  const SolverOptions* options_ = nullptr;
  std::span<double> impulses_;
  VelocityTracker velocities_;
  int sweeps_ = 0;                     ///< since the start
  bool opens_when_separating_ = true;  ///< LawTraits
  std::vector<double> last_squares_;   ///< of each block's last step; only if blocks may rest
};

/// One iteration is one sweep over all blocks; 2,000 by default. Supports every law and every kind
/// of block.
class PerContactSolver final : public IterativeSolver {
 public:
  [[nodiscard]] std::string_view name() const override { return "per_contact"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  PerContactSweeps sweeps_;
};

}  // namespace stiction
