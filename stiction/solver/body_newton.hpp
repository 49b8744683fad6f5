#pragma once

/// \file
/// A proximal point method for many free bodies, with Newton's method through the velocities of the
/// bodies: a step costs a sparse factorization with one 6×6 block a body.
///
/// Unknowns are z = J̃ᵀ λ (body_equations.hpp). Near a centre c every block yields a little,
/// λ = P(c − k w) with the stiffness k = 1/(ρR) and R the mean diagonal of the block, and
/// z − J̃ᵀ λ(z) = 0 is solved by Newton's method with the matrix 1 + J̃ᵀ K J̃, K = −dλ/dw. Its
/// solution is the next centre. As ρ falls, and as the centres come to rest, the law holds exactly.
///
/// Two forms of P for contacts, which differ in the bound of friction:
/// - exact: µ times the normal impulse of the same z. Newton's method converges fast or not at all.
/// - lagged: µ times the normal impulse of the centre, as in Tresca's law [Haslinger1984]. The
///   equation is the gradient of a convex function and always has a solution, which a line search
///   finds; from there the exact form mostly converges.
///
/// ρ follows the motion of the centres. Where contacts are redundant (three spheres in a ring
/// cannot roll on each other), what they ask for contradicts itself in the last digits. Impulses
/// then move at constant w, by w/(ρR) a point, until a contact opens or slips and resolves it. So ρ
/// is chosen for moves of a fraction of the largest impulse, however small w is.
///
/// Coulomb's law only. Reuses its memory.

#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/solver/body_equations.hpp"

namespace stiction {

class BodyNewton {
 public:
  /// The equations must have started on a problem on which the judge is open; neither must be
  /// moved.
  void start(BodyEquations& equations, const Judge& judge, std::span<const double> impulses);
  /// Looks for the next point. False if it was not found: then ρ has grown and the point is the
  /// same.
  bool advance();

  /// Impulses of the point, inside their cones.
  [[nodiscard]] std::span<const double> impulses() const { return impulses_; }
  /// About the largest error of an impulse at the point, as the law residual measures it [N·s].
  [[nodiscard]] double residual() const { return residual_; }
  /// Steps of Newton's method in the last advance().
  [[nodiscard]] int steps() const { return steps_; }

 private:
  using Vector = std::vector<double>;
  using Part = BodyEquations::Part;
  using Stiffness = BodyEquations::Stiffness;
  enum class Bounds { lagged, exact };

  [[nodiscard]] double stiffness(const Part& part) const { return 1.0 / (rho_ * part.R); }
  void aim(const Part& part, const double* w, double* y) const;
  void answer(int block, const double* w, double bound, double* impulse) const;
  [[nodiscard]] double bound_of(int block, const double* w, Bounds bounds) const;
  double evaluate(Bounds bounds);
  void find_stiffness(int block, Bounds bounds);
  [[nodiscard]] bool find_direction(Bounds bounds);
  [[nodiscard]] double slope(double length);
  void search();

  [[nodiscard]] bool solve_lagged();
  [[nodiscard]] bool solve_exact();
  void go_back();
  void take_point(bool exact);
  [[nodiscard]] double rounding() const;

  BodyEquations* equations_ = nullptr;
  const Judge* judge_ = nullptr;
  double velocity_scale_ = 1.0;

  Vector z_, dz_, gradient_;
  Vector w_, dw_;                     ///< at z, and along dz
  Vector centre_;                     ///< c
  Vector trial_;                      ///< λ(z)
  Vector impulses_;                   ///< of the point
  Vector centre_z_;                   ///< z of the point
  Vector lagged_z_;                   ///< z of the lagged form
  Vector bounds_;                     ///< of friction in the lagged form, by block
  std::vector<Stiffness> stiffness_;  ///< K
  Vector row_stiffness_;
  double rho_ = 0.0;
  double least_rho_ = 0.0;  ///< after a failure it may not fall at once
  bool was_exact_ = false;  ///< the point satisfies the exact form
  int failures_ = 0;        ///< of the exact form, lately
  int steps_ = 0;
  double residual_ = 0.0;
};

}  // namespace stiction
