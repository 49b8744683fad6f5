#pragma once

/// \file
/// Pairs that were found apart stay apart until they have moved far enough. What is kept here only
/// proves that a pair has no contact; it never enters a result. So contacts depend on placements
/// alone, whatever was asked before (docs/decisions/0019-carried-gaps.md).

#include <cmath>
#include <limits>
#include <vector>

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// A sphere that holds a shape, in the shape's axes.
struct BoundingSphere {
  Vector3<double> center;  ///< [m]
  double radius = 0.0;     ///< [m]; infinite for planes
};

/// A shape where it is now.
struct PlacedShape {
  const Placement& placement;
  Vector3<double> center;  ///< of its sphere, world [m]
  double radius = 0.0;     ///< of its sphere [m]
  double path = 0.0;       ///< how far its points have come, at most, since the beginning [m]
};

/// How far points within `radius` of a centre come by a change of axes, at most [m]: the chord of
/// the angle is ‖R − R₀‖ / √2 in the norm of all entries.
[[nodiscard]] inline double turning_path(const Matrix3<double>& from, const Matrix3<double>& to,
                                         double radius) {
  const Vector3<double> d0 = to.c0 - from.c0;
  const Vector3<double> d1 = to.c1 - from.c1;
  const Vector3<double> d2 = to.c2 - from.c2;
  return radius * std::sqrt(0.5 * (dot(d0, d0) + dot(d1, d1) + dot(d2, d2)));
}

/// How far any point of a shape has come from one placement to another, at most [m].
[[nodiscard]] inline double path_between(const Placement& from, const Vector3<double>& from_center,
                                         const Placement& to, const Vector3<double>& to_center,
                                         double radius) {
  return norm(to_center - from_center) + turning_path(from.rotation, to.rotation, radius);
}

/// What is known of one pair.
class CarriedGap {
 public:
  /// The shapes' gap is proven to exceed `limit` [m]. Cheap: nothing but paths is compared.
  [[nodiscard]] bool exceeds(double limit, double path_a, double path_b) const {
    return path_a + path_b + limit < until_;
  }
  /// The same by how the shapes have moved against each other since; true is remembered, so that
  /// exceeds() holds again for a while.
  [[nodiscard]] bool still_exceeds(double limit, const PlacedShape& a, const PlacedShape& b);
  /// The gap now is at least `gap` [m].
  void remember(double gap, const PlacedShape& a, const PlacedShape& b);
  void forget() { *this = CarriedGap{}; }

 private:
  static constexpr double nothing = -std::numeric_limits<double>::infinity();
  double until_ = nothing;    ///< sum of both paths and the limit up to which the gap is enough [m]
  double gap_ = nothing;      ///< when it was found, less what rounding may do [m]
  Matrix3<double> rotation_;  ///< of the smaller shape seen from the other one, at that time
  Vector3<double> center_;    ///< the same [m]
};

}  // namespace stiction
