#pragma once

/// \file
/// All contact points of a Model at given placements: broad phase, then narrow phase.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "stiction/collision/geometry.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// What a ray meets first.
struct RayHit {
  double distance = 0.0;  ///< along the ray [m]
  int shape = -1;
  Vector3<double> point;   ///< world [m]
  Vector3<double> normal;  ///< of the surface, towards the origin of the ray
};

/// A Collider finds at most this many points, among at most this many pairs of shapes whose boxes
/// overlap. Beyond that shapes lie in each other by mistake, and a step would take gigabytes.
inline constexpr std::size_t max_collision_points = 1'000'000;
inline constexpr std::size_t max_near_pairs = 8'000'000;

/// What the last find() did.
struct ColliderWork {
  std::size_t pairs = 0;   ///< of shapes whose bounds were compared
  std::size_t tested = 0;  ///< of them whose shapes themselves were
};

/// Keeps its memory: once a number of points has been seen, finding as many allocates nothing.
class Collider {
 public:
  /// Prepares hulls, triangle trees and the list of pairs that may touch. Keeps a copy of the
  /// Model, which shares what is large.
  explicit Collider(const Model& model);
  ~Collider();
  Collider(Collider&&) noexcept;
  Collider& operator=(Collider&&) noexcept;

  /// Shapes that take part and are not fixed to the world, in ascending order: the caller writes
  /// their placement and reach before find().
  [[nodiscard]] std::span<const int> moving_shapes() const;
  /// One per shape of the Model; those of the world are filled in already.
  [[nodiscard]] std::span<Placement> placements();
  /// One per shape: the furthest that any of its points may travel within the step [m]. A pair is
  /// looked at if its gap is at most `margin` plus both reaches plus the margins of the shapes.
  [[nodiscard]] std::span<double> reaches();

  /// The points of all pairs that may touch, ordered by (shape_a, shape_b, feature). The span lasts
  /// until the next call. Empty if there are more than max_collision_points, or
  /// more near pairs than max_near_pairs.
  [[nodiscard]] std::span<const CollisionPoint> find(double margin);
  /// Whether the last find() found more than that.
  [[nodiscard]] bool overflowed() const;

  [[nodiscard]] ColliderWork work() const;

  /// The first shape on the ray, at the placements as they are; shapes of `ignored_body` are looked
  /// through. `direction` need not be of unit length.
  [[nodiscard]] std::optional<RayHit> cast_ray(const Vector3<double>& origin,
                                               const Vector3<double>& direction,
                                               double max_distance, int ignored_body = -2) const;

  [[nodiscard]] std::span<const ShapeGeometry> geometries() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Heights [m] of what is below (x, y) at offsets in a grid around a pose: rays go down from
/// `start_height`; NaN where there is nothing within `max_distance`.
void height_scan(const Collider& collider, const Eigen::Vector3d& center, double yaw,
                 std::span<const Eigen::Vector2d> offsets, double start_height, double max_distance,
                 int ignored_body, std::span<double> heights);

}  // namespace stiction
