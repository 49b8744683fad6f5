#pragma once

#include <vector>

#include "stiction/core/thread_team.hpp"
#include "stiction/rigid/island_stages.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/uncertified.hpp"

namespace stiction {

/// All islands, each through its four stages, on several threads if asked for. Those that are not
/// certified are kept in `uncertified`, if it keeps any.
void solve_islands(const IslandInput& input, const StepOptions& options, ThreadTeam& team,
                   std::vector<IslandWorker>& workers, StepSolution& solution, StepMotion& motion,
                   UncertifiedProblems& uncertified, StepTimings& timings);

}  // namespace stiction
