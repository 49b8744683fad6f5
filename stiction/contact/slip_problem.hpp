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

/// A velocity along the minor axis of S that is a rounding error of c counts as zero, in the lanes
/// where S is nearly singular: a slow slip would turn by it.
template <Scalar S, class Mask>
[[gnu::always_inline]] inline void drop_rounding(const ContactFactor<S>& f,
                                                 const Mask& hardly_moves, SlipProblem<S>& p) {
  const S size = maximum(maximum(abs(p.c.x), abs(p.c.y)), abs(p.c.z));
  const auto nothing = hardly_moves && abs(p.d.y) <= S(1e-13) * size;
  p.d.y = select(nothing, S(0.0), p.d.y);
  p.stop.y = select(nothing, S(0.0), p.stop.y);
  p.stop.z = select(nothing, fnma(f.slope.x, p.stop.x, p.normal), p.stop.z);
}

/// Of the impulses that stop the point up to a negligible velocity, where S is nearly singular, in
/// principal axes: `near` if it is one of them and in the cone, else P, else (S is singular) the
/// one in the cone that is nearest to `near` along the axes.
///
/// With λ_x fixed, the cone holds where A y² + 2 B y + C ≤ 0 with λ_n = m − s y, A = 1 − µ²s²,
/// B = µ²ms, C = λ_x² − µ²m²: between both roots, or, where A < 0 (the contact can jam), beyond the
/// one with λ_n > 0.
template <Scalar S>
[[gnu::noinline]] Vector3<S> stop_near(const ContactFactor<S>& f, const SlipProblem<S>& p,
                                       const Vector3<S>& near) {
  const FrictionCone<S> cone{f.friction};
  const S size = maximum(maximum(abs(near.x), abs(near.y)), abs(near.z));
  const S noise = f.rounding * maximum(size, abs(p.normal));
  const S reach_x = noise * f.inverse_major;
  const S reach_y = noise * f.inverse_minor;
  const auto with = [&](const S& x, const S& y) {
    return Vector3<S>{x, y, fnma(f.slope.y, y, fnma(f.slope.x, x, p.normal))};
  };
  Vector3<S> same = with(near.x, near.y);
  // On the cone itself rounding decides, and the certificate asks for no more than this.
  const S bound = S(1.0 - 1e-15) * f.friction * same.z;
  const S length = tangential_norm(same);
  const auto outside = length > bound && length <= fma(S(1e-13), size, bound);
  const S shorter = select(outside, bound / select(length > S(0.0), length, S(1.0)), S(1.0));
  same = {shorter * same.x, shorter * same.y, same.z};
  const auto stays =
      abs(near.x - p.stop.x) <= reach_x && abs(near.y - p.stop.y) <= reach_y && cone.contains(same);
  const S x = minimum(maximum(near.x, p.stop.x - reach_x), p.stop.x + reach_x);
  const S m = fnma(f.slope.x, x, p.normal);
  const S s = f.slope.y;
  const S mu2 = f.friction * f.friction;
  const S A = fnma(mu2 * s, s, S(1.0));
  const S B = mu2 * m * s;
  const S C = fnma(mu2 * m, m, x * x);
  const S root = sqrt(maximum(fnma(A, x * x, mu2 * m * m), S(0.0)));  // of B² − A C
  const S q = -(B + select(B < S(0.0), -root, root));
  const S far(1e300);
  const auto curved = abs(A) > S(1e-300);
  const auto some = abs(q) > S(0.0);
  const S first = select(curved, q / select(curved, A, S(1.0)), select(B < S(0.0), far, -far));
  const S second = select(some, C / select(some, q, S(1.0)), S(0.0));
  const auto jams = A < S(0.0);
  const auto falls = s > S(0.0);  // λ_n with y
  const S lower = minimum(first, second);
  const S upper = maximum(first, second);
  // A little inside, so that the cone contains it in spite of rounding.
  const S inside = S(1e-13) * (size + abs(m));
  const S from = select(jams, select(falls, -far, upper), lower) + inside;
  const S to = select(jams, select(falls, lower, far), upper) - inside;
  const S y =
      minimum(maximum(minimum(maximum(near.y, from), to), p.stop.y - reach_y), p.stop.y + reach_y);
  const auto moves = f.singular > S(0.0) && !cone.contains(p.stop);
  return select(stays, same, select(moves, with(x, y), p.stop));
}

}  // namespace stiction
