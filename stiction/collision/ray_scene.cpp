#include "stiction/collision/ray_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/rays.hpp"
#include "stiction/collision/shape_geometry.hpp"

namespace stiction {

RayScene::RayScene(const Model& model) : model_(model), geometries_(make_seen_geometries(model)) {
  for (std::size_t i = 0; i < model.shapes().size(); ++i) {
    const Shape& shape = model.shapes()[i];
    placements_.push_back(placement_in_body(shape));
    if (shape.body != world_body) moving_.push_back(static_cast<int>(i));
  }
}

bool RayScene::is_beyond_edge(std::size_t shape, const Vector3<double>& point) const {
  const ShapeGeometry& geometry = geometries_[shape];
  if (geometry.kind != ShapeKind::plane) return false;
  const Placement& at = placements_[shape];
  const Vector3<double> local = transpose_times(at.rotation, point - at.position);
  return (geometry.size.x > 0.0 && std::abs(local.x) > geometry.size.x) ||
         (geometry.size.y > 0.0 && std::abs(local.y) > geometry.size.y);
}

double RayScene::cast(const Vector3<double>& origin, const Vector3<double>& direction,
                      int ignored_body) const {
  return cast_at(origin, direction, [=](int body) { return body != ignored_body; });
}

double RayScene::cast_at_world(const Vector3<double>& origin,
                               const Vector3<double>& direction) const {
  return cast_at(origin, direction, [](int body) { return body == world_body; });
}

/// Shapes count of whose body `counts(body)` is true.
template <class Counts>
double RayScene::cast_at(const Vector3<double>& origin, const Vector3<double>& direction,
                         const Counts& counts) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < geometries_.size(); ++i) {
    const Shape& shape = model_.shapes()[i];
    if (shape.color[3] == 0.0F || !counts(shape.body)) continue;
    const ShapeGeometry& geometry = geometries_[i];
    const Vector3<double> to_center = placements_[i].position - origin;
    const double along = std::clamp(dot(direction, to_center), 0.0, nearest);
    const Vector3<double> aside = multiply_subtract(along, direction, to_center);
    if (dot(aside, aside) > geometry.radius * geometry.radius) continue;
    const std::optional<ShapeRayHit> hit =
        cast_ray_on_shape(geometry, placements_[i], origin, direction, nearest);
    if (!hit || is_beyond_edge(i, multiply_add(hit->distance, direction, origin))) continue;
    nearest = hit->distance;
  }
  return std::isfinite(nearest) ? nearest : -1.0;
}

}  // namespace stiction
