#pragma once

/// \file
/// Local errors in trot for other stiffnesses and dampings of the contacts [EXP, Figure 4].

#include <string>
#include <vector>

#include "experiments/driven_motion.hpp"
#include "experiments/progress.hpp"

namespace stiction::experiments {

struct SweepRow {
  std::string method;
  double step = 0.0;           ///< [s]
  double stiffness = 0.0;      ///< K [N/m]
  double damping_ratio = 0.0;  ///< B / (2 √K), with a mass of 1 kg
  double mean_error = 0.0;     ///< NaN if the ground truth fails
};

/// K from 1e3 to 1e8 at ratio 0.5, then ratios 0.2 to 1 at K = 1e5: the exponential method with
/// order 1 at the control step, explicit Euler at a quarter of it, others that are implicit at the
/// control step. `quick` takes every other value.
std::vector<SweepRow> sweep_parameters(const DrivenMotion& trot, bool quick, Progress& progress);

}  // namespace stiction::experiments
