#pragma once

/// \file
/// One step of time.

#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

/// Moves `state` on by one time step. Never throws for what state, input or options contain: the
/// status of the report says what is wrong, and then the state is as it was. Allocates nothing once
/// it has seen as many contacts. A workspace serves every Model of its structure; a step of another
/// one is refused.
void step(const Model& model, const StepOptions& options, const StepInput& input, State& state,
          Workspace& workspace, StepReport& report);

/// What the next step would do at its start, without moving the state: contacts, limits and locks
/// with their impulses (divided by the time step: forces), certificate and status in the report;
/// accelerations, drive forces and forces on bodies in the workspace; SensorArray::evaluate() reads
/// sensors from both. Accelerations are the means over the step that would follow; those of trees
/// without impulses are v̇ at its start.
void evaluate(const Model& model, const StepOptions& options, const StepInput& input,
              const State& state, Workspace& workspace, StepReport& report);

}  // namespace stiction
