#pragma once

/// \file
/// Balls (and corners, which are balls of radius 0) on a surface. Private to stiction/collision.

#include "stiction/collision/surface.hpp"
#include "stiction/collision/surface_points.hpp"

namespace stiction {

/// All in the axes of the surface [m].
struct BallOnSurface {
  Vector3<double> center;
  double radius = 0.0;
  double margin = 0.0;
  double depth = 0.0;  ///< a centre further behind a mesh than this has nothing to do with it
  int number = 0;      ///< tells the balls of a shape apart
};

/// How exactly a direction must lie in a normal cone if it is computed from the nearest points.
inline constexpr double exact_cone = 1e-9;
/// And if it is that of a face or an edge of the shape: bodies at rest tremble by less.
inline constexpr double wide_cone = 2e-3;

namespace surface_detail {

template <class Accept>
class BallContacts {
 public:
  BallContacts(const BallOnSurface& ball, Accept& accept, SurfacePoints& points)
      : ball_(ball), accept_(accept), points_(points) {}

  /// For edges and vertices.
  void add(const Vector3<double>& normal, double gap) {
    if (accept_(normal)) keep(normal, gap);
  }
  void add_facet(const SurfaceTriangle& triangle) {
    if (!accept_(triangle)) return;
    keep(triangle.normal, dot(triangle.normal, ball_.center - triangle.corner[0]) - ball_.radius);
  }
  void restart() { given_ = 0; }

 private:
  void keep(const Vector3<double>& normal, double gap) {
    if (gap > ball_.margin) return;
    const double below = fma(0.5, gap, ball_.radius);
    const int before = points_.count();
    points_.add(SurfaceSource::ball, ball_.number, given_,
                multiply_subtract(below, normal, ball_.center), normal, gap);
    given_ += points_.count() - before;
  }

  const BallOnSurface& ball_;
  Accept& accept_;
  SurfacePoints& points_;
  int given_ = 0;
};

/// Edges and vertices of one triangle that the ball may be nearest to, from outside.
template <class Surface, class Contacts>
void touch_edges(const Surface& surface, const BallOnSurface& ball, const SurfaceTriangle& triangle,
                 Contacts& contacts) {
  const double reach = ball.radius + ball.margin;
  const double least = 1e-9 * (reach + ball.depth);  // nearer points give no direction
  for (int k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Vector3<double>& from = triangle.corner[at];
    const Vector3<double> edge = triangle.corner[(at + 1) % 3] - from;
    const Vector3<double> to_center = ball.center - from;
    const double distance = norm(to_center);
    if (distance <= reach && distance > least && surface.owns_vertex(triangle, k)) {
      std::array<Vector3<double>, 8> memory;
      const Vector3<double> d = (1.0 / distance) * to_center;
      if (in_vertex_cone(surface.vertex_edges(triangle.vertex[at], memory), d, exact_cone)) {
        contacts.add(d, distance - ball.radius);
      }
    }
    const double share = dot(edge, to_center) / dot(edge, edge);
    if (!(share > 0.0 && share < 1.0)) continue;
    const Vector3<double> from_edge = multiply_subtract(share, edge, to_center);
    const double height = norm(from_edge);
    if (height > reach || height <= least || !surface.may_touch(triangle, k)) continue;
    const SurfaceEdge seen = surface.edge(triangle, k);
    if (!seen.owned || seen.kind != EdgeKind::convex) continue;
    const Vector3<double> d = (1.0 / height) * from_edge;
    if (in_edge_cone(triangle, k, seen, d, exact_cone)) {
      contacts.add(d, height - ball.radius);
    }
  }
}

/// A centre inside of the solid is pushed out by the nearest way, and by all facets that meet
/// there; and by facets it is also behind, if the nearest way leads in front of them (a valley).
template <class Surface, class Contacts>
void push_out(const Surface& surface, const BallOnSurface& ball, double reach,
              const NearestOnTriangle& nearest, Contacts& contacts) {
  const double distance = std::sqrt(nearest.squared_distance);
  const double tolerance = 1e-9 * (reach + ball.depth);
  const Vector3<double> extent{reach, reach, reach};
  surface.visit(ball.center - extent, ball.center + extent, [&](const SurfaceTriangle& triangle) {
    const double height = dot(triangle.normal, ball.center - triangle.corner[0]);
    const double after = dot(triangle.normal, nearest.point - triangle.corner[0]);
    const bool valley = height >= -2.0 * distance - 1e3 * tolerance && after >= -tolerance &&
                        is_over(triangle, ball.center);
    const bool meets =
        std::abs(after) <= tolerance &&
        nearest_on(triangle, nearest.point).squared_distance <= tolerance * tolerance;
    if (valley || meets) contacts.add_facet(triangle);
  });
}

}  // namespace surface_detail

/// Finds where the distance of the ball from the surface has a local minimum that accept(triangle)
/// takes, or accept(normal) at edges and vertices. Facets that it refuses do not count: a corner
/// that went through a thin wall is still told by the side it came from. Is exact while the centre
/// is outside of the solid or no deeper than `depth`. Deeper below a height field, the facet
/// straight above counts.
template <class Surface, class Accept>
void touch_ball(const Surface& surface, const BallOnSurface& ball, Accept&& accept,
                SurfacePoints& points) {
  const double facet_reach = ball.radius + ball.margin;
  const double reach = std::max(facet_reach, surface.search_depth(ball.center, ball.depth));
  const Vector3<double> extent{reach, reach, reach};
  const double tolerance = 1e-9 * (reach + ball.depth);
  const int before = points.count();
  surface_detail::BallContacts contacts(ball, accept, points);
  NearestOnTriangle nearest;
  SurfaceTriangle nearest_triangle;
  surface.visit(ball.center - extent, ball.center + extent, [&](const SurfaceTriangle& triangle) {
    const double height = dot(triangle.normal, ball.center - triangle.corner[0]);
    if (std::abs(height) > reach) return;
    if (height * height >= nearest.squared_distance && std::abs(height) > facet_reach) return;
    const NearestOnTriangle here = nearest_on(triangle, ball.center);
    if (here.squared_distance < nearest.squared_distance && accept(triangle)) {
      nearest = here;
      nearest_triangle = triangle;
    }
    if (height >= -tolerance && height <= facet_reach && is_over(triangle, ball.center)) {
      contacts.add_facet(triangle);
    }
    if (here.edge >= 0) surface_detail::touch_edges(surface, ball, triangle, contacts);
  });
  const auto cover = surface.cover(ball.center);
  const double distance = std::sqrt(nearest.squared_distance);
  const bool near = distance <= reach;
  if (near && !surface.is_inside(ball.center, nearest_triangle, nearest)) return;
  points.rewind(before);
  contacts.restart();
  if (near && (distance <= ball.depth || cover)) {
    surface_detail::push_out(surface, ball, reach, nearest, contacts);
  } else if (cover) {
    contacts.add_facet(*cover);
  }
}

}  // namespace stiction
