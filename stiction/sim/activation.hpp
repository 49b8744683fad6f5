#pragma once

/// \file
/// Dynamics of actuators: how activations follow controls. They depend on nothing else, so each is
/// a matter of its own.

#include "stiction/model/elements.hpp"

namespace stiction {

/// ȧ at a control that is within its range.
double activation_rate(const Actuator& actuator, double control, double activation);

/// a at the end of a step of h seconds as MuJoCo computes it: explicit Euler, exact for
/// filter_exact; kept within its range.
double next_activation(const Actuator& actuator, double control, double activation, double h);

/// a at stage 0 to 3 of a step with rk4, and at its end (stage 4).
double activation_at_stage(const Actuator& actuator, double control, double activation, double h,
                           int stage);

}  // namespace stiction
