#include "stiction/collision/convex_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>

#include "stiction/collision/manifold.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;

ConvexPair make_pair(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                     const Placement& at_b) {
  ConvexPair pair{convex_core(a), convex_core(b), {}, {}, a.radius + b.radius, 0.0};
  const Matrix3<double> to_a = transpose(at_a.rotation);
  pair.rotation = to_a * at_b.rotation;
  pair.position = to_a * (at_b.position - at_a.position);
  return pair;
}

/// The vertices of a hull above a plane.
struct HullAbovePlane {
  const ConvexHull& hull;
  Vector up;            ///< the plane's normal in the hull's axes
  double height = 0.0;  ///< of the hull's origin above the plane [m]
  double margin = 0.0;

  [[nodiscard]] double gap(int vertex) const {
    return height + dot(up, hull.vertices()[static_cast<std::size_t>(vertex)]);
  }
};

/// Vertices about the lowest one that are within the margin, found from neighbour to neighbour: on
/// a convex body all of them hang together.
class LowVertices {
 public:
  static constexpr int most = 64;

  /// False if there are more than `most`.
  bool find(const HullAbovePlane& above, int lowest, double clearly) {
    count_ = 0;
    add(lowest);
    for (int next = 0; next < count_; ++next) {
      for (const int i : above.hull.neighbours(vertex_[static_cast<std::size_t>(next)])) {
        // A little further than the margin, so that rounding cuts nothing off.
        if (above.gap(i) > above.margin + clearly || holds(i)) continue;
        if (count_ == most) return false;
        add(i);
      }
    }
    std::sort(vertex_.begin(), vertex_.begin() + count_);
    return true;
  }
  [[nodiscard]] std::span<const int> all() const {
    return std::span(vertex_).first(static_cast<std::size_t>(count_));
  }

 private:
  void add(int i) { vertex_[static_cast<std::size_t>(count_++)] = i; }
  [[nodiscard]] bool holds(int i) const {
    return std::find(vertex_.begin(), vertex_.begin() + count_, i) != vertex_.begin() + count_;
  }
  std::array<int, most> vertex_;
  int count_ = 0;
};

/// As thin_out(), but over vertices of a hull: returns how many were chosen.
template <class Candidates>
int choose_spread(const HullAbovePlane& above, const Candidates& candidates, double deepest,
                  double tie, std::array<int, max_convex_points>& chosen) {
  const auto vertices = above.hull.vertices();
  int kept = 0;
  for (; kept < max_convex_points; ++kept) {
    int best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (const int i : candidates) {
      const double gap = above.gap(i);
      if (!(gap <= above.margin)) continue;  // a gap that is no number does not touch
      double worth = kept == 0 ? 0.0 : std::numeric_limits<double>::infinity();
      for (int k = 0; k < kept; ++k) {
        const int other = chosen[static_cast<std::size_t>(k)];
        const double distance =
            norm(vertices[static_cast<std::size_t>(i)] - vertices[static_cast<std::size_t>(other)]);
        worth = std::min(worth, distance > 0.0 ? distance : -1.0 / tie);
      }
      worth -= 2.0 * (gap - deepest);
      if (worth > most + tie) {
        most = worth;
        best = i;
      }
    }
    if (best < 0) break;
    chosen[static_cast<std::size_t>(kept)] = best;
  }
  return kept;
}

/// Those of the candidates (ascending) that are within the margin, or eight of them.
template <class Candidates>
int choose_touching(const HullAbovePlane& above, const Candidates& candidates,
                    std::array<int, max_convex_points>& chosen) {
  int touching = 0;
  double deepest = std::numeric_limits<double>::infinity();
  for (const int i : candidates) {
    const double gap = above.gap(i);
    if (!(gap <= above.margin)) continue;  // a gap that is no number does not touch
    if (touching < max_convex_points) chosen[static_cast<std::size_t>(touching)] = i;
    ++touching;
    deepest = std::min(deepest, gap);
  }
  if (touching > max_convex_points) {
    touching = choose_spread(above, candidates, deepest, 1e-9 * above.hull.radius(), chosen);
    std::sort(chosen.begin(), chosen.begin() + touching);
  }
  return touching;
}

}  // namespace

void collide_convex(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                    const Placement& at_b, double margin, PointBuffer& points) {
  ConvexPair pair = make_pair(a, at_a, b, at_b);
  const double rounding = pair.a.rounding + pair.b.rounding;
  // The better the proven gap, the longer the pair is known to be apart.
  pair.proven_share = 0.7;
  const CoreGap core = find_core_gap(pair, margin + rounding);
  if (!(core.separation.gap - rounding <= margin)) {
    points.set_apart(core.separation.gap - rounding);
    return;
  }
  thread_local Manifold manifold;  // clearing it anew would take as long as filling it
  find_manifold(pair, core, margin, manifold);
  const Vector normal = at_a.rotation * core.separation.normal;
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& p = manifold.point[static_cast<std::size_t>(i)];
    points.add(multiply_add(at_a.rotation, p.point, at_a.position), normal, p.gap, p.feature);
  }
}

void collide_plane_hull(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                        const Placement& at_b, double margin, PointBuffer& points) {
  static_cast<void>(a);
  const Vector normal = at_a.rotation.c2;
  const HullAbovePlane above{*b.hull, transpose_times(at_b.rotation, normal),
                             dot(normal, at_b.position - at_a.position), margin};
  // Climbing may end a rounding error above the lowest vertex, so only clear cases end here.
  const int lowest = b.hull->support(-above.up);
  const double clearly = 1e-9 * b.hull->radius();
  if (above.gap(lowest) > margin + clearly) {
    points.set_apart(above.gap(lowest) - clearly);
    return;
  }
  std::array<int, max_convex_points> chosen{};
  LowVertices low;
  const int count = static_cast<int>(b.hull->vertices().size());
  const int touching = low.find(above, lowest, clearly)
                           ? choose_touching(above, low.all(), chosen)
                           : choose_touching(above, std::views::iota(0, count), chosen);
  for (int k = 0; k < touching; ++k) {
    const int vertex = chosen[static_cast<std::size_t>(k)];
    const double gap = above.gap(vertex);
    const Vector point = multiply_add(
        at_b.rotation, b.hull->vertices()[static_cast<std::size_t>(vertex)], at_b.position);
    points.add(multiply_subtract(0.5 * gap, normal, point), normal, gap, vertex);
  }
}

double convex_gap(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                  const Placement& at_b, double limit, Vector3<double>& normal) {
  ConvexPair pair = make_pair(a, at_a, b, at_b);
  const double rounding = pair.a.rounding + pair.b.rounding;
  const CoreGap core = find_core_gap(pair, limit + rounding);
  normal = at_a.rotation * core.separation.normal;
  return core.separation.gap - rounding;
}

}  // namespace stiction
