#include "stiction/collision/terrain_pairs.hpp"

#include "stiction/collision/box_on_surface.hpp"
#include "stiction/collision/capsule_on_surface.hpp"
#include "stiction/collision/closed_forms.hpp"
#include "stiction/collision/convex_on_surface.hpp"
#include "stiction/collision/height_field.hpp"
#include "stiction/collision/triangle_mesh.hpp"

namespace stiction {
namespace {

/// Where a shape is, seen from the surface.
Placement seen_from(const Placement& surface, const Placement& shape) {
  return {transpose(surface.rotation) * shape.rotation,
          transpose_times(surface.rotation, shape.position - surface.position)};
}

/// Calls touch(surface) with the height field or the triangles.
template <class Touch>
void with_surface(const ShapeGeometry& surface, Touch&& touch) {
  if (surface.terrain) {
    touch(*surface.terrain);
  } else if (surface.triangles) {
    touch(*surface.triangles);
  }
}

void touch(const ConvexOnSurface& convex, const ShapeGeometry& b, const Placement& at_b,
           PointBuffer& points) {
  SurfacePoints found(at_b, convex.shape.radius);
  with_surface(b, [&](const auto& surface) { touch_convex(surface, convex, found); });
  found.write(points);
}

Vector3<double> middle_of(const ConvexHull& hull) {
  Vector3<double> sum;
  for (const Vector3<double>& vertex : hull.vertices()) sum += vertex;
  return (1.0 / static_cast<double>(hull.vertices().size())) * sum;
}

}  // namespace

void collide_sphere_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double> center = transpose_times(at_b.rotation, at_a.position - at_b.position);
  const double radius = a.size.x;
  SurfacePoints found(at_b, radius);
  with_surface(b, [&](const auto& surface) {
    touch_ball(
        surface, {center, radius, margin, radius, 0}, [](const auto&) { return true; }, found);
  });
  found.write(points);
}

void collide_capsule_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points) {
  const Placement at = seen_from(at_b, at_a);
  const CapsuleOnSurface capsule{at.position, a.size.y * at.rotation.c2, a.size.x, margin};
  SurfacePoints found(at_b, a.size.x);
  with_surface(b, [&](const auto& surface) { touch_capsule(surface, capsule, found); });
  found.write(points);
}

void collide_box_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                         const Placement& at_b, double margin, PointBuffer& points) {
  const BoxOnSurface box{seen_from(at_b, at_a), {a.size.x, a.size.y, a.size.z}, margin};
  SurfacePoints found(at_b, norm(a.size));
  with_surface(b, [&](const auto& surface) { touch_box(surface, box, found); });
  found.write(points);
}

void collide_cylinder_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                              const Placement& at_b, double margin, PointBuffer& points) {
  const Placement at = seen_from(at_b, at_a);
  touch({a, at, margin, collide_plane_cylinder, at.position}, b, at_b, points);
}

void collide_ellipsoid_surface(const ShapeGeometry& a, const Placement& at_a,
                               const ShapeGeometry& b, const Placement& at_b, double margin,
                               PointBuffer& points) {
  const Placement at = seen_from(at_b, at_a);
  touch({a, at, margin, collide_plane_ellipsoid, at.position}, b, at_b, points);
}

void collide_hull_surface(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                          const Placement& at_b, double margin, PointBuffer& points) {
  const Placement at = seen_from(at_b, at_a);
  const Vector3<double> middle = multiply_add(at.rotation, middle_of(*a.hull), at.position);
  touch({a, at, margin, nullptr, middle}, b, at_b, points);
}

}  // namespace stiction
