#pragma once

/// \file
/// Shapes of a Model as the collision functions want them.

#include <vector>

#include "stiction/collision/carried_gaps.hpp"
#include "stiction/collision/geometry.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// A box in the shape's axes that holds the shape; endless for planes.
struct LocalBounds {
  Vector3<double> center;  ///< [m]
  Vector3<double> half;    ///< half extents [m]
};

/// A sphere in the shape's axes that holds the shape; endless for planes.
[[nodiscard]] BoundingSphere bounding_sphere(const ShapeGeometry& geometry);

/// Makes what the collision functions need of each shape: a hull or triangles for meshes, a terrain
/// for height fields. Shapes of the same mesh share what is made of it.
[[nodiscard]] std::vector<ShapeGeometry> make_shape_geometries(const Model& model);

/// The same for what can be seen of each shape: meshes as their triangles.
[[nodiscard]] std::vector<ShapeGeometry> make_seen_geometries(const Model& model);

/// The bounds of a shape of the Model.
[[nodiscard]] LocalBounds local_bounds(const Model& model, int shape);

/// Whether the shape is flat and endless, or made of facets: such shapes touch solid ones, never
/// each other.
[[nodiscard]] bool is_surface(const ShapeGeometry& geometry);

/// Whether forces move the body of this shape: it is not the world, and its motion is not
/// prescribed.
[[nodiscard]] bool moves_freely(const Model& model, int shape);

/// The placement of a shape in its body (for shapes of the world: in the world).
[[nodiscard]] Placement placement_in_body(const Shape& shape);

}  // namespace stiction
