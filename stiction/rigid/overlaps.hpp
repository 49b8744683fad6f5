#pragma once

/// \file
/// Which overlaps of an island are pushed out, and how.
///
/// The targets of a step ask overlaps to open by the velocities after it. That may be impossible: a
/// body between two walls cannot leave both, and friction may hold what the normals alone would let
/// go. Such overlaps stay, or leave by the positions alone.

#include <cstdint>
#include <span>

#include "stiction/rigid/island_stages.hpp"

namespace stiction {

/// Lets the velocities of the island leave its overlaps as they are.
void leave_overlaps(const IslandInput& input, std::span<const int> blocks, ContactProblem& problem,
                    StepSolution& solution);

/// Before the solve: decides about the overlaps, and changes the targets where they are not pushed
/// out by velocities.
void judge_overlaps(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                    StepSolution& solution);

}  // namespace stiction
