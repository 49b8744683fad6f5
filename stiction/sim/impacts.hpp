#pragma once

/// \file
/// Impacts one after the other within a step.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// Solves an island in which every closing contact bounces (Island::events). Needs
/// assemble_island(). Leaves the impulses of the whole step in `worker.impulses`, and in
/// `worker.start` each times the share of the step that was left when it acted. `iterations` and
/// `certificate` of the report are those of all solves, the certificate field by field the worst.
SolverReport solve_impacts(const StepOptions& options, Workspace::Memory& memory, Island& island,
                           IslandWorker& worker);

}  // namespace stiction
