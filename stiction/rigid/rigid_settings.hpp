#pragma once

/// \file
/// What the stages of hard contact read of the options of a step.

#include <string>

#include "stiction/rigid/gap_rule.hpp"
#include "stiction/solver/options.hpp"

namespace stiction {

/// Options of the same names are described in sim/options.hpp.
struct RigidSettings {
  double time_step = 0.0;  ///< h [s]
  GapRule gap_rule = GapRule::position;
  double push_out_fraction = 0.0;
  double push_out_speed = 0.0;  ///< [m/s]
  int push_out_sweeps = 0;
  /// Overlaps are pushed out by velocities at most at this speed, which gravity takes back within a
  /// step; what is deeper leaves by positions alone [m/s].
  double velocity_push_speed = 0.0;
  double recall_fraction = 1.0;
  double lock_fraction = 0.0;
  double bounce_speed = 0.0;     ///< approach below which nothing bounces [m/s]
  bool impacts_in_time = false;  ///< islands in which all bounces are solved impact by impact
  bool free_path_bends = false;  ///< free motion within the step is not straight in q
  bool keeps_momentum = false;   ///< robots in contact keep their momentum
  const std::string& solver;
  const SolverOptions& solver_options;
};

}  // namespace stiction
