#pragma once

/// \file
/// Rays against height fields, triangle meshes and hulls, in the axes of the shape. Private to
/// stiction/collision.

#include <optional>

#include "stiction/collision/rays.hpp"

namespace stiction {

/// The first point of the solid below a height field; where the ray leaves it, if it starts inside.
/// Follows the ray from cell to cell: nothing slips through between two facets.
[[nodiscard]] std::optional<ShapeRayHit> cast_ray_on_terrain(const Terrain& terrain,
                                                             const Vector3<double>& origin,
                                                             const Vector3<double>& direction,
                                                             double max_distance);

/// The first triangle, from whichever side.
[[nodiscard]] std::optional<ShapeRayHit> cast_ray_on_triangles(const TriangleMesh& mesh,
                                                               const Vector3<double>& origin,
                                                               const Vector3<double>& direction,
                                                               double max_distance);

[[nodiscard]] std::optional<ShapeRayHit> cast_ray_on_hull(const ConvexHull& hull,
                                                          const Vector3<double>& origin,
                                                          const Vector3<double>& direction,
                                                          double max_distance);

}  // namespace stiction
