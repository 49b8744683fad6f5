#pragma once

/// \file
/// Whether numbers are numbers.

#include <cstddef>
#include <span>

#include "stiction/core/scalar.hpp"
#include "stiction/core/unroll.hpp"

namespace stiction {

/// Neither NaN nor infinite, all of them.
inline bool all_finite(std::span<const double> values) {
  // Zero times a number is zero, of either sign; times anything else NaN, which no sum loses.
  const double* value = values.data();
  const double* const end = value + values.size();
  if (values.size() >= lane_width) {
    // Four sums, for one would wait for each addition.
    Lane sums[4] = {Lane(0.0), Lane(0.0), Lane(0.0), Lane(0.0)};
    for (; end - value >= static_cast<std::ptrdiff_t>(4 * lane_width); value += 4 * lane_width) {
      unroll<4>([&](auto k) __attribute__((always_inline)) {
        sums[k] = fma(Lane::load_unaligned(value + k * lane_width), Lane(0.0), sums[k]);
      });
    }
    Lane sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; end - value >= static_cast<std::ptrdiff_t>(lane_width); value += lane_width) {
      sum = fma(Lane::load_unaligned(value), Lane(0.0), sum);
    }
    // The last lanes count some numbers a second time, which adds nothing to zero.
    if (value != end) sum = fma(Lane::load_unaligned(end - lane_width), Lane(0.0), sum);
    return !any(!(sum == Lane(0.0)));
  }
  double rest = 0.0;
  for (; value != end; ++value) rest = fma(*value, 0.0, rest);
  return rest == 0.0;
}

}  // namespace stiction
