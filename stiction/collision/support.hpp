#pragma once

/// \file
/// Support functions of the convex shapes: the point that is furthest along a direction, in the
/// shape's own axes. Spheres and capsules are a point and a segment with a rounding about them,
/// which makes them exact for every method that only knows the core.

#include <cmath>

#include "stiction/collision/convex_hull_shape.hpp"
#include "stiction/collision/geometry.hpp"

namespace stiction {

/// A convex shape without its rounding.
struct ConvexCore {
  ShapeKind kind = ShapeKind::sphere;
  Vector3<double> size;              ///< as ShapeGeometry::size
  const ConvexHull* hull = nullptr;  ///< for kind mesh
  double rounding = 0.0;             ///< the shape is all within this distance of the core [m]
  int last_vertex = -1;              ///< of the hull: where the next search begins

  /// A core with finitely many corners.
  [[nodiscard]] bool is_polytope() const {
    return kind != ShapeKind::cylinder && kind != ShapeKind::ellipsoid;
  }
};

inline ConvexCore convex_core(const ShapeGeometry& shape) {
  const bool rounded = shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule;
  return {shape.kind, shape.size, shape.hull.get(), rounded ? shape.size.x : 0.0, -1};
}

/// Furthest point of a cylinder about z; the middle of the cap for directions along the axis.
inline Vector3<double> cylinder_support(const Vector3<double>& size,
                                        const Vector3<double>& direction) {
  const double across = std::sqrt(fma(direction.x, direction.x, direction.y * direction.y));
  const double z = std::copysign(size.y, direction.z);
  if (across <= 1e-14 * std::fabs(direction.z)) return {0.0, 0.0, z};
  const double s = size.x / across;
  return {s * direction.x, s * direction.y, z};
}

/// Furthest point of an ellipsoid; its middle for no direction at all.
inline Vector3<double> ellipsoid_support(const Vector3<double>& size,
                                         const Vector3<double>& direction) {
  const Vector3<double> scaled{size.x * direction.x, size.y * direction.y, size.z * direction.z};
  const double length = norm(scaled);
  const double s = length > 0.0 ? 1.0 / length : 0.0;
  return {s * size.x * scaled.x, s * size.y * scaled.y, s * size.z * scaled.z};
}

/// A point of the core that is furthest along a direction of any length.
inline Vector3<double> support_point(ConvexCore& core, const Vector3<double>& direction) {
  switch (core.kind) {
    case ShapeKind::box:
      return {std::copysign(core.size.x, direction.x), std::copysign(core.size.y, direction.y),
              std::copysign(core.size.z, direction.z)};
    case ShapeKind::capsule:
      return {0.0, 0.0, std::copysign(core.size.y, direction.z)};
    case ShapeKind::cylinder:
      return cylinder_support(core.size, direction);
    case ShapeKind::ellipsoid:
      return ellipsoid_support(core.size, direction);
    case ShapeKind::mesh:
      core.last_vertex = core.hull->support(direction, core.last_vertex);
      return core.hull->vertices()[static_cast<std::size_t>(core.last_vertex)];
    case ShapeKind::sphere:
    case ShapeKind::plane:
    case ShapeKind::height_field:
      break;
  }
  return {};
}

}  // namespace stiction
