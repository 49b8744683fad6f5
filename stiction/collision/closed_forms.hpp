#pragma once

/// \file
/// Exact contact points of simple shapes. Every function is a NarrowFunction: the first shape is of
/// the kind that its name says first, normals go from the first shape to the second, gaps are
/// signed (also while the shapes overlap), points lie midway between both surfaces and come in
/// ascending order of their features. No function gives more than max_convex_points.

#include "stiction/collision/geometry.hpp"

namespace stiction {

// ---- planes: everything below z = 0 is solid (closed_forms_plane.cpp) ---------------------------

/// One point.
void collide_plane_sphere(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                          const Placement& at_b, double margin, PointBuffer& points);
/// Every corner within the margin; its feature has bit i set where its coordinate i is positive.
void collide_plane_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                       const Placement& at_b, double margin, PointBuffer& points);
/// Both ends, the lower one (-z) first; one if the capsule is a sphere.
void collide_plane_capsule(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                           const Placement& at_b, double margin, PointBuffer& points);
/// Four rim points of each cap: the nearest to the plane and a quarter turn on each. A cylinder
/// that stands rests on four points, one that lies on two.
void collide_plane_cylinder(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points);
/// One point.
void collide_plane_ellipsoid(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points);

// ---- spheres (closed_forms_sphere.cpp), one point each ------------------------------------------

void collide_sphere_sphere(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                           const Placement& at_b, double margin, PointBuffer& points);
void collide_sphere_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                        const Placement& at_b, double margin, PointBuffer& points);
void collide_sphere_capsule(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points);

// ---- capsules (closed_forms_capsule.cpp, closed_forms_capsule_box.cpp) --------------------------

/// One point, feature 0; where the axes are nearly parallel the ends of the line of contact, and
/// the point within it only if it lies deeper than both.
void collide_capsule_capsule(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points);
/// The ends of the stretch that runs along the box (features 1 and 2), and the point within it
/// (feature 0) if it lies deeper than both.
void collide_capsule_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                         const Placement& at_b, double margin, PointBuffer& points);

// ---- boxes (closed_forms_box*.cpp) --------------------------------------------------------------

/// Up to eight points where a face is the plane of contact, two where edges run beside each other,
/// or one. Features: closed_forms_box.hpp.
void collide_box_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                     const Placement& at_b, double margin, PointBuffer& points);

}  // namespace stiction
