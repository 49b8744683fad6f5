#pragma once

/// \file
/// Normal forces that are predicted at a touch-down, and those that are simulated afterwards [EXP,
/// Figure 5].

#include <vector>

namespace stiction::experiments {

/// One touch-down of Solo12 with all feet at once and constant torques.
struct ForcesAhead {
  double speed = 0.0;               ///< downwards, at touch-down [m/s]
  std::vector<double> time;         ///< after touch-down [s]
  std::vector<double> predicted;    ///< normal force of the first foot [N]
  std::vector<double> simulated;    ///< the same, mean over a step of 10 µs [N]
  double largest_force = 0.0;       ///< of all feet and times [N]
  double largest_difference = 0.0;  ///< likewise [N]
};

/// Touch-downs at 0.1 m/s and at zero velocity, over 20 ms.
std::vector<ForcesAhead> predict_touch_downs();

}  // namespace stiction::experiments
