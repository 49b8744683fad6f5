#pragma once

/// \file
/// The friction cone of one contact: what it holds, the nearest point in it, how far outside.

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// |x_T| ≤ µ x_n, axes (t1, t2, n). Its dual cone µ|x_T| ≤ x_n is that of the coefficient 1/µ.
template <Scalar S>
struct FrictionCone {
  S friction = S(0.0);  ///< µ ≥ 0

  /// Whether an impulse is inside. By squares, which saves the root; overflows past 1e150.
  [[nodiscard, gnu::always_inline]] auto contains(const Vector3<S>& x) const {
    const S radius = friction * x.z;
    return radius >= S(0.0) && fma(x.y, x.y, x.x * x.x) <= radius * radius;
  }

  /// Whether a velocity is in the dual cone: it makes no angle above 90° with any impulse inside.
  [[nodiscard, gnu::always_inline]] auto dual_contains(const Vector3<S>& x) const {
    return friction * sqrt(fma(x.y, x.y, x.x * x.x)) <= x.z;
  }

  /// The nearest point of the cone.
  [[nodiscard, gnu::always_inline]] Vector3<S> project(const Vector3<S>& x) const {
    const S tangential = sqrt(fma(x.y, x.y, x.x * x.x));
    // Without friction the cone is a line, and every point of its axis is in it but those below.
    const auto inside = tangential <= friction * x.z && x.z >= S(0.0);
    const auto polar = !inside && friction * tangential <= -x.z;
    const S normal = fma(friction, tangential, x.z) / fma(friction, friction, S(1.0));
    const S factor = select(tangential > S(0.0), friction * normal / tangential, S(0.0));
    const auto pick = [&](const S& own, const S& edge) {
      return select(inside, own, select(polar, S(0.0), edge));
    };
    return {pick(x.x, factor * x.x), pick(x.y, factor * x.y), pick(x.z, normal)};
  }

  /// How far the tangential impulse exceeds what the normal one allows; 0 inside.
  [[nodiscard, gnu::always_inline]] S excess(const Vector3<S>& x) const {
    const S tangential = sqrt(fma(x.y, x.y, x.x * x.x));
    return maximum(fnma(friction, x.z, tangential), S(0.0));
  }
};

}  // namespace stiction
