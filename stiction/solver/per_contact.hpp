#pragma once

/// \file
/// Per-contact iteration: one exact answer after the other, sweep after sweep.
/// Implements [PCI, Algorithm 2].
///
/// Notation: λ → impulses, α → relaxation, γ → relaxation_decay, α_min → relaxation_floor,
/// c_i = v*_i + Σ_{k≠i} G_ik λ_k → the velocity of contact i without its own impulse.
///
/// Deviations: ends by the certificate, not by the change of λ; limits, joint friction and locks
/// are swept along with the contacts; Coulomb's law and the convex one besides the paper's maximum
/// dissipation; v is kept up to date column by column instead of summing c_i anew, and a block
/// whose impulse stays as it is costs nothing more; a closed contact that Coulomb's law lets either
/// open or hold stays with the nearer of the two, which ends some cycles; blocks that have settled
/// may rest for some sweeps (`rest_share`).

#include <span>
#include <vector>

#include "stiction/contact/velocity_tracker.hpp"
#include "stiction/solver/iterative_solver.hpp"

namespace stiction {

/// The sweeps alone, for solvers that begin with a few of them.
class PerContactSweeps {
 public:
  /// The judge must be open on the problem; the law and the one-contact solver are taken from the
  /// options. All three and the impulses (all rows, where to begin) must stay where they are. An
  /// absurd warm start is set to zero.
  void start(const ContactProblem& problem, const Judge& judge, const SolverOptions& options,
             std::span<double> impulses);

  /// One exact answer for each block in order, λ ← λ + α (answer − λ). Returns the largest
  /// ‖answer − λ‖ of a block [N·s], NaN if a number overflowed.
  double sweep(double relaxation);

  /// Call it every few hundred sweeps, and after a change of the impulses by somebody else.
  void refresh() { velocities_.refresh(impulses_); }

  /// w = Gλ + v* − target, in step with the impulses.
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
  double update_lock(int block, double relaxation);

  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  const SolverOptions* options_ = nullptr;
  std::span<double> impulses_;
  VelocityTracker velocities_;
  int sweeps_ = 0;                    ///< since the start
  std::vector<double> last_squares_;  ///< of each block's last step; only if blocks may rest
};

/// One iteration is one sweep over all blocks; 2,000 where the options do not say. Takes every law
/// and every block kind.
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
