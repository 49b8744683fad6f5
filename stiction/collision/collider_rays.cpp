/// \file
/// Rays through everything that collides.

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/collider.hpp"
#include "stiction/collision/collider_memory.hpp"
#include "stiction/collision/rays.hpp"

namespace stiction {

namespace {

/// Whether the ray stays outside the sphere about a shape.
bool passes_by(const ShapeGeometry& geometry, const Placement& placement,
               const Vector3<double>& origin, const Vector3<double>& direction,
               double max_distance) {
  const Vector3<double> to_center = placement.position - origin;
  const double along = std::clamp(dot(direction, to_center), 0.0, max_distance);
  const Vector3<double> aside = multiply_subtract(along, direction, to_center);
  return dot(aside, aside) > geometry.radius * geometry.radius;
}

}  // namespace

std::optional<RayHit> Collider::cast_ray(const Vector3<double>& origin,
                                         const Vector3<double>& direction, double max_distance,
                                         int ignored_body) const {
  const double length = norm(direction);
  if (!(length > 0.0) || !std::isfinite(length)) return std::nullopt;
  const Vector3<double> unit = (1.0 / length) * direction;
  std::optional<RayHit> first;
  double nearest = max_distance;
  const std::vector<Shape>& shapes = memory_->model.shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].collides || shapes[i].body == ignored_body) continue;
    const ShapeGeometry& geometry = memory_->geometries[i];
    const Placement& placement = memory_->placements[i];
    if (passes_by(geometry, placement, origin, unit, nearest)) continue;
    const std::optional<ShapeRayHit> hit =
        cast_ray_on_shape(geometry, placement, origin, unit, nearest);
    // Of two shapes at the same distance the first one counts.
    if (!hit || (first && !(hit->distance < nearest))) continue;
    nearest = hit->distance;
    first = RayHit{nearest, static_cast<int>(i), multiply_add(nearest, unit, origin), hit->normal};
  }
  return first;
}

void height_scan(const Collider& collider, const Eigen::Vector3d& center, double yaw,
                 std::span<const Eigen::Vector2d> offsets, double start_height, double max_distance,
                 int ignored_body, std::span<double> heights) {
  const double cosine = std::cos(yaw);
  const double sine = std::sin(yaw);
  for (std::size_t i = 0; i < std::min(offsets.size(), heights.size()); ++i) {
    const Eigen::Vector2d& offset = offsets[i];
    const Vector3<double> origin{center.x() + cosine * offset.x() - sine * offset.y(),
                                 center.y() + sine * offset.x() + cosine * offset.y(),
                                 start_height};
    const std::optional<RayHit> hit =
        collider.cast_ray(origin, {0.0, 0.0, -1.0}, max_distance, ignored_body);
    heights[i] = hit ? hit->point.z : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace stiction
