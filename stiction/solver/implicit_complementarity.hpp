#pragma once

/// \file
/// Newton's method on the implicit complementarity function, with a choice of two globalisations.
///
/// Implements [INC, sections III and IV]: the function is in implicit_map.hpp.
/// Levenberg-Marquardt: (JᵀJ + λ)d = −Jᵀr, λ by the ratio of the gain to the one foretold.
/// Dogleg: the Newton point if it is good enough; else the best point on the way down the gradient
/// to the Cauchy point, then the best point from there towards the Newton point. Both searches know
/// the edges of r, test each edge that they cross and the middle between two.
/// Deviations: the Newton point is that of G + ρ, since sticking contacts that cannot be told apart
/// make J singular; ρ adapts. A point where ½‖r‖² has a minimum but not zero is left by sweeps of
/// per-contact iteration and with another R, a few times.
///
/// One iteration is one derivative and the steps tried from it.

#include <span>
#include <vector>

#include "stiction/solver/implicit_map.hpp"
#include "stiction/solver/lu_factor.hpp"
#include "stiction/solver/per_contact.hpp"
#include "stiction/solver/solver.hpp"
#include "stiction/solver/tiled_cholesky.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class ImplicitComplementaritySolver final : public Solver {
 public:
  [[nodiscard]] std::string_view name() const override { return "implicit_complementarity"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

  /// Of the iterations of the last solve, the share whose first point was taken: the Newton point
  /// without any line search (dogleg), or the first λ tried (Levenberg-Marquardt). 1 without
  /// iterations.
  [[nodiscard]] double full_newton_share() const;
  /// Sweeps of per-contact iteration that restarts of the last solve took; they are not iterations.
  [[nodiscard]] int sweep_count() const { return sweep_count_; }

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  using Globalization = ImplicitComplementarityOptions::Globalization;

  void open(const ContactProblem& problem, const SolverOptions& options);
  void start_at(std::span<const double> impulses);
  [[nodiscard]] bool examine(const SolverOptions& options);
  [[nodiscard]] bool is_stuck(bool descended);
  [[nodiscard]] bool restart(const ContactProblem& problem, const SolverOptions& options);

  bool levenberg_marquardt_step();
  void form_normal_equations();
  bool dogleg_step();
  bool find_newton_step();
  void find_cauchy_step();
  double search(const WorkVector& from, double merit_from, const WorkVector& step);
  void choose_candidates(const WorkVector& from, const WorkVector& step);
  double merit_at(const WorkVector& from, double length, const WorkVector& step);
  void move_to(const WorkVector& x);

  ImplicitMap map_;
  WorkVector x_;
  WorkVector r_;
  double merit_ = 0.0;  ///< ½‖r‖² [J]
  WorkMatrix J_;
  WorkMatrix normal_;    ///< JᵀJ, lower triangle
  WorkVector gradient_;  ///< Jᵀr
  WorkVector shift_;
  WorkVector step_;
  WorkVector newton_;  ///< the Newton point
  WorkVector cauchy_;  ///< where the first line search ended
  WorkVector trial_x_;
  WorkVector trial_r_;
  TiledCholesky cholesky_;
  LuFactor lu_;
  double damping_ = 0.0;   ///< λ of Levenberg-Marquardt
  double proximal_ = 0.0;  ///< ρ of the Newton point
  std::vector<double> edges_;
  std::vector<double> candidates_;  ///< step lengths to test

  PerContactSolver sweeps_;
  double step_work_ = 0.0;  ///< of a step's first factorization and what comes before it
  double map_work_ = 0.0;   ///< of one evaluation of the function
  int restarts_ = 0;
  int sweep_count_ = 0;
  double patience_ = 0.0;  ///< steps
  double merit_to_halve_ = 0.0;
  int steps_since_halved_ = 0;
  int iterations_ = 0;
  int full_newton_steps_ = 0;
  std::vector<double> best_;
  std::vector<double> candidate_;
  double best_residual_ = 0.0;
};

}  // namespace stiction
