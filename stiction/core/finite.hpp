#pragma once

/// \file
/// Whether numbers are numbers.

#include <span>

#include "stiction/core/scalar.hpp"

namespace stiction {

/// Neither NaN nor infinite, all of them.
inline bool all_finite(std::span<const double> values) {
  // Zero times a number is zero, of either sign; times anything else NaN, which no sum loses.
  const double* value = values.data();
  const double* const end = value + values.size();
  double rest = 0.0;
  if (values.size() >= lane_width) {
    Lane sum(0.0);
    for (; value + lane_width <= end; value += lane_width) {
      sum = fma(Lane::load_unaligned(value), Lane(0.0), sum);
    }
    if (any(!(sum == Lane(0.0)))) return false;
  }
  for (; value != end; ++value) rest = fma(*value, 0.0, rest);
  return rest == 0.0;
}

}  // namespace stiction
