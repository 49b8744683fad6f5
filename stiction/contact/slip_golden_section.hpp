#pragma once

/// \file
/// Slip under maximum dissipation by a golden-section search for the least energy.
///
/// Implements [PCI, section III], "golden section", on the arc of the conic in sight of P. The
/// energy is ½ λ_TᵀSλ_T + d·λ_T up to a constant, λ_T = (a/D) u. It is flat at its minimum, so a
/// double cannot place it better than to about 1e-8.
/// Deviations: u is turned from P's direction by 4 atan τ, so that there are no angles.

#include "stiction/contact/slip_polynomial.hpp"

namespace stiction {

struct SlipGoldenSection {
  double tolerance = 1e-12;  ///< of the impulse, relative; below 1e-8 it counts as 1e-8

  template <Scalar S, class Mask>
  [[gnu::always_inline]] Vector3<S> operator()(const SlipProblem<S>& p, const Vector3<S>&,
                                               Mask active) const {
    constexpr double ratio = 0.6180339887498949;  // (√5 − 1)/2
    const Arc<S> arc(p);
    const S end = S(0.25 * (tolerance > 1e-8 ? tolerance : 1e-8));
    S low = arc.low;
    S high = arc.high;
    S left = fma(S(-ratio), high - low, high);
    S right = fma(S(ratio), high - low, low);
    S left_energy = arc.energy(p, left);
    S right_energy = arc.energy(p, right);
    // The impulse is as a/D, so it changes faster than the direction where D is small.
    const S rate = S(1.0) + abs(p.b.x) + abs(p.b.y);
    for (int k = 0; k < 90 && any(active); ++k) {
      const auto go_left = left_energy < right_energy;
      const auto move_left = active && go_left;
      const auto move_right = active && !go_left;
      high = select(move_left, right, high);
      low = select(move_right, left, low);
      const S inner = select(go_left, left, right);
      const S inner_energy = select(go_left, left_energy, right_energy);
      const S fresh =
          select(go_left, fma(S(-ratio), high - low, high), fma(S(ratio), high - low, low));
      const S fresh_energy = arc.energy(p, fresh);
      left = select(active, select(go_left, fresh, inner), left);
      left_energy = select(active, select(go_left, fresh_energy, inner_energy), left_energy);
      right = select(active, select(go_left, inner, fresh), right);
      right_energy = select(active, select(go_left, inner_energy, fresh_energy), right_energy);
      active = active && (high - low) * rate > end * p.focal(arc.direction(fresh));
    }
    const Vector2<S> u = arc.direction(S(0.5) * (low + high));
    return p.impulse(u, p.focal(u));
  }

 private:
  /// The whole visible arc, by the tangent τ of a quarter of the angle from P.
  template <Scalar S>
  struct Arc {
    Vector2<S> toP;
    S low = S(0.0), high = S(0.0);

    [[gnu::always_inline]] explicit Arc(const SlipProblem<S>& p) {
      const S distance = sqrt(fma(p.stop.y, p.stop.y, p.stop.x * p.stop.x));
      toP = unit(Vector2<S>{p.stop.x, p.stop.y});
      const S ratio = p.friction * p.stop.z / select(distance > S(0.0), distance, S(1.0));
      const S cosine = minimum(maximum(ratio, S(-1.0)), S(1.0));
      // Tangent of half the angle; 1e9 stands for the whole turn.
      const S reach = minimum(sqrt((S(1.0) - cosine) / maximum(S(1.0) + cosine, S(1e-18))), S(1e9));
      const SlipPolynomial<S> about = slip_detail::expand<Law::max_dissipation>(p, toP);
      high = quarter(slip_detail::cut_at_asymptote(about, S(0.0), reach));
      low = quarter(slip_detail::cut_at_asymptote(about, S(0.0), -reach));
    }
    [[gnu::always_inline]] static S quarter(const S& half) {
      return half / (S(1.0) + sqrt(fma(half, half, S(1.0))));
    }
    [[nodiscard, gnu::always_inline]] Vector2<S> direction(const S& t) const {
      const S one = S(1.0) / fma(t, t, S(1.0));
      const S cosine = fnma(t, t, S(1.0)) * one;
      const S sine = (t + t) * one;
      return turn(toP, fma(cosine, cosine, -(sine * sine)), S(2.0) * sine * cosine);
    }
    [[nodiscard, gnu::always_inline]] S energy(const SlipProblem<S>& p, const S& t) const {
      const Vector2<S> u = direction(t);
      const S D = p.focal(u);
      const S r = p.a / D;
      const S value = r * fma(S(0.5) * r, dot(u, p.mobility(u)), dot(p.d, u));
      return select(D > S(0.0), value, S(std::numeric_limits<double>::infinity()));
    }
  };
};

}  // namespace stiction
