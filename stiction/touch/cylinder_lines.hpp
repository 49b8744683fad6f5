#pragma once

/// \file
/// A third point for cylinders that lie on their side.
///
/// Collision gives the two ends of the line on which a wheel touches the ground. When the wheel
/// turns about the vertical, one end sticks and the other slides: the wheel turns about its edge,
/// although the pressure along the line would hold its middle. With the middle as a third point the
/// wheel turns about that.

#include <span>

#include "stiction/collision/geometry.hpp"
#include "stiction/collision/shape_geometry.hpp"

namespace stiction {

/// The feature of the middle of a line: the last of its pair.
inline constexpr std::uint16_t middle_feature = 0xffff;

/// The shapes of the scene and where they are.
struct PlacedShapes {
  std::span<const ShapeGeometry> geometries;
  std::span<const Placement> placements;
};

[[nodiscard]] inline bool are_of_one_pair(const CollisionPoint& a, const CollisionPoint& b) {
  return a.shape_a == b.shape_a && a.shape_b == b.shape_b;
}

/// Whether points `last` - 1 and `last`, which are of one pair, are all of it, and the ends of a
/// line along the side of a cylinder.
[[nodiscard]] bool ends_cylinder_line(const PlacedShapes& shapes,
                                      std::span<const CollisionPoint> points, std::size_t last);

/// The point midway between the two ends of a line.
[[nodiscard]] CollisionPoint middle_of(const CollisionPoint& one, const CollisionPoint& other);

}  // namespace stiction
