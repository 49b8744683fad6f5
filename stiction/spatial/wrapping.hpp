#pragma once

/// \file
/// The shortest way of a thread from one point to another around a sphere or a cylinder.

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// A round obstacle, in the frame of its centre. A cylinder stands along z and has no ends.
struct RoundObstacle {
  bool cylinder = false;
  double radius = 0.0;  ///< [m]
};

/// Where a thread touches the obstacle; both points are the same where it only bends.
struct Wrap {
  bool touches = false;  ///< if not, the way is straight, and nothing below is set
  Vector3<double> first;
  Vector3<double> second;
  double arc = 0.0;  ///< length on the surface [m]
};

/// The way from `start` to `end`, all points in the obstacle's frame. `side` may be null. If it is
/// outside of the obstacle, the thread passes on its side; if it is inside, the thread runs through
/// the obstacle as through a ring. Without it the thread takes the shorter way. As in MuJoCo, there
/// is no wrap if `start` or `end` is inside of the obstacle.
[[nodiscard]] Wrap wrap_around(const RoundObstacle& obstacle, const Vector3<double>& start,
                               const Vector3<double>& end, const Vector3<double>* side);

}  // namespace stiction
