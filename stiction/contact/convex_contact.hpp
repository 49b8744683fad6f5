#pragma once

/// \file
/// One contact under the convex law: min ½ λᵀWλ + cᵀλ over the friction cone [PCI] (7).
///
/// Open where c is in the dual cone, stick where P is in the cone. Else λ = s (µu, 1) on the edge,
/// v = |v_T| (−u, µ). For a given normal impulse s the tangential one is the answer of a disc of
/// radius µs, a Coulomb slip problem with S = W_TT, d = c_T + w s and b = 0, whose unknown
/// x is |v_T|; and g(s) = v_n − µ|v_T|, the slope of the least energy for that s, grows with s.
/// Newton on g inside a bracket finds its root.

#include "stiction/contact/slip_newton.hpp"

namespace stiction {

namespace convex_detail {

/// The best tangential impulse for a normal impulse s, and g(s) with its slope.
template <Scalar S>
struct DiscAnswer {
  Vector2<S> tangential;
  S speed = S(0.0);  ///< |v_T|
  S value = S(0.0);  ///< g
  S slope = S(0.0);  ///< dg/ds
};

template <Scalar S, class Mask>
[[gnu::always_inline]] inline DiscAnswer<S> solve_disc(const ContactFactor<S>& f,
                                                       const Vector3<S>& c, const S& s,
                                                       const S& speed, Mask active) {
  const Vector2<S> w = {f.W.xz, f.W.yz};
  SlipProblem<S> disc;
  disc.schur = {f.W.xx, f.W.xy, f.W.yy};
  disc.d = {fma(w.x, s, c.x), fma(w.y, s, c.y)};
  disc.a = f.friction * s;
  const CoulombSecular<S> secular(disc);
  const S x = SlipNewton<Law::coulomb>::root(secular, minimum(speed, secular.top()), 1e-9, active);
  const Vector2<S> p = secular.direction(x);
  const S N = secular.norm(x);
  const S inverse_N = select(N > S(0.0), S(1.0) / N, S(0.0));
  const auto sliding = x > S(0.0);
  // B = (µ s W_TT + x)⁻¹; u = p/N is a unit vector while sliding.
  const Vector2<S> u = {inverse_N * p.x, inverse_N * p.y};
  const S scale = disc.a;
  const auto B = [&](const Vector2<S>& y) {
    return Vector2<S>{inverse_N * fma(fma(scale, f.W.yy, x), y.x, -(scale * f.W.xy * y.y)),
                      inverse_N * fma(fma(scale, f.W.xx, x), y.y, -(scale * f.W.xy * y.x))};
  };
  const Vector2<S> Wu = disc.schur * u;
  const Vector2<S> y = B({fma(f.friction, Wu.x, w.x), fma(f.friction, Wu.y, w.y)});
  const Vector2<S> z = B(u);
  const S uz = dot(u, z);
  const S speed_slope = select(sliding, -dot(u, y) / select(uz > S(0.0), uz, S(1.0)), S(0.0));
  const Vector2<S> turning = {-fma(speed_slope, z.x, y.x), -fma(speed_slope, z.y, y.y)};
  // λ_T = µ s u, so its slope is µ(u + s u').
  const Vector2<S> tangential_slope = {fma(scale, turning.x, f.friction * u.x),
                                       fma(scale, turning.y, f.friction * u.y)};
  DiscAnswer<S> answer;
  answer.tangential = {scale * u.x, scale * u.y};
  answer.speed = x;
  answer.value = fnma(f.friction, x, fma(f.W.zz, s, c.z + dot(w, answer.tangential)));
  answer.slope = fnma(f.friction, speed_slope, f.W.zz + dot(w, tangential_slope));
  return answer;
}

}  // namespace convex_detail

/// The answer on the edge of the cone where c is outside the dual cone and P outside the cone.
template <Scalar S, class Mask>
[[gnu::always_inline]] inline Vector3<S> convex_edge(const ContactFactor<S>& f, const Vector3<S>& c,
                                                     const Vector3<S>& warm, Mask active) {
  using convex_detail::DiscAnswer;
  const S infinite = S(std::numeric_limits<double>::infinity());
  S low = S(0.0);
  S high = infinite;
  // Without a guess, as if the tangential impulse were nil.
  const S cold = fma(f.friction, sqrt(fma(c.y, c.y, c.x * c.x)), -c.z) * f.inverse_nn;
  S s = select(warm.z > S(0.0), warm.z, maximum(cold, S(1e-300)));
  DiscAnswer<S> disc;
  Vector2<S> tangential;
  S before = infinite;
  S at = s;
  for (int k = 0; k < 200 && any(active); ++k) {
    disc = convex_detail::solve_disc(f, c, s, disc.speed, active);
    tangential = select(active, disc.tangential, tangential);
    at = select(active, s, at);
    const S step = disc.value / disc.slope;
    const auto right = disc.value > S(0.0);
    low = select(right, low, s);
    high = select(right, s, high);
    const S next = s - step;
    const auto small = abs(step) <= S(2e-16) * s;
    const auto good = next > low && next < high && abs(step) <= S(0.5) * before;
    const S middle = select(high < infinite, S(0.5) * (low + high), S(8.0) * s);
    const S moved = select(good, next, middle);
    const auto done = small || moved == s;
    before = select(good, abs(step), S(0.5) * (high - low));
    s = select(active, moved, s);
    active = active && !done;
  }
  // Back onto the edge, from which the disc answer differs by rounding.
  const Vector2<S> u = unit(tangential);
  return {f.friction * at * u.x, f.friction * at * u.y, at};
}

}  // namespace stiction
