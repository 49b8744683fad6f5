#pragma once

/// \file
/// Slip by bisection of the quartic in its closed bracket, without angles.
///
/// Implements [PCI, Algorithm 1], its bisection alone. Deviations: the bracket is closed
/// (slip_polynomial.hpp), so there is no stepping; the parameter is τ, not the angle.

#include "stiction/contact/slip_polynomial.hpp"

namespace stiction {

template <Law law>
struct SlipBisection {
  double tolerance = 1e-12;  ///< of the impulse, relative

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& problem, const Vector3<S>&,
                                               Mask active) const {
    const SlipPolynomial<S> h = slip_polynomial<law>(problem);
    S low = h.low;
    S high = h.high;
    // The impulse is as a/D, so it changes faster than the direction where D is small.
    const S rate = S(1.0) + abs(h.D1) + abs(h.D2 + h.D2);
    for (int k = 0; k < 64 && any(active); ++k) {
      const S t = S(0.5) * (low + high);
      const auto below = h.value(t) <= S(0.0);
      low = select(active && below, t, low);
      high = select(active && !below, t, high);
      active = active && abs(high - low) * rate > S(tolerance) * h.focal(t);
    }
    return slip_impulse<law>(problem, h, S(0.5) * (low + high));
  }
};

}  // namespace stiction
