#pragma once

/// \file
/// One contact, alone: v = c + W λ with the other impulses fixed, axes (t1, t2, n).
///
/// On the plane v_n = 0 the normal impulse is λ_n = −(c_n + w·λ_T)/W_nn, the tangential velocity is
/// v_T = S λ_T + d, and the friction cone becomes the conic ‖λ_T‖ + b·λ_T ≤ a, an ellipse, parabola
/// or hyperbola of eccentricity |b| with a focus at the origin.
///
/// Notation: w = (W_nx, W_ny), S = W_TT − w wᵀ/W_nn, d = c_T − w c_n/W_nn,
/// b = µ w/W_nn, a = −µ c_n/W_nn, P = −W⁻¹c (the impulse that would stop the point).

#include "stiction/contact/law.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// A vector of the contact plane.
template <Scalar S>
struct Vector2 {
  S x = S(0.0);
  S y = S(0.0);
};

/// Everything that depends on W and µ alone. Computed once per problem, used in every sweep. S is
/// stored by its principal axes: in them, the solvers lose no more digits than a rounding of W
/// costs.
template <Scalar S>
struct ContactFactor {
  Symmetric3<S> W;        ///< G_ii, symmetric positive definite [1/kg]
  S friction = S(0.0);    ///< µ
  S inverse_nn = S(0.0);  ///< 1/W_nn; 0 where the point cannot move along n (W_nn ≈ 0)
  Vector2<S> axis;   ///< unit eigenvector of the larger eigenvalue of S; the other is left of it
  S major = S(0.0);  ///< larger eigenvalue of S
  S minor = S(0.0);  ///< smaller eigenvalue, raised where S is singular
  S inverse_major = S(0.0);
  S inverse_minor = S(0.0);
  Vector2<S> slope;  ///< w/W_nn, in principal axes
  /// Where S is so near to singular that rounding errors of c would make large errors of P: a
  /// velocity that counts as zero, per impulse [1/kg]; else 0.
  S rounding = S(0.0);
  S singular = S(0.0);  ///< 1 where an impulse along the minor axis moves nothing at all
};

template <Scalar S>
[[nodiscard]] ContactFactor<S> factorize_contact(const Symmetric3<S>& W, const S& friction);

/// Impulse and mode of one contact.
template <Scalar S>
struct ContactAnswer {
  Vector3<S> impulse;  ///< λ [N·s]
  S mode = S(0.0);     ///< 0 open, 1 stick, 2 slip; a number, so that each SIMD lane has one
};

/// How the slip problem is solved.
enum class SlipMethod {
  newton,             ///< safeguarded Newton on the slip equation inside its bracket; the default
  quartic,            ///< closed form in tan θ/2, then one Newton step
  bisection,          ///< bisection on the visible arc in closed form, without trigonometry
  golden_section,     ///< golden-section search for the least energy on the visible arc
  bisection_printed,  ///< the paper's stepping and bisection [PCI, Algorithm 1], without misprints
};

/// The derivative along the conic that `bisection_printed` uses.
enum class PrintedGradient {
  hybrid,  ///< [PCI] (15), (16)
  full,    ///< dE/dλ · η with all three components of λ
  polar,   ///< dE/dθ by the chain rule
};

struct OneContactOptions {
  SlipMethod method = SlipMethod::newton;
  /// Relative change of the impulse at which an iterative method stops. 1e-16 is the limit of
  /// doubles; larger values save iterations and leave slip directions inexact.
  double tolerance = 1e-12;
  /// `bisection_printed`: first step [rad], its factor when it leaves the visible arc, and its
  /// factor while the gradient keeps its sign.
  double beta1 = 0.01;
  double beta2 = 0.5;
  double beta3 = 1.3;
  PrintedGradient gradient = PrintedGradient::hybrid;
};

std::string_view to_string(SlipMethod method);
std::optional<SlipMethod> parse_slip_method(std::string_view word);

/// Whether a method can solve one contact under a law. `golden_section` and `bisection_printed`
/// minimise energy, so they support maximum dissipation but not Coulomb's law. The convex law has
/// its own solver and ignores the method.
[[nodiscard]] constexpr bool supports(Law law, SlipMethod method) {
  return law != Law::coulomb ||
         (method != SlipMethod::golden_section && method != SlipMethod::bisection_printed);
}

/// Tolerance of the one-contact solvers for answers that are exact up to rounding.
inline constexpr double exact_tolerance = 1e-16;

/// Numbers up to this size and down to its inverse can be raised to the fourth power without
/// overflow or underflow.
inline constexpr double moderate_size = 0x1p200;

/// The exact answer of one contact under a law, as the certificate uses it. Where Coulomb's law has
/// several answers, the one nearest to `near`. Works for numbers of any size. Infinite if there is
/// no answer within the range of doubles, so that no impulse is near to it.
[[nodiscard]] ContactAnswer<double> exact_answer(Law law, const ContactFactor<double>& factor,
                                                 const Vector3<double>& c,
                                                 const Vector3<double>& near);

}  // namespace stiction
