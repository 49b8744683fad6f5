#pragma once

/// \file
/// A robot that a controller drives through a motion, simulated with any contact and step: whole
/// runs, and local errors against a run of many small steps, as in the tests of [EXP].

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "experiments/reference_motion.hpp"
#include "stiction/model/state.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step.hpp"

namespace stiction::experiments {

/// Forces of joints for one control step that begins in `state`, in v's order, zero for the base.
/// False if the controller finds none.
using ForceLaw = std::function<bool(const State& state, Eigen::VectorXd& forces)>;

struct DrivenMotion {
  std::string name;
  Model model;
  State start;
  double control_step = 0.0;  ///< forces are held for this time [s]
  int control_steps = 0;
  std::function<ForceLaw()> make_law;  ///< a controller that has seen nothing yet
};

/// A law that follows a motion by feed-forward forces and linear feedback.
ForceLaw tracking_law(const Model& model, const ReferenceMotion& motion);

/// States at the start of each control step and at the end. The run is shorter if it failed: a
/// state that is not finite or faster than 1e5 (norm of v), or a controller without an answer.
struct DrivenRun {
  std::vector<State> states;
  std::vector<Eigen::VectorXd> forces;  ///< of each control step
  bool failed = false;
  double step_seconds = 0.0;  ///< CPU time of all steps, without the controller [s]
};

/// Called after each step of a run.
using StepWatcher = std::function<void(const State& state, const StepReport& report)>;

/// Drives the robot with `substeps` steps in each control step.
DrivenRun drive(const DrivenMotion& motion, StepOptions options, int substeps,
                const StepWatcher& watch = {});

/// ‖(q ⊖ q̂, v − v̂)‖∞ in the base's own axes, mixed units.
double state_distance(const Model& model, const State& a, const MotionSample& b);

/// Over all control steps; the start counts as an error of zero, as in [EXP].
struct ErrorStatistics {
  double mean = 0.0;
  double largest = 0.0;
  double median = 0.0;
  int failed = 0;             ///< control steps that failed; they count as errors of 1e5
  double step_seconds = 0.0;  ///< CPU time of one step [s]
};

/// Local error: each control step begins on a state of `truth`, with its forces, and is compared
/// with the next state.
ErrorStatistics local_error(const DrivenMotion& motion, StepOptions options, int substeps,
                            const DrivenRun& truth);

}  // namespace stiction::experiments
