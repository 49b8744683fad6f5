#pragma once

/// \file
/// Newton's method on the implicit complementarity function, with two globalisations to choose
/// from.
///
/// Implements [INC, sections III and IV]: the function is in implicit_map.hpp.
/// Levenberg-Marquardt: (JᵀJ + λ)d = −Jᵀr, with λ from the ratio of actual to predicted gain.
/// Dogleg: the Newton point if it is good enough; otherwise the best point on the way along the
/// negative gradient to the Cauchy point, then the best point from there to the Newton point. Both
/// searches test each edge of r that they cross and the midpoints between edges.
/// Deviations: the Newton point is that of G + ρ with an adaptive ρ, because redundant sticking
/// contacts make J singular. To leave a minimum of ½‖r‖² above zero, the method restarts a few
/// times after sweeps of per-contact iteration and with another R.
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

  /// Fraction of the iterations of the last solve that accepted their first point: the Newton point
  /// without line search (dogleg), or the first λ (Levenberg-Marquardt). 1 without iterations.
  [[nodiscard]] double full_newton_fraction() const;
  /// Sweeps of per-contact iteration in the restarts of the last solve; not counted as iterations.
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
  double step_work_ = 0.0;  ///< of a step up to and including its first factorization
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
