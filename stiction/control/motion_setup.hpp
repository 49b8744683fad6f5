#pragma once

/// \file
/// What the motions of motions.hpp have in common. Private to stiction/control.

#include <string>
#include <vector>

#include "stiction/control/inverse_dynamics.hpp"

namespace stiction {

struct LeggedSetup {
  const char* verb = "move";  ///< for messages
  std::vector<ContactSpec> feet;
  std::string trunk{};  ///< frame that stays upright; empty: none
  TaskGains center_of_mass{};
  TaskGains trunk_orientation{};
  TaskGains posture{};
  double force_weight = 1e-5;
  InverseDynamicsOptions options{};
};

/// Stands where `start` is. Throws std::invalid_argument if the model does not float. Body task 0
/// is the trunk's, if there is one.
InverseDynamics legged_control(const Model& model, const State& start, const LeggedSetup& setup);

/// The same place and heading, level.
Eigen::Isometry3d upright(const Eigen::Isometry3d& pose);

}  // namespace stiction
