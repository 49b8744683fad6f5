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

/// The contact in the principal axes of W_TT.
template <Scalar S>
struct DiscProblem {
  PrincipalAxes<S> principal;
  Vector2<S> w;
  Vector3<S> c;
  S W_nn, friction;

  [[gnu::always_inline]] DiscProblem(const ContactFactor<S>& f, const Vector3<S>& velocity)
      : principal(f.W.xx, f.W.xy, f.W.yy), W_nn(f.W.zz), friction(f.friction) {
    const Vector2<S>& axis = principal.axis;
    w = turn(Vector2<S>{f.W.xz, f.W.yz}, axis.x, -axis.y);
    const Vector2<S> tangential = turn(Vector2<S>{velocity.x, velocity.y}, axis.x, -axis.y);
    c = {tangential.x, tangential.y, velocity.z};
  }
};

/// The best tangential impulse for a normal impulse s, and g(s) with its slope.
template <Scalar S>
struct DiscAnswer {
  Vector2<S> u;      ///< λ_T/(µ s); a unit vector while sliding
  S speed = S(0.0);  ///< |v_T|
  S value = S(0.0);  ///< g
  S slope = S(0.0);  ///< dg/ds
};

template <Scalar S, class Mask>
[[gnu::always_inline]] inline DiscAnswer<S> solve_disc(const DiscProblem<S>& p, const S& s,
                                                       const S& speed, Mask active) {
  SlipProblem<S> disc;
  disc.major = p.principal.major;
  disc.minor = p.principal.minor;
  disc.d = {fma(p.w.x, s, p.c.x), fma(p.w.y, s, p.c.y)};
  disc.a = p.friction * s;
  const CoulombSecular<S> secular(disc);
  const Vector2<S> rest = secular.direction(S(0.0));
  const S reach = secular.norm(S(0.0));
  const auto sliding = dot(rest, rest) >= reach * reach;
  const S start = minimum(speed, secular.top());
  const S root = SlipNewton<Law::coulomb>::root(secular, start, 1e-9, active && sliding);
  const S x = select(sliding, root, S(0.0));
  // (µ s W_TT + x) u = −d; differentiated by s, with u·u' = 0.
  const auto inverse = [](const S& y) { return S(1.0) / select(y > S(0.0), y, S(1.0)); };
  const Vector2<S> B = {inverse(secular.major + x), inverse(secular.minor + x)};
  const Vector2<S> u = {-B.x * disc.d.x, -B.y * disc.d.y};
  const Vector2<S> y = {B.x * fma(p.friction * disc.major, u.x, p.w.x),
                        B.y * fma(p.friction * disc.minor, u.y, p.w.y)};
  const Vector2<S> z = {B.x * u.x, B.y * u.y};
  const S uz = dot(u, z);
  const S speed_slope = select(sliding, -dot(u, y) / select(uz > S(0.0), uz, S(1.0)), S(0.0));
  const Vector2<S> turning = {-fma(speed_slope, z.x, y.x), -fma(speed_slope, z.y, y.y)};
  const Vector2<S> impulse_slope = {fma(disc.a, turning.x, p.friction * u.x),
                                    fma(disc.a, turning.y, p.friction * u.y)};
  DiscAnswer<S> answer;
  answer.u = u;
  answer.speed = x;
  answer.value = fnma(p.friction, x, fma(p.W_nn, s, fma(disc.a, dot(p.w, u), p.c.z)));
  answer.slope = fnma(p.friction, speed_slope, p.W_nn + dot(p.w, impulse_slope));
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
  const convex_detail::DiscProblem<S> problem(f, c);
  DiscAnswer<S> disc;
  Vector2<S> direction;
  S speed = S(0.0);
  S before = infinite;
  S at = s;
  for (int k = 0; k < 200 && any(active); ++k) {
    disc = convex_detail::solve_disc(problem, s, disc.speed, active);
    direction = select(active, disc.u, direction);
    speed = select(active, disc.speed, speed);
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
  // Sliding, back onto the edge from which the answer of the disc differs by rounding. Without
  // speed it is a contact so close to sticking that rounding hides the difference.
  const Vector2<S> turned = turn(direction, problem.principal.axis.x, problem.principal.axis.y);
  const Vector2<S> u = select(speed > S(0.0), unit(turned), turned);
  return {f.friction * at * u.x, f.friction * at * u.y, at};
}

}  // namespace stiction
