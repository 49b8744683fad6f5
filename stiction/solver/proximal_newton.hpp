#pragma once

/// \file
/// Newton's method on the implicit complementarity function with a proximal term: the second stage
/// of `hybrid`.
///
/// Implements [INC, III], reduced to what can move.
/// Each block has x = w − R f; impulse f(x) and velocity w(x) = x + R f(x) keep the law for every
/// x, and r(x) = G f(x) + v* − w(x) = 0 is solved (targets taken out). Near x, Δf = B y with as
/// many unknowns y as the block is free to change: open 0, stick 3, slip 2 (along the cone's edge,
/// and around the cone), so a step solves (C G_ρ B + E) y = −C r of that size. Deviations: G_ρ = G
/// + ρ diag in the step only, not in r: a proximal point method that takes one Newton step per
/// point. It leaves the solution as it is, makes hyperstatic sticking solvable, and ρ falls as the
/// steps succeed.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/dense_factor.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class ProximalNewton {
 public:
  /// `problem` (dense storage) must stay where it is. R is `scaling` times the mean of the diagonal
  /// of each block.
  void start(const ContactProblem& problem, std::span<const double> impulse, double scaling);

  /// One step with line search. False if no step length made the residual smaller; ρ has grown
  /// then.
  bool step();

  /// ½ Σ ‖r_i‖²/R_i at the present point [J].
  [[nodiscard]] double merit() const { return merit_; }
  [[nodiscard]] double proximal() const { return rho_; }
  /// Impulses that keep the cone exactly.
  [[nodiscard]] std::span<const double> impulse() const {
    return {f_.data(), static_cast<std::size_t>(f_.size())};
  }

 private:
  void evaluate(const WorkVector& x, WorkVector& f, WorkVector& r) const;
  [[nodiscard]] double merit_of(const WorkVector& r) const;
  void linearize();
  bool solve_direction();

  /// One way in which an impulse may change: at most three rows of B and of C.
  struct Freedom {
    int row = 0;
    int rows = 1;
    Eigen::Vector3d along;    ///< column of B
    Eigen::Vector3d across;   ///< row of C
    double compliance = 0.0;  ///< E
  };

  const ContactProblem* problem_ = nullptr;
  std::vector<double> R_;  ///< by block; 0: its point cannot move, its impulse stays zero
  WorkVector row_R_;       ///< by row
  std::vector<Freedom> freedoms_;
  WorkVector x_, f_, r_, dx_, df_, y_;
  WorkVector trial_x_, trial_f_, trial_r_;
  WorkMatrix GB_;
  LuFactor lu_;
  double merit_ = 0.0;
  double rho_ = 0.0;
};

}  // namespace stiction
