#pragma once

/// \file
/// The slip equation of both laws as a quartic on a bracket that holds its root.
///
/// Implements [PCI, section III]: dE/dθ along the conic is a H(θ)/D³ with
/// H(u) = (a S u + D d) × q, where q = u + b under maximum dissipation and q = u under Coulomb:
/// the slip velocity is along −q. With u turned from a middle direction m by 2 atan τ,
/// (1 + τ²)² H is a quartic in τ.
/// Bracket: maximum dissipation, the arc of the conic that is in sight of P on the side where the
/// energy falls, |θ − θ_P| ≤ arccos(µP_n/|P_T|), cut at the asymptote; H changes sign once in it.
/// Coulomb, the wedge between P_T and −d, which is narrower than 90°.
/// Deviations: the paper finds the bracket by stepping; here it is closed, and without angles.

#include "stiction/contact/slip_problem.hpp"

namespace stiction {

/// H of a law at a unit vector.
template <Law law, Scalar S>
[[gnu::always_inline]] inline S slip_gradient(const SlipProblem<S>& p, const Vector2<S>& u) {
  const S D = p.focal(u);
  const Vector2<S> Su = p.mobility(u);
  const Vector2<S> g = {fma(p.a, Su.x, D * p.d.x), fma(p.a, Su.y, D * p.d.y)};
  const Vector2<S> q = law == Law::coulomb ? u : Vector2<S>{u.x + p.b.x, u.y + p.b.y};
  return cross(q, g);
}

/// The quartic h0 + h1 τ + … + h4 τ⁴ and the interval of τ that holds the root, within [−1, 1].
/// At `low` it is not positive, at `high` not negative.
template <Scalar S>
struct SlipPolynomial {
  Vector2<S> middle;  ///< m
  S h0 = S(0.0), h1 = S(0.0), h2 = S(0.0), h3 = S(0.0), h4 = S(0.0);
  S D0 = S(0.0), D1 = S(0.0), D2 = S(0.0);  ///< (1 + τ²) D(u) = D0 + D1 τ + D2 τ²
  S low = S(0.0);                           ///< τ where the quartic is not positive
  S high = S(0.0);                          ///< τ where it is not negative; may be below `low`

  [[nodiscard, gnu::always_inline]] S value(const S& t) const {
    return fma(fma(fma(fma(h4, t, h3), t, h2), t, h1), t, h0);
  }
  [[nodiscard, gnu::always_inline]] S slope(const S& t) const {
    return fma(fma(fma(S(4.0) * h4, t, S(3.0) * h3), t, h2 + h2), t, h1);
  }
  /// (1 + τ²) D.
  [[nodiscard, gnu::always_inline]] S focal(const S& t) const { return fma(fma(D2, t, D1), t, D0); }
  /// τ of the direction of a vector, if it is in the bracket; else the middle of the bracket.
  [[nodiscard, gnu::always_inline]] S parameter(const Vector2<S>& v) const {
    const S along = dot(middle, v) + sqrt(dot(v, v));
    const S t = cross(middle, v) / along;
    return select((t - low) * (t - high) <= S(0.0), t, S(0.5) * (low + high));
  }
  /// The impulse at τ, where D counts as no less than `least`.
  [[nodiscard, gnu::always_inline]] Vector3<S> impulse(const SlipProblem<S>& p, const S& t,
                                                       const S& least) const {
    const S n = p.normal / maximum(focal(t), least);
    const S r = p.friction * n;
    const Vector2<S> u = turn(middle, fnma(t, t, S(1.0)), t + t);
    return {r * u.x, r * u.y, n * fma(t, t, S(1.0))};
  }
};

namespace slip_detail {

/// Coefficients of (1 + τ²)² H about the direction m.
template <Law law, Scalar S>
[[gnu::always_inline]] inline SlipPolynomial<S> expand(const SlipProblem<S>& p,
                                                       const Vector2<S>& m) {
  // In axes along m and across it. Sums that vanish with D ahead (D0) or behind (D2) are kept as
  // products with it.
  const Vector2<S> across = {-m.y, m.x};
  const Vector2<S> Sm = p.mobility(m);
  const Vector2<S> d = {dot(p.d, m), cross(m, p.d)};
  const Vector2<S> b = {dot(p.b, m), cross(m, p.b)};
  const S axx = p.a * dot(Sm, m);
  const S axy = p.a * dot(Sm, across);
  const S ayy = p.a * dot(p.mobility(across), across);
  SlipPolynomial<S> h;
  h.middle = m;
  h.D0 = S(1.0) + b.x;
  h.D1 = b.y + b.y;
  h.D2 = S(1.0) - b.x;
  // The velocity D v_T ahead, behind, and its part with sin θ.
  const Vector2<S> ahead = {fma(h.D0, d.x, axx), fma(h.D0, d.y, axy)};
  const Vector2<S> behind = {fnma(h.D2, d.x, axx), fnma(h.D2, d.y, axy)};
  const Vector2<S> aside = {fma(b.y, d.x, axy), fma(b.y, d.y, ayy)};
  if constexpr (law == Law::coulomb) {
    h.h0 = ahead.y;
    h.h1 = S(2.0) * (aside.y - ahead.x);
    h.h2 = S(-2.0) * fma(b.x, d.y, axy) - S(4.0) * aside.x;
    h.h3 = S(2.0) * (behind.x - aside.y);
    h.h4 = behind.y;
  } else {
    const S tilt = b.y * aside.x;
    h.h0 = fnma(b.y, ahead.x, h.D0 * ahead.y);
    h.h1 = S(2.0) * (fma(h.D0, aside.y, -ahead.x) - tilt);
    h.h2 = S(-6.0) * aside.x;
    h.h3 = S(2.0) * (fnma(h.D2, aside.y, behind.x) - tilt);
    h.h4 = fma(b.y, behind.x, h.D2 * behind.y);
  }
  return h;
}

/// Moves the far end of the bracket to the asymptote D = 0 if that comes first on the way from the
/// near end, where D > 0.
template <Scalar S>
[[gnu::always_inline]] inline S cut_at_asymptote(const SlipPolynomial<S>& h, const S& near,
                                                 const S& far) {
  // Roots of D about `near`: c + b1 s + D2 s² with s = τ − near.
  const S c = h.focal(near);
  const S b1 = fma(h.D2 + h.D2, near, h.D1);
  const S discriminant = fma(b1, b1, S(-4.0) * h.D2 * c);
  const S root = sqrt(maximum(discriminant, S(0.0)));
  // Towards positive and negative s the first root is 2c/(−b1 ± root); a denominator of the wrong
  // sign means there is none.
  const S length = far - near;
  const auto forward = length > S(0.0);
  const S denominator = select(forward, root - b1, -root - b1);
  const auto meets = select(forward, denominator, -denominator) > S(0.0) && discriminant >= S(0.0);
  const S reach = S(2.0) * c / select(meets, denominator, S(1.0));
  const auto cut = meets && abs(reach) < abs(length);
  return select(cut, near + reach, far);
}

}  // namespace slip_detail

/// Root of the quartic in its bracket by Newton, from a first guess inside it. Newton squares the
/// error, so the iteration ends with a step of 1e-9 where the tolerance is below that: relative to
/// the bracket or, if `relative`, to the root.
template <bool relative = false, Scalar S, class Mask>
[[gnu::always_inline]] inline S polynomial_root(const SlipPolynomial<S>& h, S t, double tolerance,
                                                Mask active) {
  const S last_step = S(tolerance < 1e-9 ? 1e-9 : tolerance);
  S low = h.low;
  S high = h.high;
  S before = abs(high - low);
  for (int k = 0; k < 100 && any(active); ++k) {
    const S value = h.value(t);
    const S step = value / h.slope(t);
    const auto below = value <= S(0.0);
    low = select(below, t, low);
    high = select(below, high, t);
    S next = t - step;
    const S scale = relative ? abs(t) : abs(high - low);
    const auto small = abs(step) <= last_step * scale || abs(step) <= S(1e-17);
    const auto good = (next - low) * (next - high) <= S(0.0) && abs(step) <= S(0.5) * before;
    next = select(good || small, next, S(0.5) * (low + high));
    const auto done = small || next == t;
    before = select(good, abs(step), S(0.5) * abs(high - low));
    t = select(active, next, t);
    active = active && !done;
  }
  return t;
}

namespace slip_detail {

/// The quartic expanded about −b, with the bracket of h. `at` is the parameter in h that the root
/// is near, `start` its place in the new one.
template <Law law, Scalar S>
[[gnu::always_inline]] inline SlipPolynomial<S> about_far_end(const SlipProblem<S>& p,
                                                              const SlipPolynomial<S>& h,
                                                              const S& at, S& start) {
  SlipPolynomial<S> about = expand<law>(p, unit(Vector2<S>{-p.b.x, -p.b.y}));
  const auto convert = [&](const S& t) {
    const S one = fma(t, t, S(1.0));
    const Vector2<S> u = turn(h.middle, fnma(t, t, S(1.0)), t + t);
    return cross(about.middle, u) / (one + dot(about.middle, u));
  };
  start = convert(at);
  // An end beyond the direction of +b has come round to the other side.
  const auto end = [&](const S& t) {
    const S s = convert(t);
    const S bound = select(t < at, S(-1e6), S(1e6));
    return select((s - start) * bound > S(0.0) && abs(s) < S(1e6), s, bound);
  };
  about.low = end(h.low);
  about.high = end(h.high);
  return about;
}

}  // namespace slip_detail

/// The impulse at a root of the quartic. Next to the far end of a parabola or its like, where D is
/// tiny, a/D would magnify the rounding of τ; there the root is found anew in an expansion about
/// −b, in which D keeps its digits.
template <Law law, Scalar S>
[[gnu::always_inline]] inline Vector3<S> slip_impulse(const SlipProblem<S>& p,
                                                      const SlipPolynomial<S>& h, const S& t) {
  const S size = S(1.0) + abs(p.b.x) + abs(p.b.y);
  const Vector3<S> impulse = h.impulse(p, t, S(1e-16) * size);
  const auto grazing = h.focal(t) < S(1e-3) * size * fma(t, t, S(1.0));
  if (!any(grazing)) return impulse;
  S start = S(0.0);
  const SlipPolynomial<S> about = slip_detail::about_far_end<law>(p, h, t, start);
  const S root = polynomial_root<true>(about, start, 0.0, grazing);
  const auto better = grazing && about.focal(root) > S(0.0);
  return select(better, about.impulse(p, root, S(0.0)), impulse);
}

/// The quartic and its bracket where P is outside the cone and c_n ≤ 0.
template <Law law, Scalar S>
[[gnu::always_inline]] inline SlipPolynomial<S> slip_polynomial(const SlipProblem<S>& p) {
  const S distance = sqrt(fma(p.stop.y, p.stop.y, p.stop.x * p.stop.x));
  const auto some = distance > S(0.0);
  const S inverse = S(1.0) / select(some, distance, S(1.0));
  const Vector2<S> toP = {select(some, inverse * p.stop.x, S(1.0)), inverse * p.stop.y};
  if constexpr (law == Law::coulomb) {
    // The middle of the wedge; its halves are below 45°.
    const Vector2<S> against = unit(Vector2<S>{-p.d.x, -p.d.y});
    const Vector2<S> m = unit(Vector2<S>{toP.x + against.x, toP.y + against.y});
    SlipPolynomial<S> h = slip_detail::expand<law>(p, m);
    const S half = cross(m, against) / (S(1.0) + dot(m, against));
    const auto rising = h.value(half) >= h.value(-half);
    h.low = select(rising, -half, half);
    h.high = -h.low;
    return h;
  } else {
    const S cosine = minimum(maximum(p.friction * p.stop.z * inverse, S(-1.0)), S(1.0));
    // Half of the arc on one side, and its middle.
    const S half_cosine = sqrt(fma(S(0.5), cosine, S(0.5)));
    const S half_sine = sqrt(fnma(S(0.5), cosine, S(0.5)));
    const auto falling = slip_gradient<law>(p, toP) > S(0.0);  // energy falls to the right
    const Vector2<S> m = turn(toP, half_cosine, select(falling, -half_sine, half_sine));
    SlipPolynomial<S> h = slip_detail::expand<law>(p, m);
    const S quarter = half_sine / (S(1.0) + half_cosine);
    const S near = select(falling, quarter, -quarter);
    const S far = slip_detail::cut_at_asymptote(h, near, -near);
    h.low = select(falling, far, near);
    h.high = select(falling, near, far);
    return h;
  }
}

}  // namespace stiction
