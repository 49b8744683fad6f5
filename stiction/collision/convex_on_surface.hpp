#pragma once

/// \file
/// Cylinders, ellipsoids and hulls on a surface. Facets meet them as planes do, of which only the
/// part over the facet counts; convex edges and vertices of the surface meet them as segments and
/// points, by their support functions; as long as the middle of the shape is in front of them.
/// Private to stiction/collision.

#include "stiction/collision/ball_on_surface.hpp"
#include "stiction/collision/convex_pairs.hpp"
#include "stiction/collision/support.hpp"

namespace stiction {

struct ConvexOnSurface {
  const ShapeGeometry& shape;
  Placement at;                       ///< seen from the surface
  double margin = 0.0;                ///< [m]
  NarrowFunction on_plane = nullptr;  ///< with the plane first; not for hulls
  Vector3<double> middle;             ///< a point inside, in the axes of the surface [m]

  /// How far the shape is beyond a plane through `point`; never more than its true distance from
  /// anything behind that plane.
  [[nodiscard]] double clearance(const Vector3<double>& normal,
                                 const Vector3<double>& point) const {
    ConvexCore core = convex_core(shape);
    const Vector3<double> nearest = support_point(core, -transpose_times(at.rotation, normal));
    return dot(normal, multiply_add(at.rotation, nearest, at.position) - point);
  }
};

namespace surface_detail {

/// Axes with the given unit vector as z.
inline Matrix3<double> axes_about(const Vector3<double>& z) {
  const Vector3<double> aside =
      std::abs(z.x) < 0.6 ? Vector3<double>{1.0, 0.0, 0.0} : Vector3<double>{0.0, 1.0, 0.0};
  Vector3<double> x = cross(aside, z);
  x = (1.0 / norm(x)) * x;
  return {x, cross(z, x), z};
}

/// Points of a curved shape on the plane of a facet, as far as they are over the facet.
inline void touch_facet(const ConvexOnSurface& convex, const SurfaceTriangle& triangle,
                        SurfacePoints& points) {
  static const ShapeGeometry plane{.kind = ShapeKind::plane,
                                   .radius = std::numeric_limits<double>::infinity()};
  PointBuffer found;
  convex.on_plane(plane, {axes_about(triangle.normal), triangle.corner[0]}, convex.shape, convex.at,
                  convex.margin, found);
  for (int i = 0; i < found.count(); ++i) {
    if (!is_over(triangle, found[i].point)) continue;
    points.add(SurfaceSource::ball, found[i].feature, 0, found[i].point, triangle.normal,
               found[i].gap);
  }
}

/// Points between the shape and a thin part of the surface, as far as accept(n) takes their normal.
template <class Accept>
void touch_thin(const ConvexOnSurface& convex, const ShapeGeometry& part, const Placement& at,
                SurfaceSource source, int number, Accept&& accept, SurfacePoints& points) {
  PointBuffer found;
  collide_convex(convex.shape, convex.at, part, at, convex.margin, found);
  for (int i = 0; i < found.count(); ++i) {
    const Vector3<double> n = -found[i].normal;
    if (dot(n, convex.middle - found[i].point) < 0.0 || !accept(n)) continue;
    points.add(source, number, found[i].feature, found[i].point, n, found[i].gap);
  }
}

template <class Surface>
void touch_convex_by_vertex(const Surface& surface, const ConvexOnSurface& convex,
                            const SurfaceTriangle& triangle, int k, SurfacePoints& points) {
  static const ShapeGeometry point{.kind = ShapeKind::sphere};
  const auto at = static_cast<std::size_t>(k);
  const int number = triangle.vertex[at];
  const Vector3<double> apart = triangle.corner[at] - convex.at.position;
  const double reach = convex.shape.radius + convex.margin;
  if (dot(apart, apart) > reach * reach || !surface.owns_vertex(triangle, k)) return;
  std::array<Vector3<double>, 8> memory;
  const auto edges = surface.vertex_edges(number, memory);
  touch_thin(
      convex, point, {identity3<double>(), triangle.corner[at]}, SurfaceSource::vertex, number,
      [&](const Vector3<double>& n) {
        return in_vertex_cone(edges, n, wide_cone) && sticks_out(edges, n, wide_cone);
      },
      points);
}

template <class Surface>
void touch_convex_by_edge(const Surface& surface, const ConvexOnSurface& convex,
                          const SurfaceTriangle& triangle, int k, SurfacePoints& points) {
  if (!surface.may_touch(triangle, k)) return;
  const auto at = static_cast<std::size_t>(k);
  const Vector3<double>& from = triangle.corner[at];
  const Vector3<double>& to = triangle.corner[(at + 1) % 3];
  const Vector3<double> apart =
      multiply_add(nearest_fraction(from, to, convex.at.position), to - from, from) -
      convex.at.position;
  const double reach = convex.shape.radius + convex.margin;
  if (dot(apart, apart) > reach * reach) return;
  const SurfaceEdge seen = surface.edge(triangle, k);
  if (!seen.owned || seen.kind != EdgeKind::convex) return;
  if (convex.clearance(seen.other_normal, from) > convex.margin) return;
  const double length = norm(to - from);
  const Vector3<double> along = (1.0 / length) * (to - from);
  const ShapeGeometry segment{
      .kind = ShapeKind::capsule, .size = {0.0, 0.5 * length, 0.0}, .radius = 0.5 * length};
  touch_thin(
      convex, segment, {axes_about(along), 0.5 * (from + to)}, SurfaceSource::edge,
      3 * triangle.index + k,
      [&](const Vector3<double>& n) {
        return std::abs(dot(n, along)) <= wide_cone &&
               in_edge_cone(triangle, k, seen, n, wide_cone);
      },
      points);
}

/// The vertices of a hull; as the corners of a box.
template <class Surface>
void touch_hull_vertices(const Surface& surface, const ConvexOnSurface& convex,
                         SurfacePoints& points) {
  const ConvexHull& hull = *convex.shape.hull;
  const auto place = [&](int i) {
    return multiply_add(convex.at.rotation, hull.vertices()[static_cast<std::size_t>(i)],
                        convex.at.position);
  };
  for (int i = 0; i < static_cast<int>(hull.vertices().size()); ++i) {
    const Vector3<double> vertex = place(i);
    const Vector3<double> offset = vertex - convex.middle;
    const auto accept = Overloaded{
        [&](const SurfaceTriangle& triangle) {
          return dot(triangle.normal, offset) < 0.0 &&
                 (Surface::is_solid || is_in_front(triangle, convex.middle));
        },
        [&](const Vector3<double>& n) {
          return std::ranges::all_of(hull.neighbours(i), [&](int j) {
            const Vector3<double> edge = place(j) - vertex;
            return dot(n, edge) >= -exact_cone * norm(edge);
          });
        },
    };
    touch_ball(surface, {vertex, 0.0, convex.margin, norm(offset), i}, accept, points);
  }
}

}  // namespace surface_detail

template <class Surface>
void touch_convex(const Surface& surface, const ConvexOnSurface& convex, SurfacePoints& points) {
  using namespace surface_detail;
  if (convex.shape.hull) touch_hull_vertices(surface, convex, points);
  const double reach = convex.shape.radius + convex.margin;
  const Vector3<double> extent{reach, reach, reach};
  surface.visit(convex.at.position - extent, convex.at.position + extent,
                [&](const SurfaceTriangle& triangle) {
                  if (convex.clearance(triangle.normal, triangle.corner[0]) > convex.margin) return;
                  if (convex.on_plane && is_in_front(triangle, convex.middle)) {
                    touch_facet(convex, triangle, points);
                  }
                  for (int k = 0; k < 3; ++k) {
                    touch_convex_by_edge(surface, convex, triangle, k, points);
                    touch_convex_by_vertex(surface, convex, triangle, k, points);
                  }
                });
  if (points.count() > 0) return;
  // Wholly below a height field: the facet above the middle pushes it up.
  if (const auto cover = surface.cover(convex.at.position)) {
    const double gap = convex.clearance(cover->normal, cover->corner[0]);
    points.add(SurfaceSource::ball, 0, 0,
               multiply_subtract(0.5 * gap, cover->normal, convex.at.position), cover->normal, gap);
  }
}

}  // namespace stiction
