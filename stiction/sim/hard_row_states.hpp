#pragma once

/// \file
/// Which rows of limits, joint friction and locks hold, and these rows as directions of v.

#include <span>
#include <vector>

#include "stiction/rigid/targets.hpp"
#include "stiction/sim/implicit_newton.hpp"

namespace stiction {

/// What a row of a constraint does in a step.
enum class RowState : char {
  free,   ///< nothing
  holds,  ///< it keeps its target, by any force
  slips,  ///< joint friction at its bound
};

/// One state per row, six to a constraint, from impulses in the same order. Locks always hold.
void find_row_states(const ContactSet& hard, std::span<const double> impulses,
                     std::vector<RowState>& states);

/// The rows that hold, at the bodies of `scene`, and the joint forces of those that slip. Entries
/// of prescribed motion are part of the target. `velocity`: of the start.
void find_held_rows(const SceneSnapshot& scene, const ContactSet& hard, const BlockTargets& targets,
                    std::span<const RowState> states, std::span<const double> impulses,
                    std::span<const double> velocity, double time_step, HeldRows& held);

}  // namespace stiction
