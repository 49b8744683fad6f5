#pragma once

/// \file
/// Energy and momentum of a step, as an account that is independent of how the step was solved.

#include <optional>
#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/rigid/solution.hpp"
#include "stiction/rigid/targets.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// What the account reads of a step that is solved but not yet taken.
struct BalanceInput {
  SceneSnapshot scene;
  double time_step = 0.0;  ///< h [s]
  const State& state;
  const ContactSet& set;
  const IslandSet& islands;
  const BlockVelocities& velocities;
  const BlockTargets& targets;
  const StepSolution& solution;
  const StepMotion& motion;
  const Forces& forces;
  const ExternalForces& external;
  bool uses_start_acceleration = false;  ///< IntegratorTraits
};

struct BalanceScratch {
  std::optional<DynamicsData<double>> elsewhere;
  std::vector<double> mean_velocity;  ///< ½(v⁻ + v⁺)
  std::vector<double> acceleration;   ///< (v⁺ − v⁻)/h
  std::vector<double> joint_impulses;
  std::vector<double> needed_forces;  ///< of the joints, for this motion
  std::vector<double> actuator_forces;
  std::vector<Force<double>> body_forces;  ///< by contacts and locks, then from outside as well
};

[[nodiscard]] StepBalance balance_of(const BalanceInput& input, BalanceScratch& scratch);

}  // namespace stiction
