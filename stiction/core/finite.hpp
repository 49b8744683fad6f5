#pragma once

/// \file
/// Whether numbers are numbers.

#include <cmath>
#include <limits>
#include <span>

namespace stiction {

/// Neither NaN nor infinite, all of them.
inline bool all_finite(std::span<const double> values) {
  // Counted without a branch, so that lanes can do it; a NaN fails every comparison.
  int faults = 0;
  for (const double value : values) {
    faults += std::abs(value) <= std::numeric_limits<double>::max() ? 0 : 1;
  }
  return faults == 0;
}

}  // namespace stiction
