#pragma once

/// \file
/// The friction cone of one contact: whether a point is inside, its nearest point inside, how far
/// it is outside.

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// |x_T| of a vector (t1, t2, n). Without a guard against overflow.
template <Scalar S>
[[nodiscard, gnu::always_inline]] inline S tangential_norm(const Vector3<S>& x) {
  return sqrt(fma(x.y, x.y, x.x * x.x));
}

/// |x_T| ≤ µ x_n, axes (t1, t2, n). Its dual cone µ|x_T| ≤ x_n is that of the coefficient 1/µ.
template <Scalar S>
struct FrictionCone {
  S friction = S(0.0);  ///< µ ≥ 0

  /// Whether an impulse is inside. Compares squares, which saves a root; overflows above 1e150.
  [[nodiscard, gnu::always_inline]] auto contains(const Vector3<S>& x) const {
    const S radius = friction * x.z;
    return radius >= S(0.0) && fma(x.y, x.y, x.x * x.x) <= radius * radius;
  }

  /// Whether a velocity is in the dual cone: its angle with every impulse inside is at most 90°.
  [[nodiscard, gnu::always_inline]] auto dual_contains(const Vector3<S>& x) const {
    return friction * tangential_norm(x) <= x.z;
  }

  /// The nearest point of the cone.
  [[nodiscard, gnu::always_inline]] Vector3<S> project(const Vector3<S>& x) const {
    const S tangential = tangential_norm(x);
    // Without friction the cone is the upper half of the normal axis.
    const auto inside = tangential <= friction * x.z && x.z >= S(0.0);
    const auto polar = !inside && friction * tangential <= -x.z;
    const S normal = fma(friction, tangential, x.z) / fma(friction, friction, S(1.0));
    const S factor = select(tangential > S(0.0), friction * normal / tangential, S(0.0));
    const auto pick = [&](const S& own, const S& edge) {
      return select(inside, own, select(polar, S(0.0), edge));
    };
    return {pick(x.x, factor * x.x), pick(x.y, factor * x.y), pick(x.z, normal)};
  }

  /// By how much the tangential impulse exceeds what the normal impulse allows; 0 inside.
  [[nodiscard, gnu::always_inline]] S excess(const Vector3<S>& x) const {
    const S tangential = tangential_norm(x);
    return maximum(fnma(friction, x.z, tangential), S(0.0));
  }
};

}  // namespace stiction
