#pragma once

/// \file
/// Shapes on height fields and on triangle meshes of fixed bodies. Every function is a
/// NarrowFunction with the moving shape first and the surface second, whichever of the two kinds it
/// is. Points come by ascending feature, at most max_pair_points; if there are more, the deepest
/// and those furthest apart stay.

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// Exact: all points of the surface where its distance from the centre has a local minimum.
void collide_sphere_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points);
/// Exact: both ends as spheres, and the axis across convex edges and over vertices.
void collide_capsule_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points);
/// Exact: corners on facets, convex vertices in faces, convex edges across edges.
void collide_box_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                         const Placement& at_b, double margin, PointBuffer& points);

// What follows meets facets as it meets planes, and convex edges and vertices of the surface as it
// meets segments and points by its support function.

void collide_cylinder_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                              const Placement& at_b, double margin, PointBuffer& points);
void collide_ellipsoid_surface(const ShapeGeometry& a, const Placement& at_a,
                               const ShapeGeometry& b, const Placement& at_b, double margin,
                               PointBuffer& points);
/// All vertices of the hull are looked at.
void collide_hull_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                          const Placement& at_b, double margin, PointBuffer& points);

}  // namespace stiction
