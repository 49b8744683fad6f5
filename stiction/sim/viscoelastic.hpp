#pragma once

/// \file
/// A step with contacts that are springs with dampers. Limits, joint friction and locks stay hard:
/// they are solved with the springs' forces as given, and the springs are integrated with the rows
/// that hold (docs/viscoelastic.md).

#include "stiction/sim/options.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/workspace_parts.hpp"

namespace stiction {

/// evaluate() of step.hpp for this family, from where the kinematics of the start are known and the
/// forces are collected. Leaves velocities and position rates of all trees that springs or hard
/// rows act on.
void evaluate_springs(const Model& model, const StepOptions& options, const RigidSettings& settings,
                      const State& state, Workspace::Parts& parts, StepReport& report);

/// Stores anchors, and impulses of hard rows, in the state; before it moves on.
void remember_springs(const StepOptions& options, const Workspace::Parts& parts, State& state);

/// Tells where the anchors are in the state that the step has led to.
void report_springs(const Model& model, const StepOptions& options, const State& state,
                    Workspace::Parts& parts, StepReport& report);

}  // namespace stiction
