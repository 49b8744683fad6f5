#pragma once

/// \file
/// Contact points of convex shapes by their support functions. Both are NarrowFunctions; points
/// come in ascending order of their features, at most max_convex_points.

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// Any two of sphere, capsule, box, cylinder, ellipsoid and hull.
void collide_convex(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                    const Placement& at_b, double margin, PointBuffer& points);

/// Every vertex within the margin, or eight well-spread ones with the deepest among them; the
/// feature is the number of the vertex.
void collide_plane_hull(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                        const Placement& at_b, double margin, PointBuffer& points);

/// Signed gap of two convex shapes [m] and the unit normal from a to b, in world axes. A gap beyond
/// `limit` is only known to be so. This is what collide_convex builds upon.
double convex_gap(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                  const Placement& at_b, double limit, Vector3<double>& normal);

}  // namespace stiction
