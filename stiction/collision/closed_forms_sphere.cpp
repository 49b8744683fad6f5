/// \file
/// Spheres against spheres, capsules and boxes: the gap is the distance of the sphere's centre to
/// the other shape, less the radius.

#include <algorithm>
#include <cmath>

#include "stiction/collision/closed_forms.hpp"

namespace stiction {
namespace {

/// Two balls; `fallback` is the normal where their centres are the same point.
void collide_balls(const Vector3<double>& center_a, double radius_a,
                   const Vector3<double>& center_b, double radius_b,
                   const Vector3<double>& fallback, double margin, PointBuffer& points) {
  const Vector3<double> apart = center_b - center_a;
  const double distance_squared = dot(apart, apart);
  const double reach = radius_a + radius_b + margin;
  if (distance_squared > reach * reach || reach < 0.0) return;
  const double distance = std::sqrt(distance_squared);
  // Below this the direction is lost in the rounding of the squares.
  const bool coincident = distance_squared < 1e-280;
  const Vector3<double> normal = coincident ? fallback : (1.0 / distance) * apart;
  const double gap = distance - (radius_a + radius_b);
  points.add(multiply_add(radius_a + 0.5 * gap, normal, center_a), normal, gap, 0);
}

/// The centre inside a box: out through the nearest face. Box axes.
void collide_center_inside(const ShapeGeometry& box, const Placement& at_box,
                           const Vector3<double>& center, double radius,
                           const Vector3<double>& world_center, double margin,
                           PointBuffer& points) {
  const double depth_x = box.size.x - std::abs(center.x);
  const double depth_y = box.size.y - std::abs(center.y);
  const double depth_z = box.size.z - std::abs(center.z);
  double depth = depth_x;
  Vector3<double> normal = (center.x < 0.0 ? 1.0 : -1.0) * at_box.rotation.c0;
  if (depth_y < depth) {
    depth = depth_y;
    normal = (center.y < 0.0 ? 1.0 : -1.0) * at_box.rotation.c1;
  }
  if (depth_z < depth) {
    depth = depth_z;
    normal = (center.z < 0.0 ? 1.0 : -1.0) * at_box.rotation.c2;
  }
  const double gap = -depth - radius;
  if (gap > margin) return;
  points.add(multiply_add(radius + 0.5 * gap, normal, world_center), normal, gap, 0);
}

/// Closer to the surface than this part of the box, a centre counts as inside: there the direction
/// to the surface is rounding.
constexpr double touching = 1e-13;

}  // namespace

void collide_sphere_sphere(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                           const Placement& at_b, double margin, PointBuffer& points) {
  collide_balls(at_a.position, a.size.x, at_b.position, b.size.x, {0.0, 0.0, 1.0}, margin, points);
}

void collide_sphere_capsule(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double>& axis = at_b.rotation.c2;
  const double along = std::clamp(dot(axis, at_a.position - at_b.position), -b.size.y, b.size.y);
  const Vector3<double> nearest = multiply_add(along, axis, at_b.position);
  collide_balls(at_a.position, a.size.x, nearest, b.size.x, at_b.rotation.c0, margin, points);
}

void collide_sphere_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                        const Placement& at_b, double margin, PointBuffer& points) {
  const double radius = a.size.x;
  const Vector3<double> center = transpose_times(at_b.rotation, at_a.position - at_b.position);
  const Vector3<double> nearest{std::clamp(center.x, -b.size.x, b.size.x),
                                std::clamp(center.y, -b.size.y, b.size.y),
                                std::clamp(center.z, -b.size.z, b.size.z)};
  const Vector3<double> inward = nearest - center;
  const double distance_squared = dot(inward, inward);
  const double reach = radius + margin;
  if (distance_squared > reach * reach) return;
  const double tiny = touching * (b.size.x + b.size.y + b.size.z);
  if (distance_squared <= tiny * tiny) {
    collide_center_inside(b, at_b, center, radius, at_a.position, margin, points);
    return;
  }
  const double distance = std::sqrt(distance_squared);
  const double gap = distance - radius;
  const Vector3<double> normal = at_b.rotation * ((1.0 / distance) * inward);
  points.add(multiply_add(radius + 0.5 * gap, normal, at_a.position), normal, gap, 0);
}

}  // namespace stiction
