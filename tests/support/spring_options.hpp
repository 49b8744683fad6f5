#pragma once

/// \file
/// Options of steps whose contacts are springs.

#include "stiction/sim/options.hpp"

namespace stiction::test {

/// Springs with default constants, rules and integrator.
StepOptions springs(double time_step);

}  // namespace stiction::test
