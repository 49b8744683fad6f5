#pragma once

/// \file
/// Motion of trees on which no impulse acts, by each of the integrators.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// v̇ and v after the step without impulses, from the factorization that the impulses will use.
void accelerate_freely(const State& state, Workspace::Memory& memory);

/// v_next and move of all trees that are not active (with `explicit_euler`, move of all).
void advance_free_trees(const StepOptions& options, const State& state, Workspace::Memory& memory);

/// Forces on bodies from outside, world axes, about the bodies' origins.
void collect_external_forces(const StepInput& input, Workspace::Memory& memory);

/// Bodies whose motion is prescribed go on as the state says.
void keep_prescribed_motion(const State& state, Workspace::Memory& memory);

/// Whether v⁺ drives some actuator or servo out of its range; then it is held at its bound, and
/// free motion is computed anew.
[[nodiscard]] bool saturate_drives(const State& state, Workspace::Memory& memory);

}  // namespace stiction
