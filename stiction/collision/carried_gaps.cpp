#include "stiction/collision/carried_gaps.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// What gaps may be wrong by, in radii of both shapes: far above the 1e-12 to which they are found.
constexpr double slack = 1e-6;

/// The smaller shape seen from the larger one.
struct Relative {
  Matrix3<double> rotation;
  Vector3<double> center;
  double radius = 0.0;  ///< of the smaller shape [m]
  double scale = 0.0;   ///< both radii, but for that of a plane [m]
};

Relative seen_from_larger(const PlacedShape& a, const PlacedShape& b) {
  const bool b_is_smaller = b.radius <= a.radius;
  const PlacedShape& small = b_is_smaller ? b : a;
  const PlacedShape& large = b_is_smaller ? a : b;
  const Placement& axes = large.placement;
  return {transpose(axes.rotation) * small.placement.rotation,
          transpose_times(axes.rotation, small.center - axes.position), small.radius,
          small.radius + (std::isfinite(large.radius) ? large.radius : 0.0)};
}

}  // namespace

bool CarriedGap::still_exceeds(double limit, const PlacedShape& a, const PlacedShape& b) {
  if (!(gap_ > limit)) return false;
  const Relative now = seen_from_larger(a, b);
  const double moved =
      norm(now.center - center_) + turning_path(rotation_, now.rotation, now.radius);
  if (!(gap_ - moved > limit)) return false;
  until_ = gap_ - moved + a.path + b.path;
  return true;
}

void CarriedGap::remember(double gap, const PlacedShape& a, const PlacedShape& b) {
  const Relative now = seen_from_larger(a, b);
  rotation_ = now.rotation;
  center_ = now.center;
  gap_ = gap - slack * now.scale;
  until_ = gap_ + a.path + b.path;
}

}  // namespace stiction
