#pragma once

/// \file
/// The default solver: cheap sweeps first, then methods that cost more and fail less often. The
/// certificate decides when the next method is needed.
///
/// Where all contacts stuck in the step before, they mostly still do: that is tried before anything
/// else, and one linear system is all then (docs/decisions/0100).
///
/// If the first sweeps do not succeed, contacts and limits that open are left out, and join again
/// if they close (active_blocks.hpp).
///
/// Locks are eliminated first (lock_elimination.hpp): the stages see the other blocks only, and the
/// impulses of the locks follow. If the whole is not certified then, the stages see all blocks.
///
/// Problems of free bodies first get a few sweeps and two methods through the bodies: Newton's with
/// guessed modes (body_modes.hpp), which solves most in a few steps, and proximal points
/// (body_newton.hpp). If they fail, more sweeps follow and both again, three times. Heaps that are
/// not certified then go through all stages if they are small; large ones start six times instead.
///
/// 1. Per-contact sweeps over the whole problem; they solve ordinary robot contacts. Between the
///    sweeps of a small problem ModeNewton tries to finish, and mostly succeeds after the first.
/// 2. Islands that are not certified are solved one by one, with these stages until one succeeds:
///    - ModeNewton with other settings, if the island is small;
///    - proximal Newton, which needs few steps where it converges;
///    - implicit complementarity from zero, for hyperstatic faces whose gaps contradict each other
///      slightly; methods that start at the impulses of the sweeps converge slowly there;
///    - the interior point method, for large mass ratios and hyperstatic stacks, with Newton
///      finishing from every few steps;
///    - ADMM.
/// Islands of many hundred rows are swept further before stage 2, for the work of one dense step;
/// those above 3,000 rows are swept until a limit is reached. Only the sweeps support
/// max_dissipation: under it the other stages solve Coulomb's law, and more sweeps follow from
/// there. Newton's methods do not support the convex law and are left out under it.
///
/// Torsional and rolling friction: the sweeps and ModeNewton know them. If those fail, the bounds
/// are frozen at the present normal impulses, the problem that is left goes through all stages, and
/// the bounds follow, until the whole is certified (frozen_turns.hpp).
///
/// One iteration is one sweep or one step of any stage, summed over all islands.

#include <memory>
#include <span>
#include <vector>

#include "stiction/contact/islands.hpp"
#include "stiction/solver/active_blocks.hpp"
#include "stiction/solver/admm.hpp"
#include "stiction/solver/body_modes.hpp"
#include "stiction/solver/body_newton.hpp"
#include "stiction/solver/extrapolation.hpp"
#include "stiction/solver/frozen_turns.hpp"
#include "stiction/solver/implicit_complementarity.hpp"
#include "stiction/solver/interior_point.hpp"
#include "stiction/solver/iterative_solver.hpp"
#include "stiction/solver/lock_elimination.hpp"
#include "stiction/solver/mode_newton.hpp"
#include "stiction/solver/per_contact.hpp"
#include "stiction/solver/proximal_newton.hpp"

namespace stiction {

class HybridSolver final : public IterativeSolver {
 public:
  [[nodiscard]] std::string_view name() const override { return "hybrid"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

  [[nodiscard]] bool shares_loads(const ContactProblem& problem,
                                  const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  /// What the stages work on: one island with its judge and the best impulses so far.
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

  /// Limits of the number of sweeps.
  struct Sweeping {
    int least = 0;  ///< beyond it, they continue only if `most` is predicted to be enough
    int most = 0;
  };
  /// Up to so many rows a dense factorization costs no more than a few sweeps. Heaps of more rows
  /// are left to the methods through bodies: dense stages take seconds and seldom do better.
  static constexpr int cheap_island = 450;
  /// The methods through bodies: the sweeps before a start, and the steps of BodyNewton.
  struct BodyStart {
    Sweeping sweeping;
    int steps = 0;
  };
  static const BodyStart body_starts[6];

  /// Whether all contacts stick, as they did at the start: then one step of Newton's method is all.
  [[nodiscard]] bool solved_by_sticking(const ContactProblem& problem, const SolverOptions& options,
                                        std::span<double> impulses);
  /// Solves the problem without its locks, then for these; whether all is certified.
  [[nodiscard]] bool solved_without_locks(const ContactProblem& problem,
                                          const SolverOptions& options, std::span<double> impulses);
  /// Solves the problem without the contacts and limits that open; whether all is certified.
  [[nodiscard]] bool solved_without_open(const ContactProblem& problem,
                                         const SolverOptions& options, std::span<double> impulses);
  /// Solves a problem of free bodies through their velocities; whether it is certified. Otherwise
  /// the impulses are the best so far.
  [[nodiscard]] bool solved_by_bodies(const ContactProblem& problem, const SolverOptions& options,
                                      std::span<double> impulses);
  [[nodiscard]] bool finished_by_modes_of_bodies(const SolverOptions& options, int patience,
                                                 double& work_left, std::span<double> impulses);
  [[nodiscard]] bool finished_by_bodies(const SolverOptions& options, int steps, double& work_left,
                                        std::span<double> impulses);
  Outcome sweep(const ContactProblem& problem, const SolverOptions& options,
                std::span<double> impulses, const Sweeping& sweeping);
  /// Whether Newton's method leads from the impulses after sweep `k` to certified ones. `shares`:
  /// loads are shared evenly; if not, they stay as they are.
  [[nodiscard]] bool finished_by_newton(const ContactProblem& problem, int k, bool shares,
                                        std::span<double> impulses);
  /// Shares the loads that Newton's method has just found evenly; whether it could.
  [[nodiscard]] bool shared_by_newton(const ContactProblem& problem, double goal,
                                      std::span<double> impulses);
  [[nodiscard]] bool settled_again(const ContactProblem& problem, const Judge& judge,
                                   const VelocityTracker& velocities, double goal,
                                   std::span<double> impulses);
  [[nodiscard]] bool searched_by_newton(const ContactProblem& problem, const Judge& judge,
                                        const VelocityTracker& velocities, double goal,
                                        NewtonSettings settings, std::span<double> impulses);
  [[nodiscard]] bool certified_by_refining(const ContactProblem& problem, int k, int steps,
                                           std::span<double> impulses);
  [[nodiscard]] bool refined_by_newton(const ContactProblem& problem,
                                       const Certificate& certificate, double goal,
                                       std::span<double> impulses);
  [[nodiscard]] int largest_island_rows() const;
  Outcome sweep_large_islands(const ContactProblem& problem, const SolverOptions& options,
                              std::span<double> impulses, const Outcome& before);
  Outcome sweep_from_coulomb(const ContactProblem& problem, const SolverOptions& options,
                             std::span<double> impulses);
  [[nodiscard]] bool finished_by_modes(const ContactProblem& problem, const SolverOptions& options,
                                       std::span<double> impulses);
  Outcome solve_with_frozen_turns(const ContactProblem& problem, const SolverOptions& options,
                                  std::span<double> impulses);
  /// Whether the dense stages can solve an island of this size within the limits that are left.
  [[nodiscard]] bool has_dense_stages(int rows) const;
  void solve_islands(const ContactProblem& problem, std::span<double> impulses,
                     double impulse_scale);
  void open_task(const ContactProblem& problem, int island, std::span<const double> impulses);
  void solve_task();
  void mode_stage();
  void search_stage();
  void offer_settled();
  void offer_shared();
  void offer_refined(std::span<double> impulses);
  void newton_stage(std::span<const double> start, double scaling, int steps);
  void sweep_task(std::span<const double> start);
  void interior_stage(bool follow_slip);
  void dogleg_stage();
  void admm_stage();
  void run_on_task(Solver& solver, int most_steps, bool from_best);

  /// Examines impulses of the task and keeps them if they are the best so far. Returns their
  /// residual.
  double offer(std::span<const double> impulse);
  [[nodiscard]] bool task_done() const;
  /// Whether a limit of iterations, work or time is reached.
  [[nodiscard]] bool exhausted() const;

  SolverOptions stage_options_;  ///< those of the solve, with a law that the stages support
  int iterations_ = 0;
  int most_iterations_ = 0;
  std::vector<double> kept_;    ///< impulses before a stage that may make them worse
  std::vector<double> shared_;  ///< impulses before or after loads are shared
  bool whole_ = false;          ///< the task is the whole problem
  bool by_sweeps_ = false;      ///< the stages solve another law than the one of the solve
  LockElimination locks_;
  std::unique_ptr<HybridSolver> without_locks_;  ///< made when the first lock is met
  std::vector<double> rest_;                     ///< impulses of all blocks but locks
  ActiveBlocks active_;
  std::unique_ptr<HybridSolver> of_active_;  ///< made when something is left out first
  bool is_of_active_ = false;                ///< leaves nothing out itself
  std::vector<double> active_impulses_;
  PerContactSweeps sweeps_;
  SweepExtrapolation extrapolation_;
  ModeNewton mode_newton_;
  BodyEquations equations_;
  BodyModes body_modes_;
  BodyNewton body_newton_;
  Islands islands_;
  Task task_;
  ProximalNewton newton_;
  ImplicitComplementaritySolver dogleg_;
  InteriorPoint interior_;
  AdmmSolver admm_;
  FrozenTurns frozen_;
  std::unique_ptr<HybridSolver> inner_;  ///< solves `frozen_`; made when it is first needed
};

}  // namespace stiction
