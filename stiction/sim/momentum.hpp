#pragma once

/// \file
/// Robots in contact that keep their momentum.

#include "stiction/sim/workspace.hpp"

namespace stiction {

/// For `rk4`, after a solve. A tree in contact moves by the semi-implicit rule, q⁺ = q ⊕ h v⁺ with
/// forces of the start, which changes its linear and angular momentum by an error of second order
/// in each step. If a floating tree has such an error, its free motion is shifted by it, as one
/// rigid piece, and true is returned: the contacts are to be solved again, so that what they
/// certify is what the tree does. The error shrinks by O(h|ω|) each time; nothing is shifted that
/// is at rest. At most `momentum_passes` times a step; `pass` counts.
[[nodiscard]] bool keep_momentum(const StepOptions& options, const State& state, int& pass,
                                 Workspace::Memory& memory);

inline constexpr int momentum_passes = 4;

}  // namespace stiction
