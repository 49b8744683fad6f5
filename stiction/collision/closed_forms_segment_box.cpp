#include "stiction/collision/closed_forms_segment_box.hpp"

namespace stiction {
namespace {

/// Places in order, between which the slope is a straight line.
struct Breaks {
  std::array<double, 8> at;
  std::size_t count = 0;

  void insert(double t, double half_length) {
    // Also refuses what comes of a division by zero.
    if (!(t > -half_length && t < half_length)) return;
    std::size_t i = count++;
    for (; i > 0 && at[i - 1] > t; --i) at[i] = at[i - 1];
    at[i] = t;
  }
};

}  // namespace

double SegmentBox::closest_place() const {
  double low = -half_length;
  double slope_low = slope(low);
  if (slope_low >= 0.0) return low;
  Breaks breaks;
  for (std::size_t i = 0; i < 3; ++i) {
    const double inverse = 1.0 / direction[i];
    breaks.insert((-half[i] - center[i]) * inverse, half_length);
    breaks.insert((half[i] - center[i]) * inverse, half_length);
  }
  breaks.at[breaks.count++] = half_length;
  for (std::size_t i = 0; i < breaks.count; ++i) {
    const double high = breaks.at[i];
    const double slope_high = slope(high);
    if (slope_high >= 0.0) {
      return std::clamp(low - slope_low * ((high - low) / (slope_high - slope_low)), low, high);
    }
    low = high;
    slope_low = slope_high;
  }
  return half_length;
}

void SegmentRange::clip(const SegmentBox& pair, std::size_t i) {
  const double u = pair.direction[i];
  if (u == 0.0) return;
  const double t0 = (-pair.half[i] - pair.center[i]) / u;
  const double t1 = (pair.half[i] - pair.center[i]) / u;
  low = std::max(low, std::min(t0, t1));
  high = std::min(high, std::max(t0, t1));
}

void SegmentRange::include(double t) {
  if (!(low <= high)) low = high = t;
  low = std::min(low, t);
  high = std::max(high, t);
}

}  // namespace stiction
