#pragma once

/// \file
/// What StepOptions::effort stands for.

#include "stiction/sim/options.hpp"

namespace stiction {

/// The options that a step goes by: those given, in which the effort has replaced some that have
/// their default values. `room` is where they are made if they differ from those given, and keeps
/// its memory.
[[nodiscard]] const StepOptions& options_with_effort(const StepOptions& options, StepOptions& room);

/// The tolerance that its steps are certified at.
[[nodiscard]] double tolerance_of(const StepOptions& options);

}  // namespace stiction
