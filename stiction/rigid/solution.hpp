#pragma once

/// \file
/// What the solve of a step yields, for each block and each island.

#include <string>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

struct IslandResult {
  SolverStatus status = SolverStatus::certified;
  int iterations = 0;
  Certificate certificate;
  std::string message;       ///< if not certified
  double impact_work = 0.0;  ///< of impacts, each at its time; islands solved by impacts only [J]
  double energy_gain = 0.0;  ///< that impulses brought in, relative to the surfaces they act on [J]
  double energy_bound = 0.0;  ///< what push-out may bring in; set where the gain is positive [J]
  bool has_impulses = false;  ///< some impulse is not zero
};

/// Rows of all blocks as ContactSet places them.
struct StepSolution {
  std::vector<double> impulses;       ///< where the solve begins, then the answer [N·s or N·m·s]
  std::vector<double> velocities;     ///< after the step [m/s or rad/s]
  std::vector<ContactMode> modes;     ///< one per contact
  std::vector<double> normal_target;  ///< one per contact: what was asked of it in the end [m/s]
  std::vector<double> restitution;    ///< one per contact: what was used; empty: nothing bounces
  std::vector<IslandResult> islands;  ///< one per island
};

}  // namespace stiction
