#pragma once

/// \file
/// Energy and momentum of a step, as an account that is independent of how the step was solved.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// Before the state is moved on.
[[nodiscard]] StepBalance balance_of(const State& state, Workspace::Memory& memory);

}  // namespace stiction
