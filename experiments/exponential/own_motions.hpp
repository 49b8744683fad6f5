#pragma once

/// \file
/// The four tests of [EXP] with our own robots, plans and controllers (stiction/control), and what
/// must be true of these motions.

#include <string>
#include <string_view>
#include <vector>

#include "experiments/driven_motion.hpp"

namespace stiction::experiments {

/// squat, jump, trot: Solo12 with ball feet; romeo: a walk of Romeo on its soles. Throws
/// std::invalid_argument that lists the names for another one.
DrivenMotion own_motion(std::string_view name);

/// What a run of such a motion did.
struct MotionFacts {
  bool failed = true;
  double way = 0.0;           ///< forward [m]
  double amplitude = 0.0;     ///< half the range of heights of the centre of mass, second half [m]
  double flight = 0.0;        ///< longest time without a contact that presses [s]
  double end_height = 0.0;    ///< of the base, above that of the start [m]
  double end_speed = 0.0;     ///< norm of v
  double largest_tilt = 0.0;  ///< of the base against the vertical [rad]
  double torque_share = 0.0;  ///< largest torque in relation to its limit
  double base_wrench = 0.0;   ///< largest force or moment that the controller puts on the base
  std::vector<int> swings;    ///< how often each foot left the floor and came back
};

MotionFacts observe(const DrivenMotion& motion, const StepOptions& options, int substeps);

/// What is wrong with the run of the motion `name`; empty if it does what its name says.
std::string complaint(std::string_view name, const MotionFacts& facts);

}  // namespace stiction::experiments
