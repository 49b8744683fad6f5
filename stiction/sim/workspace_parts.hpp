#pragma once

/// \file
/// The parts of a Workspace, by how long they last. For step() and evaluate() alone, which hand
/// each stage what it reads and writes.

#include <memory>
#include <vector>

#include "stiction/collision/collider.hpp"
#include "stiction/core/thread_team.hpp"
#include "stiction/rigid/island_stages.hpp"
#include "stiction/rigid/momentum.hpp"
#include "stiction/sim/balance.hpp"
#include "stiction/sim/energy_watch.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/free_motion.hpp"
#include "stiction/sim/option_table.hpp"
#include "stiction/sim/uncertified.hpp"
#include "stiction/sim/viscoelastic_parts.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

struct Workspace::Parts {
  explicit Parts(const Model& model);

  // What the structure fixes.
  Model model;
  SceneLayout layout;

  RightOptions right_options;
  StepOptions options_with_effort;  ///< those of the step, if they are not those given

  // What acts in this step, and where the scene is at its start.
  double time_step = 0.0;  ///< h [s]; 0 before the first step
  Forces forces;
  ExternalForces external;
  DynamicsData<double> dynamics;
  TendonSet tendons;
  Collider collider;

  // What this step finds: read only once it is there.
  ContactSet contacts;
  IslandSet islands;
  RecalledImpulses recalled;

  // What the solve reads and yields.
  BlockVelocities velocities;
  BlockTargets targets;
  StepSolution solution;
  UncertifiedProblems uncertified;  ///< if somebody asked for them

  // How the state moves.
  StepMotion motion;

  // Scratch of the stages.
  std::vector<IslandWorker> workers;
  ThreadTeam team;
  MomentumKeeper momentum;
  FreeMotionScratch free_motion;
  EnergyWatchScratch energy_watch;
  BalanceScratch balance;
  std::unique_ptr<ViscoelasticParts> springs;  ///< made by the first step with such contacts

  /// The velocities that joint forces were found with: those after the step, unless growth of
  /// energy was mended.
  [[nodiscard]] std::span<const double> velocity_of_forces() const {
    return energy_watch.mended ? energy_watch.velocity_of_forces : motion.next_velocity;
  }
};

}  // namespace stiction
