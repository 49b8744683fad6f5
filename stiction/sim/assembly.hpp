#pragma once

/// \file
/// From the robot to contact problems: which contacts, limits, frictions and locks there are in a
/// step, which of them act on each other, and the ContactProblem of each island. The only place
/// that knows both robot and problem.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// Contacts of this step from the points that the collider finds. Needs kinematics and free motion.
void find_candidates(const StepOptions& options, Workspace::Memory& memory);

/// Limits within reach, joint friction and locks.
void find_constraints(const StepOptions& options, const State& state, Workspace::Memory& memory);

/// Velocities of contacts after free motion, their targets, and where they bounce. Needs islands.
void set_contact_targets(const StepOptions& options, Workspace::Memory& memory);
/// The same for limits, joint friction and locks.
void set_constraint_targets(const StepOptions& options, Workspace::Memory& memory);
/// Least velocity along a gap by the gap rule alone.
double gap_rule_target(const StepOptions& options, double gap, double h);

/// Groups blocks and trees by what acts on each other.
void find_islands(Workspace::Memory& memory);

/// Impulses of the step before, for the blocks that were there already.
void recall_impulses(const StepOptions& options, const State& state, Workspace::Memory& memory);
/// Keeps the impulses for the next step.
void remember_impulses(const Workspace::Memory& memory, State& state);

/// The contact problem of one island, in the worker's memory, ready to be solved, and where the
/// solver begins.
void assemble_island(Workspace::Memory& memory, const Island& island, IslandWorker& worker);

/// Changes of velocity by impulses (all rows of the island's problem), for the entries of the
/// island's trees in `dv`. Needs assemble_island().
void velocity_change(Workspace::Memory& memory, const Island& island, IslandWorker& worker,
                     std::span<const double> impulses, std::span<double> dv);

}  // namespace stiction
