#pragma once

/// \file
/// Slip under maximum dissipation as printed: steps along the conic, then bisection.
///
/// Implements [PCI, Algorithm 1]. From the direction of P it walks downhill in steps that grow
/// by β₃, go back and shrink by β₂ where the conic is out of sight of P, and stop when the gradient
/// has changed its sign; then it halves the last step.
/// Notation: θ → angle, α → step, D₀ → first, λ_p → before, γ → tolerance.
/// Deviations: two misprints are mended. ∇h₁ is row n of W, not of M; out of sight is
/// ∇h₂·(λ − P) > 0, not < 0. W and µ enter through their quotients (S, d, b, a), which changes no
/// sign; γ is relative to |λ|; loops are capped.

#include "stiction/contact/slip_problem.hpp"
#include "stiction/core/trigonometry.hpp"

namespace stiction {

template <PrintedGradient form>
struct SlipBisectionPrinted {
  double tolerance = 1e-12;  ///< γ
  double beta1 = 0.01;       ///< [rad]
  double beta2 = 0.5;
  double beta3 = 1.3;

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& p, const Vector3<S>&,
                                               Mask active) const {
    Point<S> at(p, direction_of(p.stop));
    const S first = at.gradient(p);
    Walk<S> walk{at.angle, at, first};
    active = active && first != S(0.0);
    step_downhill(p, active, walk);
    halve(p, active, walk);
    return walk.at.impulse;
  }

 private:
  /// A point of the conic by its polar angle.
  template <Scalar S>
  struct Point {
    S angle = S(0.0);
    S C = S(0.0), s = S(0.0);  ///< cos θ, sin θ
    S r = S(0.0);
    Vector3<S> impulse;

    Point() = default;
    [[gnu::always_inline]] Point(const SlipProblem<S>& p, const S& theta) : angle(theta) {
      const SineCosine<S> turned = sine_cosine(theta);
      C = turned.cosine;
      s = turned.sine;
      const S n = p.normal / p.focal({C, s});
      r = p.friction * n;  // [PCI] (14)
      impulse = {r * C, r * s, n};
    }

    [[nodiscard, gnu::always_inline]] S gradient(const SlipProblem<S>& p) const {
      if constexpr (form == PrintedGradient::full) {
        const Vector3<S> h1 = {p.W.xz, p.W.yz, p.W.zz};
        return dot(p.W * impulse + p.c, cross(h1, cone_gradient(p)));
      } else if constexpr (form == PrintedGradient::polar) {
        // dr/dθ = −r D'/D, dλ_T/dθ = dr/dθ u + r u^⊥
        const S D = p.focal({C, s});
        const S growth = -r * fma(p.b.y, C, -(p.b.x * s)) / D;
        const Vector2<S> v = velocity(p);
        return fma(v.x, fma(growth, C, -(r * s)), v.y * fma(growth, s, r * C));
      } else {
        // The third entries of M̄ λ_T + c̄ are nil.  [PCI] (15), (16)
        const Vector3<S> h2 = cone_gradient(p);
        const Vector2<S> v = velocity(p);
        const S eta_x = fma(p.b.y, h2.z, -(p.friction * h2.y));
        const S eta_y = fma(p.friction, h2.x, -(p.b.x * h2.z));
        return fma(v.x, eta_x, v.y * eta_y);
      }
    }
    /// ∇h₂
    [[nodiscard, gnu::always_inline]] Vector3<S> cone_gradient(const SlipProblem<S>& p) const {
      return {S(2.0) * impulse.x, S(2.0) * impulse.y,
              S(-2.0) * p.friction * p.friction * impulse.z};
    }
    [[nodiscard, gnu::always_inline]] Vector2<S> velocity(const SlipProblem<S>& p) const {
      const Vector2<S> Sl = p.mobility({impulse.x, impulse.y});
      return {Sl.x + p.d.x, Sl.y + p.d.y};
    }
    /// Out of sight of P, or not on the conic at all.
    [[nodiscard, gnu::always_inline]] auto hidden(const SlipProblem<S>& p) const {
      return dot(cone_gradient(p), impulse - p.stop) > S(0.0) || r < S(0.0);
    }
  };

  template <Scalar S>
  struct Walk {
    S before;     ///< angle of the last point before the sign change
    Point<S> at;  ///< the point after it
    S first;      ///< gradient at the start
  };

  template <Scalar S>
  [[gnu::always_inline]] static S direction_of(const Vector3<S>& stop) {
    constexpr double pi = 2.0 * trigonometry_detail::half_pi_high;
    const S acute = atan_of_ratio(abs(stop.y), abs(stop.x));
    const S upper = select(stop.x < S(0.0), S(pi) - acute, acute);
    return select(stop.y < S(0.0), -upper, upper);
  }

  template <Scalar S, class Mask>
  [[gnu::always_inline]] static void move(const Mask& where, const Point<S>& from, Point<S>& to) {
    to.angle = select(where, from.angle, to.angle);
    to.C = select(where, from.C, to.C);
    to.s = select(where, from.s, to.s);
    to.r = select(where, from.r, to.r);
    to.impulse = select(where, from.impulse, to.impulse);
  }

  template <Scalar S, class Mask>
  [[gnu::always_inline]] void step_downhill(const SlipProblem<S>& p, Mask active,
                                            Walk<S>& walk) const {
    S step = select(walk.first > S(0.0), S(-beta1), S(beta1));
    for (int k = 0; k < 500 && any(active); ++k) {
      const Point<S> next(p, walk.before + step);
      const auto hidden = next.hidden(p);
      const auto downhill = !hidden && next.gradient(p) * walk.first > S(0.0);
      move(active && !hidden, next, walk.at);
      walk.before = select(active && downhill, next.angle, walk.before);
      step = select(hidden, S(beta2) * step, S(beta3) * step);
      active = active && (hidden || downhill) && abs(step) > S(1e-16);
    }
  }

  /// Halves the interval until the impulses at its ends are alike.
  template <Scalar S, class Mask>
  [[gnu::always_inline]] void halve(const SlipProblem<S>& p, Mask active, Walk<S>& walk) const {
    S low = walk.before;
    S high = walk.at.angle;
    Point<S> at_low(p, low);
    for (int k = 0; k < 100 && any(active); ++k) {
      const Point<S> middle(p, S(0.5) * (low + high));
      const auto downhill = middle.gradient(p) * walk.first > S(0.0);
      low = select(active && downhill, middle.angle, low);
      high = select(active && !downhill, middle.angle, high);
      move(active && downhill, middle, at_low);
      move(active && !downhill, middle, walk.at);
      const Vector3<S> apart = at_low.impulse - walk.at.impulse;
      const S limit = S(tolerance) * S(tolerance) * dot(walk.at.impulse, walk.at.impulse);
      active = active && dot(apart, apart) > limit && abs(high - low) > S(1e-16);
    }
  }
};

}  // namespace stiction
