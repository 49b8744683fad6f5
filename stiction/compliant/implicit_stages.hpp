#pragma once

/// \file
/// Padé order 1 with one rows × rows Cholesky factorization instead of an augmented matrix.
///
/// An implicit stage with the coefficient γ is P = p + γ W, W = w + γ h² (Υ F + c),
/// F = −K P − (B/h) W, in units of the step: w = h Δṗ. Its force solves
///
///     (E⁻¹ + γ h² Υ) F = −E⁻¹ K p − w − γ h² c,   E = γ K + B/h.
///
/// `diagonal` is the Padé approximant (1, 1), the trapezoidal rule: one stage with γ = ½, whose
/// force is both the average and the double average. It does not decay: a row that is much stiffer
/// than the step allows leaves with the velocity −Δṗ, because its force is twice the exact one.
/// Where forces are projected onto friction cones afterwards, the pushing half of this ringing
/// remains, and the motion gains energy. That is why [EXP] with order 1 is unstable at large steps.
///
/// `decaying` has two stages with the same matrix, γ = 1 − √½: the approximant
/// (1 + (1 − 2γ) z) / (1 − γ z)², of order 2 as well, which goes to zero for stiff rows. Both
/// averages are convex combinations of the stages' forces.

#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/linear_contacts.hpp"

namespace stiction {

enum class PadeFamily {
  diagonal,  ///< as published: numerator and denominator of the same degree
  decaying,  ///< the exponential of very stiff rows goes to zero, as the exact one does
};

class ImplicitStages {
 public:
  void reserve(Eigen::Index rows);

  /// The response over `step`, in `pieces` equal parts.
  EngineStatus integrate(const LinearContacts& system, double step, PadeFamily family, int pieces,
                         const ContactResponse& out);

 private:
  bool factorize(const LinearContacts& system, double step, double gamma);
  /// The force of a stage that starts at (p, w).
  void solve_stage(const LinearContacts& system, const double* p, const double* w, double* force);
  /// a ← h² (Υ F + c).
  void accelerate(const LinearContacts& system, const double* force, double* a) const;
  void advance_trapezoid(const LinearContacts& system);
  void advance_decaying(const LinearContacts& system);

  double step_ = 0.0;  ///< of one piece [s]
  double gamma_ = 0.0;
  PaddedMatrix factor_;           ///< of E⁻¹ + γ h² Υ
  std::vector<double> softness_;  ///< E⁻¹
  std::vector<double> position_;  ///< p, at the end of the last piece
  std::vector<double> velocity_;  ///< w
  std::vector<double> first_;     ///< force of stage 1
  std::vector<double> second_;    ///< force of stage 2
  std::vector<double> change_;    ///< h² (Υ F + c)
  std::vector<double> base_;      ///< p and w where stage 2 starts
  std::vector<double> average_;   ///< of the last piece
  std::vector<double> double_average_;
};

}  // namespace stiction
