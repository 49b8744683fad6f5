#pragma once

/// \file
/// One robot on its way through a step: the parts of step() and evaluate() between the kernels that
/// robots side by side share (lane_step.hpp). For those three alone.

#include "stiction/rigid/island_stages.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/stopwatch.hpp"
#include "stiction/sim/workspace_parts.hpp"

namespace stiction {

struct StepRun {
  StepRun(const Model& model, const StepOptions& options, const StepInput& input,
          const State& state, Workspace& workspace, StepReport& report);

  const Model& model;
  const StepOptions& options;
  const StepInput& input;
  const State& state;  ///< at the start of the step
  Workspace::Parts& w;
  StepReport& report;
  RigidSettings settings;
  Stopwatch watch;

  [[nodiscard]] bool has_springs() const { return options.contact == ContactFamily::viscoelastic; }
  /// Whether trees that gain energy are mended.
  [[nodiscard]] bool mends() const {
    return options.integrator == Integrator::trapezoid && !has_springs();
  }
};

/// Checks everything and starts the report and the motion; false if the step is refused.
[[nodiscard]] bool begin_step(const StepRun& run);
/// Needs kinematics, if anything depends on where bodies are.
void collect_forces(const StepRun& run);
/// Free motion of single bodies that turn fast; needs free motion.
void steady_spins(const StepRun& run);
/// Contacts, constraints, islands and what is remembered of them; needs free motion. False if the
/// step is refused.
[[nodiscard]] bool find_touch(StepRun& run);
/// Velocities and targets of the blocks.
void find_blocks(StepRun& run);
/// What the stages of an island read.
[[nodiscard]] IslandInput island_input(const StepRun& run, bool repeated);
/// Impulses and velocities after the step. `repeated`: once more in this step.
void solve_blocks(StepRun& run, bool repeated);
/// After solve_blocks(): solves again where that is needed, then writes the report.
void settle(StepRun& run);
/// All of these in turn, for one robot alone.
void evaluate(StepRun& run);
/// Whether the state moves on.
[[nodiscard]] bool goes_on(StepReport& report);
/// Position rates that are no free motion.
void end_rates(const StepRun& run);
/// Energy, memory and the state; needs next_position. `state` is that of the run.
void end_step(StepRun& run, State& state);

}  // namespace stiction
