#pragma once

/// \file
/// The force of a muscle by its length and speed, as MuJoCo has it.

#include <array>

#include "stiction/model/elements.hpp"

namespace stiction {

/// A value with its slopes.
struct MuscleForce {
  double value = 0.0;
  double by_length = 0.0;
  double by_velocity = 0.0;
};

/// What an activation of 1 pulls with (a negative number pulls).
MuscleForce active_force(const MuscleCurve& curve, const std::array<double, 2>& length_range,
                         double length, double velocity);

/// What it pulls with when it is stretched, whatever its activation.
MuscleForce passive_force(const MuscleCurve& curve, const std::array<double, 2>& length_range,
                          double length);

}  // namespace stiction
