#pragma once

/// \file
/// A segment outside of a box, in the box's axes. The squared distance of a point on the segment to
/// the box is a convex piecewise quadratic function of its place: the slope is piecewise linear,
/// breaks where the segment crosses the planes of the box's faces, and has its zero at the closest
/// point.

#include <algorithm>
#include <array>

namespace stiction {

using Triple = std::array<double, 3>;

struct SegmentBox {
  Triple center{};           ///< of the segment [m]
  Triple direction{};        ///< unit
  Triple half{};             ///< half extents of the box [m]
  double half_length = 0.0;  ///< of the segment [m]

  /// The point at place t, in [-half_length, half_length].
  [[nodiscard]] Triple at(double t) const {
    return {center[0] + t * direction[0], center[1] + t * direction[1],
            center[2] + t * direction[2]};
  }
  /// From the nearest point of the box to the one at place t.
  [[nodiscard]] Triple away(double t) const {
    Triple x = at(t);
    // Not std::clamp: it returns a reference, and becomes branches that are hard to foresee.
    for (std::size_t i = 0; i < 3; ++i) x[i] -= std::max(std::min(x[i], half[i]), -half[i]);
    return x;
  }
  /// Half the slope of the squared distance; never falls.
  [[nodiscard]] double slope(double t) const {
    const Triple e = away(t);
    return e[0] * direction[0] + e[1] * direction[1] + e[2] * direction[2];
  }
  /// The place that is closest to the box; the first of them if there are many.
  [[nodiscard]] double closest_place() const;
};

/// A stretch of the segment.
struct SegmentRange {
  double low = 0.0;
  double high = 0.0;

  /// To where |x_i| is at most half_i.
  void clip(const SegmentBox& pair, std::size_t i);
  void include(double t);
};

}  // namespace stiction
