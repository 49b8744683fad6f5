#pragma once

/// \file
/// Slip by a safeguarded Newton iteration.
///
/// Implements [PCI, section III] by other means. Maximum dissipation: Newton on the quartic of
/// slip_polynomial.hpp inside its bracket. Coulomb: (S + t) λ_T = −d with |λ_T| + b·λ_T = a reads,
/// with x = a t [m/s] and A = a S, n(x) = |p| + b·p = det(A + x) = N(x), where
/// p = −adj(A + x) d is linear in x. N/n is nearly linear in x (exactly for isotropic S), so
/// Newton on N/n = 1 takes two or three steps; λ_T = a p/N opposes the slip exactly at every x.
/// Bracket: n > N at x = 0 (P is outside the cone) and n ≤ N at x = (1 + |b|)|d|.

#include "stiction/contact/slip_polynomial.hpp"

namespace stiction {

/// n(x) = N(x), see above.
template <Scalar S>
struct CoulombSecular {
  Vector2<S> d, b;
  S major = S(0.0), minor = S(0.0);  ///< eigenvalues of A

  [[gnu::always_inline]] explicit CoulombSecular(const SlipProblem<S>& problem)
      : d(problem.d),
        b(problem.b),
        major(problem.a * problem.major),
        minor(problem.a * problem.minor) {}
  /// n ≤ N from here on.
  [[nodiscard, gnu::always_inline]] S top() const {
    return (S(1.0) + abs(b.x) + abs(b.y)) * (abs(d.x) + abs(d.y));
  }
  /// p
  [[nodiscard, gnu::always_inline]] Vector2<S> direction(const S& x) const {
    return {-d.x * (minor + x), -d.y * (major + x)};
  }
  /// N
  [[nodiscard, gnu::always_inline]] S norm(const S& x) const { return (minor + x) * (major + x); }
  /// dN/dx
  [[nodiscard, gnu::always_inline]] S slope(const S& x) const { return (minor + x) + (major + x); }
};

namespace slip_detail {

/// x at which a direction would be the answer, in the sense of a Rayleigh quotient.
template <Scalar S>
[[gnu::always_inline]] inline S rayleigh_start(const SlipProblem<S>& p, const Vector2<S>& u) {
  return -fma(p.focal(u), dot(p.d, u), p.a * dot(u, p.mobility(u)));
}

}  // namespace slip_detail

/// The slip law of a functor is a template argument; it solves the lanes where `active`.
template <Law law>
struct SlipNewton;

template <>
struct SlipNewton<Law::coulomb> {
  /// Newton squares the error: a relative step of its root ends the iteration.
  double tolerance = 1e-12;

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& problem,
                                               const Vector3<S>& warm, Mask active) const {
    const CoulombSecular<S> f(problem);
    const S x = root(f, start(problem, warm, f.top()), newton_step(tolerance), active);
    return impulse(problem, f, x);
  }

  /// Root of n(x) = N(x) from a first guess in [0, top]; 0 where n ≤ N at 0 already.
  template <Scalar S, class Mask>
  [[gnu::always_inline]] static S root(const CoulombSecular<S>& f, S x, double last_step,
                                       Mask active) {
    S low = S(0.0);
    S high = f.top();
    S before = high;
    for (int k = 0; k < 100 && any(active); ++k) {
      const Vector2<S> p = f.direction(x);
      const S m = sqrt(dot(p, p));
      const S n = m + dot(f.b, p);
      const S N = f.norm(x);
      const S slope = f.slope(x);
      const S gap = N - n;
      const S nm = n * m;
      const S bend = fma(m, dot(f.b, f.d), dot(p, f.d));  // −m n'
      const S step = nm * gap / fma(slope, nm, N * bend);
      const auto small = abs(step) * slope <= S(last_step) * N && abs(gap) <= S(last_step) * abs(n);
      const auto right = gap > S(0.0);
      low = select(right, low, x);
      high = select(right, x, high);
      S next = x - step;
      const auto good = next >= low && next <= high && n > S(0.0) && abs(step) <= S(0.5) * before;
      next = select(good || small, maximum(next, S(0.0)), S(0.5) * (low + high));
      const auto done = small || next == x;
      before = select(good, abs(step), S(0.5) * (high - low));
      x = select(active, next, x);
      active = active && !done;
    }
    return x;
  }

 private:
  static double newton_step(double tolerance) { return tolerance < 1e-10 ? 1e-8 : tolerance; }

  template <Scalar S>
  [[gnu::always_inline]] static S start(const SlipProblem<S>& p, const Vector3<S>& warm,
                                        const S& top) {
    const Vector2<S> guess = {warm.x, warm.y};
    const S size = dot(guess, guess);
    const auto warmed = size > S(0.0);
    const Vector2<S> u = unit(select(warmed, guess, Vector2<S>{-p.d.x, -p.d.y}));
    const S x = slip_detail::rayleigh_start(p, u);
    return select(x >= S(0.0) && x <= top, x, select(x > top, top, S(0.0)));
  }

  template <Scalar S>
  [[gnu::always_inline]] static Vector3<S> impulse(const SlipProblem<S>& problem,
                                                   const CoulombSecular<S>& f, const S& x) {
    const Vector2<S> p = f.direction(x);
    const S m = sqrt(dot(p, p));
    const S N = f.norm(x);
    const auto some = N > S(0.0) && m > S(0.0);
    const S n = problem.normal / select(some, N, S(1.0));
    return select(some, Vector3<S>{problem.friction * n * p.x, problem.friction * n * p.y, n * m},
                  Vector3<S>{S(0.0), S(0.0), problem.normal});
  }
};

template <>
struct SlipNewton<Law::max_dissipation> {
  double tolerance = 1e-12;

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& problem,
                                               const Vector3<S>& warm, Mask active) const {
    const SlipPolynomial<S> h = slip_polynomial<Law::max_dissipation>(problem);
    const S start = h.parameter({warm.x, warm.y});
    return slip_impulse<Law::max_dissipation>(problem, h,
                                              polynomial_root(h, start, tolerance, active));
  }
};

}  // namespace stiction
