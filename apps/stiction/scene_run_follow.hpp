#pragma once

/// \file
/// Which joints and actuators can be told a position.

#include "stiction/model/model.hpp"

namespace stiction {

/// Joints with springs to hold: one velocity each, or else there is no angle to aim at.
[[nodiscard]] bool can_be_held(const Joint& joint);

/// Whether the control of an actuator is a position that it pulls to, whatever the file calls it.
[[nodiscard]] bool follows_position(const Actuator& actuator);

}  // namespace stiction
