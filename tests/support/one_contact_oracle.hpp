#pragma once

/// \file
/// Judges answers of one contact in long double, without anything that the solvers use: by the
/// equations of the law, and by a dense search over all directions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/one_contact_problems.hpp"

namespace stiction::test {

using Real = long double;

/// One contact in long double.
struct LongContact {
  Real W[3][3], c[3], mu, largest;

  explicit LongContact(const OneContactProblem& p)
      : W{{p.W.xx, p.W.xy, p.W.xz}, {p.W.xy, p.W.yy, p.W.yz}, {p.W.xz, p.W.yz, p.W.zz}},
        c{p.c.x, p.c.y, p.c.z},
        mu(p.friction),
        largest(p.largest) {}

  struct V3 {
    Real x, y, z;
  };
  [[nodiscard]] V3 velocity(const V3& l) const {
    return {W[0][0] * l.x + W[0][1] * l.y + W[0][2] * l.z + c[0],
            W[1][0] * l.x + W[1][1] * l.y + W[1][2] * l.z + c[1],
            W[2][0] * l.x + W[2][1] * l.y + W[2][2] * l.z + c[2]};
  }
  [[nodiscard]] Real focal(Real C, Real s) const {
    return 1 + mu * (W[0][2] * C + W[1][2] * s) / W[2][2];
  }
  /// On the cone and on v_n = 0.
  [[nodiscard]] V3 on_conic(Real C, Real s) const {
    const Real n = -c[2] / W[2][2] / focal(C, s);
    return {mu * n * C, mu * n * s, n};
  }
};

inline Real size_of(const LongContact::V3& v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

/// By how much W must change, relative to its norm, for a sliding impulse to be exact; the cone
/// must hold already. `q` of the law: the slip velocity is along −q.
inline Real slip_backward_error(Law law, const LongContact& p, const LongContact::V3& l) {
  const Real t = std::hypot(l.x, l.y);
  const LongContact::V3 v = p.velocity(l);
  if (!(t > 0)) return std::fabs(v.z) / (p.largest * l.z);  // µ = 0
  const Real C = l.x / t, s = l.y / t;
  const auto across = [&](Real qx, Real qy) {
    const Real length = std::hypot(qx, qy);
    const Real wrong = std::max(Real(0), (v.x * qx + v.y * qy) / length);
    return std::hypot((v.x * qy - v.y * qx) / length, wrong);
  };
  if (law == Law::coulomb) {
    return std::hypot(across(C, s), v.z) / (p.largest * size_of(l));
  }
  if (law == Law::convex) {
    // Distance of v from the ray along (−u, µ).
    const Real along = std::max(Real(0), (-v.x * C - v.y * s + p.mu * v.z) / (1 + p.mu * p.mu));
    const LongContact::V3 off{v.x + along * C, v.y + along * s, v.z - along * p.mu};
    return size_of(off) / (p.largest * size_of(l));
  }
  // A change of W_nn, or of w along u, makes v_n = 0; b follows it. Then W_TT makes v_T parallel.
  const Real Wnn = p.W[2][2] - v.z / l.z;
  const Real dw = -v.z / t;
  const Real first =
      std::hypot(across(C + p.mu * p.W[0][2] / Wnn, s + p.mu * p.W[1][2] / Wnn) / t, v.z / l.z);
  const Real second = std::hypot(across(C + p.mu * (p.W[0][2] + dw * C) / p.W[2][2],
                                        s + p.mu * (p.W[1][2] + dw * s) / p.W[2][2]) /
                                     t,
                                 dw);
  return std::min(first, second) / p.largest;
}

/// The same for an answer in any mode; infinite if it breaks a law that no W could mend.
inline Real backward_error(Law law, const LongContact& p, const LongContact::V3& l) {
  constexpr Real never = std::numeric_limits<Real>::infinity();
  const Real t = std::hypot(l.x, l.y), size = size_of(l);
  if (!std::isfinite(size) || l.z < 0) return never;
  if (size == 0) {
    const Real needed = law == Law::convex ? p.mu * std::hypot(p.c[0], p.c[1]) : Real(0);
    return p.c[2] >= needed * (1 - 1e-15L) ? Real(0) : never;
  }
  constexpr Real rounding = 4e-15L;
  const Real excess = t - p.mu * l.z;
  if (excess > rounding * size) return never;
  const Real stick = size_of(p.velocity(l)) / (p.largest * size);
  const bool on_edge = std::fabs(excess) <= rounding * size;
  return on_edge ? std::min(stick, slip_backward_error(law, p, l)) : stick;
}

inline LongContact::V3 operator-(const LongContact::V3& a, const LongContact::V3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// A unit vector in the tangent plane.
struct Direction {
  Real C, s;
};

inline Direction direction_of(Real angle) { return {std::cos(angle), std::sin(angle)}; }

/// The slip equation of a law along the conic (or, under the convex law, along the best points of
/// the edge): changes sign at an answer.
class SlipEquation {
 public:
  using V3 = LongContact::V3;
  SlipEquation(Law law, const LongContact& problem) : law_(law), p_(problem) {}

  /// Candidate impulse along a direction; its normal part is negative where there is none.
  [[nodiscard]] V3 point(const Direction& u) const {
    if (law_ != Law::convex) return p_.on_conic(u.C, u.s);
    // The best on the edge along this direction: −c·g/(gᵀWg) g.
    const V3 g{p_.mu * u.C, p_.mu * u.s, 1};
    const V3 v = p_.velocity(g);
    const Real cg = p_.c[0] * g.x + p_.c[1] * g.y + p_.c[2];
    const Real gWg = (v.x - p_.c[0]) * g.x + (v.y - p_.c[1]) * g.y + (v.z - p_.c[2]);
    const Real n = -cg / gWg;
    return {n * g.x, n * g.y, n};
  }
  /// The slip velocity is along minus this.
  [[nodiscard]] V3 wanted(const Direction& u) const {
    V3 q{u.C, u.s, 0};
    if (law_ == Law::max_dissipation) {
      q.x += p_.mu * p_.W[0][2] / p_.W[2][2];
      q.y += p_.mu * p_.W[1][2] / p_.W[2][2];
    }
    return q;
  }
  [[nodiscard]] Real operator()(const Direction& u, const V3& at) const {
    const V3 v = p_.velocity(at), q = wanted(u);
    return q.x * v.y - q.y * v.x;
  }
  [[nodiscard]] Real operator()(const Direction& u) const { return (*this)(u, point(u)); }

 private:
  Law law_;
  const LongContact& p_;
};

/// Whether a sliding impulse is within `reach` of its size of one that is exact for a W within
/// `tolerance`: the slip equation changes its sign within reach, or it holds nearly enough there.
inline bool mixed_error_holds(Law law, const LongContact& p, const LongContact::V3& l, Real reach,
                              Real tolerance) {
  const Real t = std::hypot(l.x, l.y), size = size_of(l);
  if (!(t > 0)) return false;
  const SlipEquation equation(law, p);
  const Real angle = std::atan2(l.y, l.x);
  const Real here = equation(direction_of(angle));
  for (const Real side : {Real(1), Real(-1)}) {
    Real turn = std::min(Real(1), reach * size / t);
    for (int k = 0; k < 60; ++k, turn /= 2) {
      const Direction turned = direction_of(angle + side * turn);
      const LongContact::V3 moved = equation.point(turned);
      if (!(moved.z >= 0) || size_of(moved - l) > reach * size) continue;
      const Real there = equation(turned, moved);
      if ((there > 0) != (here > 0)) return true;
      if (slip_backward_error(law, p, moved) <= tolerance) return true;
      break;
    }
  }
  return false;
}

}  // namespace stiction::test
