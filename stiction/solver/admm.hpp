#pragma once

/// \file
/// Alternating direction method of multipliers (ADMM) on De Saxcé's form of Coulomb's law: with
/// σ = w + µ|w_T| n the law is K ∋ λ ⊥ σ ∈ K*, with K the friction cone and K* its dual. The convex
/// law is the same with σ = w. Slow, but it solves nearly every problem.
///
/// Implements [Carpentier2024] on the form of [DeSaxceFeng1998], over-relaxed [Boyd2011, section
/// 3.4.3] and with Anderson's mixing (anderson.hpp), written as Douglas and Rachford's splitting:
/// the vector ζ = z + y/ρ is the whole state. With z = P_K(ζ) and y = ρ(ζ − z), an iteration solves
///   (G + (ρ + η)I) λ = (ρ + η)z − y − v* − µ|y_T| n
/// and continues at ζ + α(λ − z).
/// Notation: ζ → `state_`, z → `cone_impulse_`, y = −σ → `multiplier_`, ρ → `penalty_`,
/// η → `proximal_`, α → `relaxation`.
/// Deviations: each block is scaled to a mean diagonal of one by a single number, which keeps the
/// cones. The proximal term pulls towards z instead of the last λ. Rows of locks have no penalty,
/// because they have no bounds. Coulomb's law is not convex, so convergence is not guaranteed: if
/// the residual no longer falls, the next of several variants is tried. Variants without mixing
/// take many steps at once where the steps hardly change. The result is z, which is exactly inside
/// the cones.
///
/// One iteration is one solve with the factor of G + (ρ + η)I and one projection.

#include <cstddef>
#include <span>
#include <vector>

#include "stiction/solver/anderson.hpp"
#include "stiction/solver/solver.hpp"
#include "stiction/solver/tiled_cholesky.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class AdmmSolver final : public Solver {
 public:
  [[nodiscard]] std::string_view name() const override { return "admm"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  void open(const ContactProblem& problem, const SolverOptions& options);
  void resize();
  void scale_rows();
  [[nodiscard]] double largest_eigenvalue();
  void begin(std::span<const double> impulses);
  [[nodiscard]] SolverStatus factorize();

  void step();
  void project(int block, const WorkVector& point, WorkVector& result);
  void project_all();
  void measure();
  void advance();
  void leap();

  [[nodiscard]] bool examine(int iteration, const SolverOptions& options);
  [[nodiscard]] bool has_gained(int iteration);
  bool try_next_variant(int iteration);
  bool balance_penalty(int iteration);
  void change_penalty(double penalty);

  const ContactProblem* problem_ = nullptr;
  bool coulomb_ = true;           ///< false: the convex law
  WorkVector scale_;              ///< D, all rows: the members below are for D⁻¹λ and D w
  WorkMatrix matrix_;             ///< D G D
  WorkVector free_;               ///< D (v* − target)
  double penalty_scale_ = 1.0;    ///< root of the largest eigenvalue of D G D
  double proximal_ = 0.0;         ///< η
  double penalty_ = 1.0;          ///< ρ
  WorkVector shift_;              ///< ρ + η of each row; η alone on locks
  TiledCholesky factor_;          ///< of D G D + shift
  WorkVector state_;              ///< ζ
  WorkVector cone_impulse_;       ///< z
  WorkVector last_impulse_;       ///< z of the iteration before
  WorkVector multiplier_;         ///< y
  WorkVector impulse_;            ///< λ
  WorkVector image_;              ///< ζ after an iteration
  double primal_residual_ = 0.0;  ///< |λ − z|, relative to |z|
  double dual_residual_ = 0.0;    ///< ρ|z − last z|, relative to |σ|

  AndersonMixing mixing_;
  WorkVector mixed_;
  WorkVector fallback_;       ///< state to continue from if a mixed state is rejected
  double last_change_ = 0.0;  ///< |image − ζ| at the last accepted state

  int since_leap_ = 0;  ///< iterations
  std::size_t variant_ = 0;
  int patience_ = 0;         ///< iterations to halve the residual before the next variant is tried
  int failed_variants_ = 0;  ///< since the best residual was halved
  double milestone_ = 0.0;   ///< residual to halve
  int milestone_at_ = 0;     ///< iteration
  int next_balance_ = 0;     ///< iteration of the next check of the penalty
  int balance_interval_ = 0;
  double residual_ = 0.0;  ///< of the last certificate
  double best_residual_ = 0.0;
  std::vector<double> best_;  ///< impulses of the best certificate, not scaled
  std::vector<double> candidate_;
};

}  // namespace stiction
