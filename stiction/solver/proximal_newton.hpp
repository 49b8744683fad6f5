#pragma once

/// \file
/// Newton's method on the implicit complementarity function with a proximal term: the second stage
/// of `hybrid`.
///
/// Implements [INC, section III], reduced to the impulses that can change.
/// Each block has x = w − R f; impulse f(x) and velocity w(x) = x + R f(x) satisfy the law for
/// every x, and r(x) = G f(x) + v* − w(x) = 0 is solved (targets subtracted). Near x, Δf = B y with
/// as many unknowns y as the block has freedoms: open 0, stick 3, slip 2 (along the edge of the
/// cone, and around the cone). A step solves (C G_ρ B + E) y = −C r of that size. Deviations: G_ρ =
/// G + ρ diag in the step only, not in r: a proximal point method with one Newton step per point.
/// The solution is unchanged, hyperstatic sticking becomes solvable, and ρ falls as steps succeed.

#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/implicit_map.hpp"
#include "stiction/solver/lu_factor.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class ProximalNewton {
 public:
  /// `problem` and `judge`, which is open on it, must not be moved. R is `scaling` times the mean
  /// diagonal of each block.
  void start(const ContactProblem& problem, const Judge& judge, std::span<const double> impulses,
             double scaling);

  /// One step with line search. If no step length reduces the residual, ρ grows and it returns
  /// false.
  bool step();

  /// ½‖r‖², scaled, at the current point [J].
  [[nodiscard]] double merit() const { return merit_; }
  [[nodiscard]] double proximal() const { return rho_; }
  /// Impulses of the current point, inside their cones.
  [[nodiscard]] std::span<const double> impulses() const { return impulses_; }

 private:
  bool find_direction();
  void multiply_out();

  ImplicitMap map_;
  std::vector<ImplicitMap::Freedom> freedoms_;
  WorkVector x_, r_, dx_, y_;
  WorkVector trial_x_, trial_r_;
  WorkMatrix GB_;
  LuFactor lu_;
  double merit_ = 0.0;
  double rho_ = 0.0;
  std::vector<double> impulses_;
};

}  // namespace stiction
