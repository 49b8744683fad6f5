#pragma once

/// \file
/// Normal forces of a motion over time [EXP, Figure 6].

#include <string>
#include <vector>

#include "experiments/driven_motion.hpp"
#include "experiments/exponential/methods.hpp"

namespace stiction::experiments {

struct ForceTrace {
  std::string motion;
  std::string method;
  double step = 0.0;          ///< [s]
  std::vector<double> time;   ///< ends of windows of a millisecond, or of steps if longer [s]
  std::vector<double> force;  ///< sum of normal forces of one foot, mean over the window [N]
};

/// `foot`: the name of a frame; contacts on its body count. Ends where the simulation fails.
ForceTrace trace_forces(const DrivenMotion& motion, const Method& method, int substeps,
                        const std::string& foot);

}  // namespace stiction::experiments
