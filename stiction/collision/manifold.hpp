#pragma once

/// \file
/// From the gap of two shapes to all the points where they touch.

#include "stiction/collision/gjk.hpp"
#include "stiction/collision/support_feature.hpp"

namespace stiction {

/// One candidate of a manifold.
struct ManifoldPoint {
  Vector3<double> point;  ///< midway between the surfaces [m]
  double gap = 0.0;       ///< along the common normal [m]
  int feature = 0;
};

/// Points with one common normal. Room for the corners of two clipped faces.
struct Manifold {
  static constexpr int most_points = 2 * SupportFeature::most_corners + 4;
  std::array<ManifoldPoint, most_points> point;
  int count = 0;

  void add(const ManifoldPoint& p) {
    if (count < most_points) point[static_cast<std::size_t>(count++)] = p;
  }
};

/// The points where two shapes whose best direction is known touch within the margin, in A's axes:
/// the foremost face of one clipped against that of the other, or two points of parallel edges, or
/// the one nearest point. The deepest point is always among them.
void find_manifold(ConvexPair& pair, const CoreGap& core, double margin, Manifold& manifold);

/// Keeps at most `most` points: the deepest, then each time the one that widens the patch the most,
/// where a point that is further away counts for less. The deepest of several that are equal to
/// `tie` [m] is the first.
void thin_out(Manifold& manifold, int most, double tie);

/// Orders by feature and makes features different.
void order_by_feature(Manifold& manifold);

}  // namespace stiction
