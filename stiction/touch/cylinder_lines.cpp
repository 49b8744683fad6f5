#include "stiction/touch/cylinder_lines.hpp"

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// A line deviates from the axis of the cylinder by at most this sine.
constexpr double parallel = 1e-3;

bool lies_along(const PlacedShapes& shapes, int shape, const Vector3<double>& line) {
  if (shapes.geometries[index(shape)].kind != ShapeKind::cylinder) return false;
  const Vector3<double> across = cross(shapes.placements[index(shape)].rotation.c2, line);
  return dot(across, across) <= parallel * parallel * dot(line, line);
}

}  // namespace

bool ends_cylinder_line(const PlacedShapes& shapes, std::span<const CollisionPoint> points,
                        std::size_t last) {
  if (last + 1 < points.size() && are_of_one_pair(points[last], points[last + 1])) return false;
  if (last > 1 && are_of_one_pair(points[last - 2], points[last])) return false;
  const Vector3<double> line = points[last].point - points[last - 1].point;
  return lies_along(shapes, points[last].shape_a, line) ||
         lies_along(shapes, points[last].shape_b, line);
}

CollisionPoint middle_of(const CollisionPoint& one, const CollisionPoint& other) {
  CollisionPoint middle = one;
  middle.feature = middle_feature;
  middle.gap = 0.5 * (one.gap + other.gap);
  middle.point = 0.5 * (one.point + other.point);
  return middle;
}

}  // namespace stiction
