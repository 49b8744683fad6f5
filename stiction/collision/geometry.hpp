#pragma once

/// \file
/// What the collision functions work on: shapes as numbers, where they are, and the points that
/// come out.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "stiction/model/shape.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// Where a shape is in the world.
struct Placement {
  Matrix3<double> rotation = identity3<double>();  ///< R_WS
  Vector3<double> position;                        ///< p_WS [m]
};

/// One point where two shapes touch or may touch within the step.
struct CollisionPoint {
  int shape_a = -1;  ///< index into Model::shapes(), smaller than shape_b
  int shape_b = -1;
  std::uint16_t feature = 0;  ///< which point of this pair it is; the same point keeps its number
  double gap = 0.0;           ///< signed distance along the normal [m]; < 0: overlap
  Vector3<double> point;      ///< midway between both surfaces, world [m]
  Vector3<double> normal;     ///< unit, from shape a to shape b, world
};

/// The most points that one pair can have; terrain (height fields, meshes) may give all of them,
/// two convex shapes at most 8.
inline constexpr int max_pair_points = 32;
inline constexpr int max_convex_points = 8;

/// Points of one pair.
class PointBuffer {
 public:
  struct Point {
    Vector3<double> point;
    Vector3<double> normal;  ///< from the first shape to the second
    double gap = 0.0;
    std::uint16_t feature = 0;
  };
  void clear() {
    count_ = 0;
    apart_ = -std::numeric_limits<double>::infinity();
  }
  /// Drops what does not fit.
  void add(const Vector3<double>& point, const Vector3<double>& normal, double gap, int feature) {
    if (count_ == max_pair_points) return;
    // Number by number: a whole Point would go through the stack and be read back in wider pieces
    // than it was written, which stalls.
    Point& to = points_[static_cast<std::size_t>(count_++)];
    to.point = point;
    to.normal = normal;
    to.gap = gap;
    to.feature = static_cast<std::uint16_t>(feature);
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] Point& operator[](int i) { return points_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Point& operator[](int i) const {
    return points_[static_cast<std::size_t>(i)];
  }
  void resize(int count) { count_ = count; }  ///< only to fewer

  /// Without points: what the gap is at least, if that is known [m].
  [[nodiscard]] double apart() const { return apart_; }
  void set_apart(double gap) { apart_ = gap; }

 private:
  std::array<Point, max_pair_points> points_;
  int count_ = 0;
  double apart_ = -std::numeric_limits<double>::infinity();
};

class ConvexHull;    ///< collision/convex_hull_shape.hpp: vertices with neighbours, faces
class TriangleMesh;  ///< collision/triangle_mesh.hpp: triangles in a tree of boxes, edge kinds
class Terrain;       ///< collision/height_field.hpp

/// A shape as the collision functions see it. Made once from a Model.
struct ShapeGeometry {
  ShapeKind kind = ShapeKind::sphere;
  Vector3<double> size;  ///< as Shape::size
  /// Of a sphere about the shape's origin that holds it [m]; infinite for planes.
  double radius = 0.0;
  std::shared_ptr<const ConvexHull> hull;         ///< meshes of moving bodies
  std::shared_ptr<const TriangleMesh> triangles;  ///< meshes of the world and of kinematic bodies
  std::shared_ptr<const Terrain> terrain;         ///< height fields
};

/// Finds the points of two shapes whose gap is at most `margin`, with normals from the first to the
/// second, in an order and with features that depend on the geometry alone.
using NarrowFunction = void (*)(const ShapeGeometry& a, const Placement& at_a,
                                const ShapeGeometry& b, const Placement& at_b, double margin,
                                PointBuffer& points);

/// The function for two kinds of shapes; nullptr if such shapes never touch (planes, height fields
/// and triangle meshes among each other). Calls with the kinds in the other order turn the result
/// round.
NarrowFunction narrow_function(const ShapeGeometry& a, const ShapeGeometry& b);

/// Whether that function is slow and says how far apart shapes without points are.
bool tells_gap(const ShapeGeometry& a, const ShapeGeometry& b);

}  // namespace stiction
