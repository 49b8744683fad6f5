#pragma once

/// \file
/// Rays against single shapes, in closed form. Solids that hold the origin of the ray are hit where
/// the ray leaves them, triangle meshes from either side, planes from their front only.

#include <optional>

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// Where a ray meets one shape.
struct ShapeRayHit {
  double distance = 0.0;   ///< along the unit direction [m]
  Vector3<double> normal;  ///< unit, world, against the direction of the ray
};

/// The first point of a shape on the ray from `origin` along the unit vector `direction`, both in
/// the world, within `max_distance` (which may be infinite). Planes are endless, whatever part of
/// them is drawn. A height field is the solid between its surface and its base.
[[nodiscard]] std::optional<ShapeRayHit> cast_ray_on_shape(const ShapeGeometry& geometry,
                                                           const Placement& placement,
                                                           const Vector3<double>& origin,
                                                           const Vector3<double>& direction,
                                                           double max_distance);

}  // namespace stiction
