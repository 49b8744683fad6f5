#pragma once

/// \file
/// One contact reduced to the plane v_n = 0, as all slip solvers see it.
///
/// Notation: that of one_contact.hpp. With the unit vector u of the friction impulse,
/// D(u) = 1 + b·u, r = a/D the size of the friction impulse where the conic is met, and
/// λ = r (u, 1/µ).

#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// A vector of the contact plane.
template <Scalar S>
struct Vector2 {
  S x = S(0.0);
  S y = S(0.0);
};

template <Scalar S>
[[gnu::always_inline]] inline S dot(const Vector2<S>& a, const Vector2<S>& b) {
  return fma(a.y, b.y, a.x * b.x);
}
/// a_x b_y − a_y b_x: b along a turned left by 90°.
template <Scalar S>
[[gnu::always_inline]] inline S cross(const Vector2<S>& a, const Vector2<S>& b) {
  return fnma(a.y, b.x, a.x * b.y);
}
template <Scalar S>
[[gnu::always_inline]] inline Vector2<S> operator*(const Symmetric2<S>& m, const Vector2<S>& v) {
  return {fma(m.xy, v.y, m.xx * v.x), fma(m.yy, v.y, m.xy * v.x)};
}
/// a turned left by the angle whose cosine and sine are given.
template <Scalar S>
[[gnu::always_inline]] inline Vector2<S> turn(const Vector2<S>& a, const S& cosine, const S& sine) {
  return {fnma(sine, a.y, cosine * a.x), fma(sine, a.x, cosine * a.y)};
}
/// a / |a|; (1, 0) where a is zero.
template <Scalar S>
[[gnu::always_inline]] inline Vector2<S> unit(const Vector2<S>& a) {
  const S length = sqrt(dot(a, a));
  const auto some = length > S(0.0);
  const S inverse = S(1.0) / select(some, length, S(1.0));
  return {select(some, inverse * a.x, S(1.0)), select(some, inverse * a.y, S(0.0))};
}

/// a d − b c with one rounding error less, where the instruction set can.
template <Scalar S>
[[gnu::always_inline]] inline S difference_of_products(const S& a, const S& d, const S& b,
                                                       const S& c) {
  const S product = b * c;
  const S lost = fnma(b, c, product);
  return fma(a, d, -product) + lost;
}

/// What a slip solver starts from.
template <Scalar S>
struct SlipProblem {
  Symmetric2<S> schur;  ///< S [1/kg]
  Vector2<S> d;         ///< tangential velocity if the normal impulse alone stopped v_n [m/s]
  Vector2<S> b;         ///< eccentricity vector of the conic
  S normal = S(0.0);    ///< −c_n/W_nn: the normal impulse without friction [N·s]
  S a = S(0.0);         ///< µ · normal [N·s]
  S friction = S(0.0);  ///< µ
  Symmetric3<S> W;      ///< as given, for the printed gradient over all three components
  Vector3<S> c;
  Vector3<S> stop;  ///< P, the impulse that would stop the point [N·s]

  /// D(u): where it is not positive, the conic has no point along u.
  [[nodiscard, gnu::always_inline]] S focal(const Vector2<S>& u) const {
    return fma(b.y, u.y, fma(b.x, u.x, S(1.0)));
  }
  /// The impulse on the cone and on v_n = 0 along u. Any µ ≥ 0.
  [[nodiscard, gnu::always_inline]] Vector3<S> impulse(const Vector2<S>& u, const S& D) const {
    const S n = normal / D;
    const S r = friction * n;
    return {r * u.x, r * u.y, n};
  }
};

template <Scalar S>
[[gnu::always_inline]] inline SlipProblem<S> reduce(const ContactFactor<S>& f,
                                                    const Vector3<S>& c) {
  SlipProblem<S> p;
  p.W = f.W;
  p.c = c;
  p.schur = f.schur;
  p.friction = f.friction;
  p.normal = -c.z * f.inverse_nn;
  p.a = f.friction * p.normal;
  p.b = {f.friction * f.slope_x, f.friction * f.slope_y};
  p.d = {fnma(f.slope_x, c.z, c.x), fnma(f.slope_y, c.z, c.y)};
  const Vector2<S> stop = f.schur_inverse * p.d;
  p.stop = {-stop.x, -stop.y, fma(f.slope_y, stop.y, fma(f.slope_x, stop.x, p.normal))};
  return p;
}

/// Each lane's choice of two vectors.
template <Scalar S, class Mask>
[[gnu::always_inline]] inline Vector2<S> select(const Mask& condition, const Vector2<S>& yes,
                                                const Vector2<S>& no) {
  return {select(condition, yes.x, no.x), select(condition, yes.y, no.y)};
}
template <Scalar S, class Mask>
[[gnu::always_inline]] inline Vector3<S> select(const Mask& condition, const Vector3<S>& yes,
                                                const Vector3<S>& no) {
  return {select(condition, yes.x, no.x), select(condition, yes.y, no.y),
          select(condition, yes.z, no.z)};
}

}  // namespace stiction
