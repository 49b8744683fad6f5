#pragma once

/// \file
/// A robot that follows a motion by feed-forward forces and linear feedback, in simulation [EXP].

#include <vector>

#include "experiments/reference_motion.hpp"
#include "stiction/model/state.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step.hpp"

namespace stiction::experiments {

struct TrackedMotion {
  Model model;
  ReferenceMotion motion;
  double control_step = 0.0;  ///< forces are held for so long [s]
  int control_steps = 0;
};

/// States at the start of each control step, and at the end; shorter if the simulation failed: a
/// state that is not finite, or faster than 1e5 (norm of v).
struct TrackedRun {
  std::vector<State> states;
  bool failed = false;
};

/// Follows the motion with `substeps` steps in each control step, from `start`.
TrackedRun follow(const TrackedMotion& tracked, StepOptions options, int substeps,
                  const State& start);

/// ‖(q ⊖ q̂, v − v̂)‖∞ in the base's own axes, mixed units.
double state_distance(const Model& model, const State& a, const MotionSample& b);

struct Statistics {
  double mean = 0.0;
  double largest = 0.0;
};

/// Local error: each control step begins on a state of `truth` and is compared with the next.
Statistics local_error(const TrackedMotion& tracked, StepOptions options, int substeps,
                       const std::vector<State>& truth);

}  // namespace stiction::experiments
