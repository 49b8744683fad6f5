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
  std::string message;        ///< if not certified
  double impact_work = 0.0;   ///< of impacts, each at its time; islands solved by impacts only [J]
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
