#pragma once

/// \file
/// The convex relaxation of contact as an optimisation problem.
///
/// Solves [PCI] (7): min ½ λᵀGλ + (v* − target)ᵀλ over the product of the friction cones, by the
/// accelerated projected gradient of [BeckTeboulle2009, section 4] with the restart of
/// [ODonoghueCandes2015, section 3.2].
///
/// Notation: x_k, y_k, t_k → impulses, extrapolated_, momentum; L → curvature_.
///
/// Deviations: every block has its own step length (3/tr G_ii), which is the plain method in scaled
/// impulses. L starts from a power iteration and grows when a step shows that it is too small. G y
/// is computed from G x, so that one product per iteration is enough.

#include <Eigen/Core>

#include "stiction/solver/iterative_solver.hpp"

namespace stiction {

/// One iteration is one gradient step; 20,000 by default. Supports the convex law and every kind of
/// block.
class ConvexSolver final : public IterativeSolver {
 public:
  [[nodiscard]] std::string_view name() const override { return "convex"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  void start(const ContactProblem& problem, std::span<double> impulses);
  void estimate_curvature(const ContactProblem& problem);
  double gradient_step(const ContactProblem& problem, std::span<double> impulses);
  void project(const ContactProblem& problem, std::span<double> impulses) const;
  void extrapolate(std::span<const double> impulses, bool restart);

  Eigen::VectorXd scale_;            ///< 3/tr G_ii of each row's block; 0 where it cannot move
  Eigen::VectorXd inverse_;          ///< tr G_ii/3, or 0
  Eigen::VectorXd before_;           ///< x of the iteration before
  Eigen::VectorXd extrapolated_;     ///< y
  Eigen::VectorXd velocity_;         ///< G x
  Eigen::VectorXd velocity_before_;  ///< G x of the iteration before
  Eigen::VectorXd extrapolated_velocity_;  ///< G y
  double curvature_ = 1.0;                 ///< L: at least the largest eigenvalue of the scaled G
  double momentum_ = 1.0;                  ///< t
};

}  // namespace stiction
