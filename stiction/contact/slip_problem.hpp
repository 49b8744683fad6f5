#pragma once

/// \file
/// One contact reduced to the plane v_n = 0, as all slip solvers see it.
///
/// Notation: that of one_contact.hpp, tangential axes turned to those of S. With the unit vector u
/// of the friction impulse, D(u) = 1 + b·u, r = a/D the size of the friction impulse where the
/// conic is met, and λ = r (u, 1/µ).

#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/one_contact.hpp"

namespace stiction {

template <Scalar S>
[[gnu::always_inline]] inline S dot(const Vector2<S>& a, const Vector2<S>& b) {
  return fma(a.y, b.y, a.x * b.x);
}
/// a_x b_y − a_y b_x: b along a turned left by 90°.
template <Scalar S>
[[gnu::always_inline]] inline S cross(const Vector2<S>& a, const Vector2<S>& b) {
  return fnma(a.y, b.x, a.x * b.y);
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

/// Eigenvalues of a symmetric 2x2 matrix and the axis of the larger one; the other is left of it.
template <Scalar S>
struct PrincipalAxes {
  Vector2<S> axis;
  S major = S(0.0);
  S minor = S(0.0);

  [[gnu::always_inline]] PrincipalAxes(const S& xx, const S& xy, const S& yy) {
    const S difference = S(0.5) * (xx - yy);
    const S radius = sqrt(fma(difference, difference, xy * xy));
    major = S(0.5) * (xx + yy) + radius;
    const S determinant = difference_of_products(xx, yy, xy, xy);
    minor = determinant / select(major > S(0.0), major, S(1.0));
    // Of the two columns of the matrix less its minor eigenvalue, the longer.
    const S longer = abs(difference) + radius;
    const auto upright = difference < S(0.0);
    axis = unit(Vector2<S>{select(upright, xy, longer), select(upright, longer, xy)});
  }
};

/// What a slip solver starts from, all in the principal axes of S.
template <Scalar S>
struct SlipProblem {
  S major = S(0.0);  ///< eigenvalues of S [1/kg]
  S minor = S(0.0);
  Vector2<S> d;         ///< tangential velocity if the normal impulse alone stopped v_n [m/s]
  Vector2<S> b;         ///< eccentricity vector of the conic
  S normal = S(0.0);    ///< −c_n/W_nn: the normal impulse without friction [N·s]
  S a = S(0.0);         ///< µ · normal [N·s]
  S friction = S(0.0);  ///< µ
  Vector3<S> stop;      ///< P, the impulse that would stop the point [N·s]
  Symmetric3<S> W;      ///< as S and w make it, for the gradient over all three components
  Vector3<S> c;

  /// D(u): where it is not positive, the conic has no point along u.
  [[nodiscard, gnu::always_inline]] S focal(const Vector2<S>& u) const {
    return fma(b.y, u.y, fma(b.x, u.x, S(1.0)));
  }
  /// S u
  [[nodiscard, gnu::always_inline]] Vector2<S> mobility(const Vector2<S>& u) const {
    return {major * u.x, minor * u.y};
  }
  /// The impulse on the cone and on v_n = 0 along u. Any µ ≥ 0.
  [[nodiscard, gnu::always_inline]] Vector3<S> impulse(const Vector2<S>& u, const S& D) const {
    const S n = normal / D;
    const S r = friction * n;
    return {r * u.x, r * u.y, n};
  }
};

/// A vector of the contact's axes in the principal axes of S, and back.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> to_principal(const ContactFactor<S>& f,
                                                      const Vector3<S>& v) {
  const Vector2<S> turned = turn(Vector2<S>{v.x, v.y}, f.axis.x, -f.axis.y);
  return {turned.x, turned.y, v.z};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> from_principal(const ContactFactor<S>& f,
                                                        const Vector3<S>& v) {
  const Vector2<S> turned = turn(Vector2<S>{v.x, v.y}, f.axis.x, f.axis.y);
  return {turned.x, turned.y, v.z};
}

template <Scalar S>
[[gnu::always_inline]] inline SlipProblem<S> reduce(const ContactFactor<S>& f,
                                                    const Vector3<S>& c) {
  const Vector3<S> along = to_principal(f, c);
  SlipProblem<S> p;
  p.major = f.major;
  p.minor = f.minor;
  p.friction = f.friction;
  p.normal = -c.z * f.inverse_nn;
  p.a = f.friction * p.normal;
  p.b = {f.friction * f.slope.x, f.friction * f.slope.y};
  p.d = {fnma(f.slope.x, c.z, along.x), fnma(f.slope.y, c.z, along.y)};
  const Vector2<S> w = {f.slope.x * f.W.zz, f.slope.y * f.W.zz};
  p.W = {fma(f.slope.x, w.x, f.major),
         f.slope.x * w.y,
         w.x,
         fma(f.slope.y, w.y, f.minor),
         w.y,
         f.W.zz};
  p.c = along;
  const Vector2<S> stop = {-p.d.x * f.inverse_major, -p.d.y * f.inverse_minor};
  p.stop = {stop.x, stop.y, fnma(f.slope.y, stop.y, fnma(f.slope.x, stop.x, p.normal))};
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
