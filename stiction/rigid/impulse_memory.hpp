#pragma once

/// \file
/// Impulses that a state carries from one step to the next.

#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/rigid/solution.hpp"
#include "stiction/touch/block_velocities.hpp"
#include "stiction/touch/contact_set.hpp"

namespace stiction {

/// What the state knew of the blocks of this step.
struct RecalledImpulses {
  double fraction = 1.0;         ///< StepOptions::recall_fraction
  std::vector<double> impulses;  ///< rows of all blocks; kept only if `fraction` is less than 1
  std::vector<char> is_new;      ///< one per contact: the state did not know it
};

/// Looks up the impulses of the step before, which become the start of the solve. Once a step.
void recall_impulses(const ContactSet& set, const State& state, double fraction,
                     RecalledImpulses& recalled, std::vector<double>& impulses);

/// Stores the impulses of this step in the state.
void remember_impulses(const ContactSet& set, const BlockVelocities& velocities,
                       const StepSolution& solution, const RecalledImpulses& recalled,
                       State& state);

}  // namespace stiction
