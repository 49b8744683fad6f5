#pragma once

/// \file
/// Assembles and solves all islands, in parallel if wished, and moves their trees.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// v_next and move of the trees on which impulses act, and the impulses themselves. Trees without
/// are left to advance_free_trees().
void solve_islands(const StepOptions& options, const State& state, Workspace::Memory& memory);

}  // namespace stiction
