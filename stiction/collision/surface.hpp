#pragma once

/// \file
/// What height fields and triangle meshes have in common: facets with neighbours. Private to
/// stiction/collision.
///
/// A point q of the surface can touch something in direction d only if d lies in the normal cone of
/// q, which is where the distance to the surface has a local minimum: for a facet that is its
/// normal, for a convex edge all directions between the normals of both facets, for a vertex all
/// directions that make no acute angle with an edge. Flat and concave edges have no cone of their
/// own, so a body that slides over them feels the facets alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// One call for several types.
template <class... Calls>
struct Overloaded : Calls... {
  using Calls::operator()...;
};
template <class... Calls>
Overloaded(Calls...) -> Overloaded<Calls...>;

/// Counter-clockwise seen from outside.
struct SurfaceTriangle {
  int index = -1;
  std::array<int, 3> vertex{};
  std::array<Vector3<double>, 3> corner;  ///< in the axes of the surface [m]
  Vector3<double> normal;                 ///< unit, outwards
};

enum class EdgeKind : std::uint8_t { convex, flat, concave };

/// The edge from corner k to corner k + 1 of a triangle, as that triangle sees it.
struct SurfaceEdge {
  EdgeKind kind = EdgeKind::flat;
  bool owned = false;  ///< one of the two triangles owns the edge, so that it is looked at once
  bool border = false;
  /// Unit normal of the other facet. Where there is none, of a side that falls off at the border.
  Vector3<double> other_normal;
};

/// The sine of the angle below which two facets count as one plane.
inline constexpr double flat_sine = 1e-9;
/// How far beyond its border a facet counts, as a share of its edge: no gap between two facets.
inline constexpr double border_share = 1e-9;

/// Where a point is nearest to a triangle.
struct NearestOnTriangle {
  Vector3<double> point;
  double squared_distance = std::numeric_limits<double>::infinity();
  int edge = -1;    ///< the nearest point is on this edge; -1: inside of the facet
  int corner = -1;  ///< the nearest point is this corner (`edge` is one that ends there)
};

/// Of two facets with unit normals, about the edge from `from` to `to` of the first.
[[nodiscard]] inline EdgeKind edge_kind(const Vector3<double>& normal, const Vector3<double>& other,
                                        const Vector3<double>& from, const Vector3<double>& to) {
  const Vector3<double> edge = to - from;
  const double sine = dot(cross(normal, other), edge) / norm(edge);
  if (std::abs(sine) > flat_sine) return sine > 0.0 ? EdgeKind::convex : EdgeKind::concave;
  return dot(normal, other) > 0.0 ? EdgeKind::flat : EdgeKind::convex;
}

/// Whether the projection of p falls on the facet, its border included.
[[nodiscard]] inline bool is_over(const SurfaceTriangle& triangle, const Vector3<double>& p) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3<double> edge = triangle.corner[(k + 1) % 3] - triangle.corner[k];
    const double inwards = dot(cross(triangle.normal, edge), p - triangle.corner[k]);
    if (inwards < -border_share * dot(edge, edge)) return false;
  }
  return true;
}

[[nodiscard]] inline bool is_in_front(const SurfaceTriangle& triangle, const Vector3<double>& p) {
  return dot(triangle.normal, p - triangle.corner[0]) > 0.0;
}

/// The point of a segment nearest to p, as a share of its length.
[[nodiscard]] inline double nearest_fraction(const Vector3<double>& from, const Vector3<double>& to,
                                             const Vector3<double>& p) {
  const Vector3<double> edge = to - from;
  return std::clamp(dot(edge, p - from) / dot(edge, edge), 0.0, 1.0);
}

[[nodiscard]] inline NearestOnTriangle nearest_on(const SurfaceTriangle& triangle,
                                                  const Vector3<double>& p) {
  NearestOnTriangle best;
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3<double>& from = triangle.corner[k];
    const Vector3<double> edge = triangle.corner[(k + 1) % 3] - from;
    if (dot(cross(triangle.normal, edge), p - from) >= 0.0) continue;
    inside = false;
    const double share = nearest_fraction(from, triangle.corner[(k + 1) % 3], p);
    const Vector3<double> q = multiply_add(share, edge, from);
    const double squared = dot(p - q, p - q);
    if (squared >= best.squared_distance) continue;
    best = {q, squared, static_cast<int>(k), -1};
    if (share == 0.0) best.corner = static_cast<int>(k);
    if (share == 1.0) best.corner = static_cast<int>((k + 1) % 3);
  }
  if (!inside) return best;
  const double height = dot(triangle.normal, p - triangle.corner[0]);
  return {multiply_subtract(height, triangle.normal, p), height * height, -1, -1};
}

/// Whether the unit direction d, at a right angle to the edge k, lies between both facets, but for
/// an angle of `slack`.
[[nodiscard]] inline bool in_edge_cone(const SurfaceTriangle& triangle, int k,
                                       const SurfaceEdge& edge, const Vector3<double>& d,
                                       double slack) {
  const auto at = static_cast<std::size_t>(k);
  const Vector3<double> along = triangle.corner[(at + 1) % 3] - triangle.corner[at];
  const double tolerance = slack * norm(along);
  return dot(cross(triangle.normal, along), d) <= tolerance &&
         dot(cross(along, edge.other_normal), d) <= tolerance;
}

/// Whether the unit direction d lies in the normal cone of a vertex with these unit edges.
[[nodiscard]] inline bool in_vertex_cone(std::span<const Vector3<double>> edges,
                                         const Vector3<double>& d, double slack) {
  return std::ranges::all_of(edges, [&](const auto& edge) { return dot(edge, d) <= slack; });
}

/// Whether a vertex sticks out of the patch of its facets that lie at right angles to d: a plane
/// that touches the patch needs no points inside of it or on its straight borders.
[[nodiscard]] inline bool sticks_out(std::span<const Vector3<double>> edges,
                                     const Vector3<double>& d, double slack) {
  double widest = 2.0;
  Vector3<double> middle;  // of the two edges in the patch that are furthest apart
  for (const auto& first : edges) {
    if (dot(first, d) < -slack) continue;
    for (const auto& second : edges) {
      if (dot(second, d) < -slack || dot(first, second) >= widest) continue;
      widest = dot(first, second);
      middle = first + second;
    }
  }
  if (widest == 2.0) return true;
  return std::ranges::all_of(
      edges, [&](const auto& edge) { return dot(edge, d) < -slack || dot(edge, middle) > slack; });
}

}  // namespace stiction
