#pragma once

/// \file
/// Every answer of one contact by brute force in long double: nothing is known of the solvers, and
/// of the law no more than its three modes.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "support/one_contact_oracle.hpp"

namespace stiction::test {

/// Half ½λᵀWλ + cᵀλ that an impulse leaves, and the size of its terms.
struct ImpulseEnergy {
  Real value = 0, size = 0;
};

inline ImpulseEnergy energy_of(const LongContact& p, const LongContact::V3& l) {
  const LongContact::V3 v = p.velocity(l);
  const Real cl = p.c[0] * l.x + p.c[1] * l.y + p.c[2] * l.z;
  const Real lWl = v.x * l.x + v.y * l.y + v.z * l.z - cl;
  return {lWl / 2 + cl, lWl / 2 + std::fabs(cl)};
}

/// −W⁻¹c by elimination with the largest diagonal entry first, which is exact but for rounding of
/// W.
inline LongContact::V3 sticking_impulse(const LongContact& p) {
  Real W[3][3], x[3];
  std::array<std::size_t, 3> order{0, 1, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) W[i][j] = p.W[i][j];
    x[i] = -p.c[i];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = k + 1; i < 3; ++i) {
      if (W[order[i]][order[i]] > W[order[k]][order[k]]) std::swap(order[i], order[k]);
    }
    const std::size_t pivot = order[k];
    for (std::size_t i = k + 1; i < 3; ++i) {
      const std::size_t row = order[i];
      const Real factor = W[row][pivot] / W[pivot][pivot];
      for (std::size_t j = k; j < 3; ++j) W[row][order[j]] -= factor * W[pivot][order[j]];
      x[row] -= factor * x[pivot];
    }
  }
  for (std::size_t k = 3; k-- > 0;) {
    const std::size_t row = order[k];
    for (std::size_t j = k + 1; j < 3; ++j) x[row] -= W[row][order[j]] * x[order[j]];
    x[row] /= W[row][row];
  }
  return {x[0], x[1], x[2]};
}

/// Looks along all directions: the slip equation on a grid of half a degree, and on grids that
/// become finer down to 1e-17 rad towards the asymptotes, P, −d and the ends of the edge; each
/// change of sign is halved to the end of long double. Under maximum dissipation and the convex law
/// the least energy of all these counts (and what long double cannot tell from it), under Coulomb's
/// law all of them.
class ContactSearch {
 public:
  using V3 = LongContact::V3;

  ContactSearch(Law law, const LongContact& problem) : law_(law), p_(problem), equation_(law, p_) {
    const Real needed = law == Law::convex ? p_.mu * std::hypot(p_.c[0], p_.c[1]) : Real(0);
    if (p_.c[2] >= needed) answers_.push_back({0, 0, 0});
    add_sticking();
    if (law_ != Law::coulomb && !answers_.empty()) return;
    search_all();
    keep_least_energy();
  }
  [[nodiscard]] const std::vector<V3>& answers() const { return answers_; }

  /// Distance to the nearest of the answers, relative to its size.
  [[nodiscard]] Real distance(const V3& l) const {
    Real least = std::numeric_limits<Real>::infinity();
    for (const V3& other : answers_) {
      const Real off = size_of(other - l), size = size_of(other);
      if (off == 0) return 0;
      if (size > 0) least = std::min(least, off / size);
    }
    return least;
  }

 private:
  /// P, or what is left of it in the cone if that is as good to a rounding of W.
  void add_sticking() {
    V3 P = sticking_impulse(p_);
    if (!(P.z > 0)) return;
    const Real share = p_.mu * P.z / std::hypot(P.x, P.y);
    if (share < 1) {
      P.x *= share;
      P.y *= share;
      if (size_of(p_.velocity(P)) > rounding_of_W(P)) return;
    }
    answers_.push_back(P);
  }
  /// Velocity that a change of W by 1e-15 of its norm makes.
  [[nodiscard]] Real rounding_of_W(const V3& l) const { return 1e-15L * p_.largest * size_of(l); }

  struct Node {
    Direction u;
    bool valid;
    Real value;
  };

  [[nodiscard]] Node at(const Direction& u) const {
    const V3 l = equation_.point(u);
    return {u, l.z >= 0 && std::isfinite(l.z), equation_(u, l)};
  }

  static constexpr Real pi = 3.14159265358979323846264338327950288L;
  static constexpr std::size_t coarse_count = 720, offset_count = 79;

  static std::span<const Direction> circle() {
    static const auto table = [] {
      std::array<Direction, coarse_count + 1> all;
      for (std::size_t k = 0; k <= coarse_count; ++k) {
        all[k] = direction_of(-pi + 2 * pi * static_cast<Real>(k) / coarse_count);
      }
      return all;
    }();
    return table;
  }
  /// Rotations by 0.1 rad, 0.0625 rad, ... 1e-17 rad.
  static std::span<const Direction> offsets() {
    static const auto table = [] {
      std::array<Direction, offset_count> all;
      Real offset = 0.1L;
      for (Direction& each : all) {
        each = direction_of(offset);
        offset /= 1.6L;
      }
      return all;
    }();
    return table;
  }

  void search_all() {
    Node last = at(circle().front());
    for (const Direction& u : circle().subspan(1)) advance(last, u);
    const Real wx = p_.W[0][2], wy = p_.W[1][2], Wnn = p_.W[2][2];
    search_arc_ends(std::atan2(wy, wx), p_.mu * std::hypot(wx, wy) / Wnn);
    if (law_ == Law::convex && p_.c[2] != 0) {
      search_arc_ends(std::atan2(p_.c[1], p_.c[0]), p_.mu * std::hypot(p_.c[0], p_.c[1]) / p_.c[2]);
    }
    const Real dx = p_.c[0] - wx * p_.c[2] / Wnn, dy = p_.c[1] - wy * p_.c[2] / Wnn;
    const Real xx = p_.W[0][0] - wx * wx / Wnn, yy = p_.W[1][1] - wy * wy / Wnn;
    const Real xy = p_.W[0][1] - wx * wy / Wnn;
    search_near(std::atan2(-dy, -dx));
    search_near(std::atan2(xy * dx - xx * dy, xy * dy - yy * dx));
    const Real axis = std::atan2(2 * xy, xx - yy) / 2;  // of S
    for (int quarter = 0; quarter < 4; ++quarter) search_near(axis + pi / 2 * quarter);
  }
  /// Where 1 + e cos(angle − along) has its zeros and its least value.
  void search_arc_ends(Real along, Real e) {
    if (e == 0) return;
    if (std::fabs(e) >= 1) {
      const Real half = std::acos(-1 / e);
      search_near(along + half);
      search_near(along - half);
    }
    search_near(along + pi);
  }
  void search_near(Real angle) {
    const Direction centre = direction_of(angle);
    const auto turned = [&centre](const Direction& by, Real sign) {
      return Direction{centre.C * by.C - sign * centre.s * by.s,
                       centre.s * by.C + sign * centre.C * by.s};
    };
    Node last = at(turned(offsets().front(), -1));
    for (const Direction& by : offsets().subspan(1)) advance(last, turned(by, -1));
    advance(last, centre);
    for (std::size_t k = offset_count; k-- > 0;) advance(last, turned(offsets()[k], 1));
  }

  void advance(Node& last, const Direction& u) {
    const Node next = at(u);
    if (last.valid && next.valid && (last.value > 0) != (next.value > 0)) halve(last, next);
    last = next;
  }
  void halve(Node low, Node high) {
    for (int k = 0; k < 80; ++k) {
      const Real x = low.u.C + high.u.C, y = low.u.s + high.u.s, length = std::sqrt(x * x + y * y);
      const Node middle = at({x / length, y / length});
      const bool same_as_low = (middle.value > 0) == (low.value > 0);
      const Node& end = same_as_low ? low : high;
      if (middle.u.C == end.u.C && middle.u.s == end.u.s) break;
      (same_as_low ? low : high) = middle;
    }
    keep(low.u);
  }
  void keep(const Direction& u) {
    const V3 l = equation_.point(u), v = p_.velocity(l), q = equation_.wanted(u);
    if (law_ == Law::coulomb) {
      // At the edge of sticking the slip velocity is no more than rounding of W, of either sign.
      if (v.x * q.x + v.y * q.y <= rounding_of_W(l)) answers_.push_back(l);
      return;
    }
    candidates_.push_back({l, energy_of(p_, l)});
  }
  void keep_least_energy() {
    const auto less = [](const Candidate& a, const Candidate& b) {
      return a.energy.value < b.energy.value;
    };
    const auto least = std::min_element(candidates_.begin(), candidates_.end(), less);
    for (const Candidate& each : candidates_) {
      const Real above = each.energy.value - least->energy.value;
      if (above <= 1e-18L * least->energy.size) answers_.push_back(each.impulse);
    }
  }

  struct Candidate {
    V3 impulse;
    ImpulseEnergy energy;
  };

  Law law_;
  LongContact p_;
  SlipEquation equation_;
  std::vector<V3> answers_;
  std::vector<Candidate> candidates_;
};

/// Judges impulses by what the search finds: right is what is within 1e-9 of an answer. Where W is
/// so ill-conditioned that nobody can promise that, right is what is within the distance that a
/// change of one entry of W, by at most 1e-12 of its norm, moves that answer; and as an answer may
/// also end to exist, and the next one be anywhere, the law's equations must then hold, too.
class SearchJudge {
 public:
  using V3 = LongContact::V3;

  SearchJudge(Law law, const OneContactProblem& problem)
      : law_(law), p_(problem), search_(law, p_) {}

  [[nodiscard]] const std::vector<V3>& answers() const { return search_.answers(); }

  /// Smallest change of W, of 0 (within 1e-9), 1e-15, ... 1e-12, that explains the impulse;
  /// infinite if none does.
  [[nodiscard]] Real change_of_W(const V3& l) {
    const std::vector<V3>& known = search_.answers();
    if (search_.distance(l) <= 1e-9L) return 0;
    const auto nearer = [&l](const V3& a, const V3& b) { return size_of(a - l) < size_of(b - l); };
    const auto nearest = std::min_element(known.begin(), known.end(), nearer);
    if (nearest == known.end() || !equations_hold(l)) return std::numeric_limits<Real>::infinity();
    const Real distance = size_of(*nearest - l);
    for (std::size_t k = 0; k < changes.size(); ++k) {
      if (distance <= reach(static_cast<std::size_t>(nearest - known.begin()), k)) {
        return changes[k];
      }
    }
    return std::numeric_limits<Real>::infinity();
  }
  /// Difference to the least energy that the search found, relative to its terms; `change` of W, by
  /// its norm, is forgiven.
  [[nodiscard]] Real energy_error(const V3& l, Real change) const {
    const ImpulseEnergy own = energy_of(p_, l);
    const Real forgiven = change * p_.largest * size_of(l) * size_of(l);
    Real least = std::numeric_limits<Real>::infinity();
    for (const V3& answer : search_.answers()) {
      const ImpulseEnergy best = energy_of(p_, answer);
      least = std::min(least,
                       std::max(Real(0), std::fabs(own.value - best.value) - forgiven) / best.size);
    }
    return least;
  }

 private:
  [[nodiscard]] bool equations_hold(const V3& l) const {
    return backward_error(law_, p_, l) <= 1e-12L || mixed_error_holds(law_, p_, l, 1e-9L, 1e-12L);
  }

  static constexpr std::array<Real, 4> changes{1e-15L, 1e-14L, 1e-13L, 1e-12L};

  /// How far an answer moves at most when one entry of W changes by `changes[k]` of its norm.
  [[nodiscard]] Real reach(std::size_t answer, std::size_t k) {
    reaches_.resize(search_.answers().size(), {-1, -1, -1, -1});
    Real& known = reaches_[answer][k];
    if (known >= 0) return known;
    known = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        const Real change = changes[k] * p_.largest;
        const V3& from = search_.answers()[answer];
        for (const Real signed_change : {change, -change}) {
          known = std::max(known, movement(from, i, j, signed_change));
        }
      }
    }
    return known;
  }
  [[nodiscard]] Real movement(const V3& from, int i, int j, Real change) const {
    LongContact changed = p_;
    changed.W[i][j] += change;
    changed.W[j][i] = changed.W[i][j];
    const ContactSearch search(law_, changed);
    Real least = std::numeric_limits<Real>::infinity();
    for (const V3& to : search.answers()) least = std::min(least, size_of(to - from));
    return std::isfinite(least) ? least : Real(0);
  }

  Law law_;
  LongContact p_;
  ContactSearch search_;
  std::vector<std::array<Real, 4>> reaches_;
};

}  // namespace stiction::test
