#pragma once

/// \file
/// The default solver: cheap sweeps first, and what they leave over goes to methods that cost more
/// and fail less. Every change of method is decided by the certificate.
///
/// 1. Per-contact sweeps over the whole problem; ordinary robot contacts end here. Between the
///    sweeps of a small problem Newton's method tries to finish (ModeNewton), mostly with success
///    after the first one.
/// 2. The rest is done island by island: ModeNewton in other manners if the island is small;
///    proximal Newton, which needs a handful of steps where it converges; implicit complementarity
///    from zero, for hyperstatic faces whose gaps contradict each other a little, where all that
///    starts from the sweeps creeps along the null space; the interior point method, for large mass
///    ratios and hyperstatic stacks, each few steps handed to Newton to finish; ADMM.
/// Islands of many hundred rows are swept on for the work of a dense step, those beyond 3,000 until
/// a limit is reached. Under max_dissipation, which only the sweeps know, the other stages
/// solve Coulomb's law, and more sweeps follow from there; under the convex law Newton, which does
/// not know it, is left out.
///
/// One iteration is one sweep or one step of any stage, all islands added up.

#include <span>
#include <vector>

#include "stiction/contact/islands.hpp"
#include "stiction/solver/admm.hpp"
#include "stiction/solver/extrapolation.hpp"
#include "stiction/solver/implicit_complementarity.hpp"
#include "stiction/solver/interior_point.hpp"
#include "stiction/solver/iterative_solver.hpp"
#include "stiction/solver/mode_newton.hpp"
#include "stiction/solver/per_contact.hpp"
#include "stiction/solver/proximal_newton.hpp"

namespace stiction {

class HybridSolver final : public IterativeSolver {
 public:
  [[nodiscard]] std::string_view name() const override { return "hybrid"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  /// What the stages work on: one island, its judge, and the best impulses so far.
  struct Task {
    ContactProblem own;                       ///< the island, if it is not the whole problem
    const ContactProblem* problem = nullptr;  ///< the island
    Judge judge;
    VelocityTracker velocities;  ///< of `trial`, for ModeNewton
    std::vector<double> best;
    std::vector<double> trial;
    Certificate certificate;    ///< of `best`
    double impulse_goal = 0.0;  ///< residual that is small enough [N·s]
  };

  /// When sweeps end, if they do not end by themselves.
  struct Sweeping {
    int least = 0;  ///< from here on only if `most` sweeps are foreseen to be enough
    int most = 0;
  };

  Outcome sweep(const ContactProblem& problem, const SolverOptions& options,
                std::span<double> impulses, const Sweeping& sweeping);
  /// Whether Newton's method leads from the impulses after sweep `k` to certified ones.
  [[nodiscard]] bool finished_by_newton(const ContactProblem& problem, int k,
                                        std::span<double> impulses);
  Outcome sweep_large_islands(const ContactProblem& problem, const SolverOptions& options,
                              std::span<double> impulses, const Outcome& before);
  Outcome sweep_from_coulomb(const ContactProblem& problem, const SolverOptions& options,
                             std::span<double> impulses);
  /// Whether an island of so many rows can be given to the dense stages with what is left.
  [[nodiscard]] bool has_dense_stages(int rows) const;
  void solve_islands(const ContactProblem& problem, std::span<double> impulses,
                     double impulse_scale);
  void open_task(const ContactProblem& problem, int island, std::span<const double> impulses);
  void solve_task();
  void mode_stage();
  void newton_stage(std::span<const double> start, double scaling, int steps);
  void sweep_task(std::span<const double> start);
  void interior_stage(bool follow_slip);
  void dogleg_stage();
  void admm_stage();

  /// Judges impulses of the task, keeps them if they are the best so far; their residual.
  double offer(std::span<const double> impulse);
  [[nodiscard]] bool task_done() const;
  /// Whether a limit of iterations, work or time is reached.
  [[nodiscard]] bool exhausted() const;

  SolverOptions stage_options_;  ///< those of the solve, with the law that the stages know
  int iterations_ = 0;
  int most_iterations_ = 0;
  std::vector<double> kept_;  ///< impulses before a stage that may make them worse
  bool whole_ = false;        ///< the task is the whole problem
  bool by_sweeps_ = false;    ///< the stages know another law than the one that is asked for
  PerContactSweeps sweeps_;
  SweepExtrapolation extrapolation_;
  ModeNewton mode_newton_;
  Islands islands_;
  Task task_;
  ProximalNewton newton_;
  ImplicitComplementaritySolver dogleg_;
  InteriorPoint interior_;
  AdmmSolver admm_;
};

}  // namespace stiction
