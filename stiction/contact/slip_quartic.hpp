#pragma once

/// \file
/// Slip in closed form: the roots of the quartic in tan θ/2, then one Newton step.
///
/// Implements [PCI, section III], "analytical". Ferrari: y⁴ + p y² + q y + r is the product of
/// y² ± α y + (p + α² ∓ q/α)/2, α² the largest root of z³ + 2p z² + (p² − 4r) z − q².
/// Deviations: the angle is counted from the middle of the bracket, and the leading coefficient is
/// the larger of H ahead and H behind (roots 1/τ instead of τ), so that it does not vanish. Where
/// the first Newton step is not small, which rounding causes when roots are close, the bracketed
/// Newton iteration takes over.

#include "stiction/contact/slip_newton.hpp"
#include "stiction/core/trigonometry.hpp"

namespace stiction {

namespace slip_detail {

/// The largest real root of z³ + A z² + B z + C.
template <Scalar S>
[[gnu::always_inline]] inline S largest_cubic_root(const S& A, const S& B, const S& C) {
  const S third = A * S(1.0 / 3.0);
  const S Q = fma(third, third, B * S(-1.0 / 3.0));
  const S R = fma(fma(third, third, B * S(-0.5)), third, S(0.5) * C);
  const S Q3 = Q * Q * Q;
  const S spread = fnma(R, R, Q3);
  // Three real roots: −2√Q cos((φ + 2π)/3) with cos φ = R/√Q³; at φ = π where R < 0.
  const S acute = atan_of_ratio(sqrt(maximum(spread, S(0.0))), abs(R));
  constexpr double pi = 2.0 * trigonometry_detail::half_pi_high;
  const S angle = select(R < S(0.0), S(pi) - acute, acute);
  const S three =
      S(-2.0) * sqrt(maximum(Q, S(0.0))) * sine_cosine((angle + S(2.0 * pi)) * S(1.0 / 3.0)).cosine;
  S one = S(0.0);
  if (any(!(spread > S(0.0)))) {
    const S cube = abs(R) + sqrt(maximum(-spread, S(0.0)));
    const S size = for_each_lane(cube, [](double x) { return std::cbrt(x); });
    const S term = select(R > S(0.0), -size, size);
    one = select(size > S(0.0), term + Q / term, S(0.0));
  }
  return select(spread > S(0.0), three, one) - third;
}

/// The real parts of the roots of c4 y⁴ + … + c0, c4 ≠ 0.
template <Scalar S>
struct QuarticRoots {
  S y[4];

  [[gnu::always_inline]] QuarticRoots(const S& c4, const S& h3, const S& h2, const S& h1,
                                      const S& h0) {
    const S inverse = S(1.0) / c4;
    const S c3 = inverse * h3, c2 = inverse * h2, c1 = inverse * h1, c0 = inverse * h0;
    const S shift = S(-0.25) * c3;
    const S s2 = shift * shift;
    const S p = fma(S(-6.0), s2, c2);
    const S q = fma(fma(S(-8.0), s2, c2 + c2), shift, c1);
    const S r = fma(fma(fma(S(-3.0), s2, c2), shift, c1), shift, c0);
    const S z = largest_cubic_root(p + p, fma(p, p, S(-4.0) * r), -(q * q));
    const S alpha = sqrt(maximum(z, S(0.0)));
    const S tilt = select(alpha > S(0.0), q / alpha, S(0.0));
    const S sum = -(p + p + z);
    const S left = S(0.5) * sqrt(maximum(fma(S(2.0), tilt, sum), S(0.0)));
    const S right = S(0.5) * sqrt(maximum(fma(S(-2.0), tilt, sum), S(0.0)));
    const S half = S(0.5) * alpha;
    y[0] = shift - half + left;
    y[1] = shift - half - left;
    y[2] = shift + half + right;
    y[3] = shift + half - right;
  }
};

}  // namespace slip_detail

template <Law law>
struct SlipQuartic {
  double tolerance = 1e-12;  ///< of the direction [rad], where the bracketed iteration takes over

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& problem,
                                               const Vector3<S>& warm, Mask active) const {
    const SlipPolynomial<S> h = slip_polynomial<law>(problem);
    const S root = closed_form(h, h.parameter({warm.x, warm.y}));
    const S step = h.value(root) / h.slope(root);
    const S polished = root - step;
    const auto inside = (polished - h.low) * (polished - h.high) <= S(0.0);
    const auto trusted = inside && abs(step) <= S(1e-6) * abs(h.high - h.low);
    S t = polished;
    const auto doubtful = active && !trusted;
    if (any(doubtful)) {
      t = select(doubtful, polynomial_root(h, S(0.5) * (h.low + h.high), tolerance, doubtful), t);
    }
    return slip_impulse<law>(problem, h, t);
  }

 private:
  /// The root in the bracket; of several, the one next to `wanted`.
  template <Scalar S>
  [[gnu::always_inline]] static S closed_form(const SlipPolynomial<S>& h, const S& wanted) {
    const auto reverse = abs(h.h0) > abs(h.h4);
    const slip_detail::QuarticRoots<S> roots(
        select(reverse, h.h0, h.h4), select(reverse, h.h1, h.h3), h.h2, select(reverse, h.h3, h.h1),
        select(reverse, h.h4, h.h0));
    const S first = minimum(h.low, h.high);
    const S last = maximum(h.low, h.high);
    S best = S(0.0);
    S least = S(std::numeric_limits<double>::infinity());
    for (const S& y : roots.y) {
      const S t = select(reverse, S(1.0) / y, y);
      const S outside = maximum(maximum(first - t, t - last), S(0.0));
      const S cost = fma(S(1e6), outside, abs(t - wanted));
      const auto better = cost < least;
      best = select(better, t, best);
      least = select(better, cost, least);
    }
    return minimum(maximum(best, first), last);
  }
};

}  // namespace stiction
