#pragma once

/// \file
/// Numbers that a file leaves to the robot as it stands at the start. Private to stiction/io.

#include "stiction/core/problem.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// By MJCF's rules:
/// - a servo with positive damping means its ratio to critical damping, all other joints held;
/// - a muscle without a peak force gets its scale over the acceleration by a unit force;
/// - a muscle without a length range gets that of its joints' ranges; if they have none, it does
///   not act, with a warning;
/// - a joint with `springdamper` gets the spring and damper that move its inertia, all other joints
///   free, with that time constant and damping ratio.
void find_start_numbers(Model& model, ProblemList& problems);

}  // namespace stiction
