#pragma once

/// \file
/// Impacts one after the other within a step.

#include "stiction/rigid/island_stages.hpp"

namespace stiction {

/// Solves an assembled island in which every closing contact bounces. Leaves the impulses of the
/// whole step in `worker.impulses`, details in `worker.impacts`, the restitution that was used in
/// `solution`, and the work of all impacts in `work` [J]. `iterations` and `certificate` of the
/// report are those of all solves, the certificate that of the worst.
SolverReport solve_impacts(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                           StepSolution& solution, double& work);

}  // namespace stiction
