#pragma once

/// \file
/// A capsule on a surface: its ends, and its axis across edges and over vertices. Private to
/// stiction/collision.

#include "stiction/collision/ball_on_surface.hpp"

namespace stiction {

/// In the axes of the surface [m].
struct CapsuleOnSurface {
  Vector3<double> center;
  Vector3<double> half_axis;  ///< from the centre to the centre of the upper cap
  double radius = 0.0;
  double margin = 0.0;
};

namespace surface_detail {

template <class Surface>
void touch_capsule_ends(const Surface& surface, const CapsuleOnSurface& capsule,
                        SurfacePoints& points) {
  const double slack = exact_cone * norm(capsule.half_axis);
  for (int end = 0; end < 2; ++end) {
    const Vector3<double> outwards = (end == 0 ? -1.0 : 1.0) * capsule.half_axis;
    // Both ends count on facets, so that a capsule at rest keeps them; at edges and vertices only
    // an end that is nearer than the rest of the axis.
    const auto accept = Overloaded{
        [](const SurfaceTriangle&) { return true; },
        [&](const Vector3<double>& n) { return dot(n, outwards) <= slack; },
    };
    touch_ball(surface,
               {capsule.center + outwards, capsule.radius, capsule.margin, capsule.radius, end},
               accept, points);
  }
}

/// The inner part of the axis over a vertex; also a vertex that pierced the axis.
template <class Surface>
void touch_capsule_by_vertex(const Surface& surface, const CapsuleOnSurface& capsule,
                             const Vector3<double>& vertex, int number, SurfacePoints& points) {
  const Vector3<double> from_center = vertex - capsule.center;
  const double share =
      dot(from_center, capsule.half_axis) / dot(capsule.half_axis, capsule.half_axis);
  if (!(std::abs(share) < 1.0)) return;
  const Vector3<double> way = multiply_add(share, capsule.half_axis, -from_center);
  const double distance = norm(way);
  if (distance > capsule.radius + capsule.margin || distance <= 1e-9 * capsule.radius) return;
  std::array<Vector3<double>, 8> memory;
  const auto edges = surface.vertex_edges(number, memory);
  for (const double side : {1.0, -1.0}) {
    const Vector3<double> n = (side / distance) * way;
    const double gap = side * distance - capsule.radius;
    if (gap < -2.0 * capsule.radius || !in_vertex_cone(edges, n, exact_cone) ||
        !sticks_out(edges, n, exact_cone)) {
      continue;
    }
    points.add(SurfaceSource::vertex, number, 0, multiply_add(0.5 * gap, n, vertex), n, gap);
    return;
  }
}

template <class Surface>
void touch_capsule_by_edge(const Surface& surface, const CapsuleOnSurface& capsule,
                           const SurfaceTriangle& triangle, int k, SurfacePoints& points) {
  const auto at = static_cast<std::size_t>(k);
  const Vector3<double>& from = triangle.corner[at];
  const Vector3<double> along = triangle.corner[(at + 1) % 3] - from;
  const Vector3<double> across = cross(capsule.half_axis, along);
  const double squared = dot(across, across);
  if (squared <= 1e-18 * dot(along, along) * dot(capsule.half_axis, capsule.half_axis)) return;
  const Vector3<double> to_center = capsule.center - from;
  // center + s half_axis - (from + t along) is parallel to `across`.
  const double t = dot(cross(capsule.half_axis, to_center), across) / squared;
  const double s = dot(cross(along, to_center), across) / squared;
  const double length = std::sqrt(squared);
  const double height = dot(to_center, across) / length;
  if (!(t >= 0.0 && t <= 1.0 && std::abs(s) <= 1.0)) return;
  if (std::abs(height) > capsule.radius + capsule.margin || !surface.may_touch(triangle, k)) return;
  const SurfaceEdge seen = surface.edge(triangle, k);
  if (!seen.owned || seen.kind != EdgeKind::convex) return;
  for (const double sign : {1.0, -1.0}) {
    const Vector3<double> n = (sign / length) * across;
    const double gap = sign * height - capsule.radius;
    if (gap < -2.0 * capsule.radius || gap > capsule.margin ||
        !in_edge_cone(triangle, k, seen, n, wide_cone)) {
      continue;
    }
    points.add(SurfaceSource::edge, 3 * triangle.index + k, 0,
               multiply_add(0.5 * gap, n, multiply_add(t, along, from)), n, gap);
    return;
  }
}

}  // namespace surface_detail

template <class Surface>
void touch_capsule(const Surface& surface, const CapsuleOnSurface& capsule, SurfacePoints& points) {
  surface_detail::touch_capsule_ends(surface, capsule, points);
  const double rounding = capsule.radius + capsule.margin;
  const Vector3<double> reach{std::abs(capsule.half_axis.x) + rounding,
                              std::abs(capsule.half_axis.y) + rounding,
                              std::abs(capsule.half_axis.z) + rounding};
  surface.visit(capsule.center - reach, capsule.center + reach,
                [&](const SurfaceTriangle& triangle) {
                  const double height = dot(triangle.normal, capsule.center - triangle.corner[0]);
                  const double slant = std::abs(dot(triangle.normal, capsule.half_axis));
                  if (height - slant > rounding) return;
                  for (int k = 0; k < 3; ++k) {
                    const auto at = static_cast<std::size_t>(k);
                    surface_detail::touch_capsule_by_edge(surface, capsule, triangle, k, points);
                    if (!surface.owns_vertex(triangle, k)) continue;
                    surface_detail::touch_capsule_by_vertex(surface, capsule, triangle.corner[at],
                                                            triangle.vertex[at], points);
                  }
                });
}

}  // namespace stiction
