#pragma once

/// \file
/// Energy that a step brings in without input, by the error of its integration.
///
/// Impulses are watched where they are solved (rigid/push_out_energy.hpp). What is left is the
/// error of gyroscopic and Coriolis forces, which grows with the square of the angle that bodies
/// turn within a step. Below `watched_turn` it is too small to matter and nothing is computed.
/// Above, the account of each tree is drawn up: ΔT + ΔV − work of all forces and impulses. Under
/// `trapezoid`, a tree that gains is mended: in flight it is taken through the step in small parts,
/// and what is still too much is taken from its velocities.

#include <optional>
#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/rigid/solution.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/free_motion.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// Turns of a joint by more than this within a step are watched [rad].
inline constexpr double watched_turn = 0.05;

struct EnergyWatchInput {
  SceneSnapshot scene;
  double time_step = 0.0;  ///< h [s]
  const State& state;
  const ContactSet& set;
  const StepSolution& solution;
  const Forces& forces;
  const ExternalForces& external;
  bool mends = false;  ///< whether trees that gain are mended
};

struct EnergyWatchScratch {
  std::optional<DynamicsData<double>> elsewhere;
  std::vector<double> mean_velocity;
  std::vector<double> joint_forces;        ///< constant over the step, implicit ones at its end
  std::vector<double> joint_impulses;      ///< of limits, joint friction and coupled joints
  std::vector<Force<double>> body_forces;  ///< of contacts, locks and the input; empty if none acts
  std::vector<double> energy_before;       ///< T + V of gravity, one per tree [J]
  std::vector<double> kinetic_before;      ///< one per tree [J]
  std::vector<double> gain;                ///< one per tree [J]
  FreeParts parts;
  bool mended = false;                     ///< whether velocities of this step were changed; then
  std::vector<double> velocity_of_forces;  ///< those at which joint forces were found
};

struct EnergyGrowth {
  double gain = 0.0;       ///< of all trees that gained [J]
  bool explosive = false;  ///< some tree gained more than a tenth of its kinetic energy, and more
                           ///< than it has at 0.1 m/s
};

/// Needs next_velocity and next_position of the motion, and changes them where it mends.
[[nodiscard]] EnergyGrowth watch_energy(const EnergyWatchInput& input, StepMotion& motion,
                                        EnergyWatchScratch& scratch);

}  // namespace stiction
