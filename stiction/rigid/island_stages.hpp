#pragma once

/// \file
/// The way of one island through a step: assemble, solve, certify, move. Islands share nothing that
/// is written, so they go in parallel.

#include <span>

#include "stiction/rigid/impulse_memory.hpp"
#include "stiction/rigid/island_worker.hpp"
#include "stiction/rigid/rigid_settings.hpp"
#include "stiction/rigid/solution.hpp"
#include "stiction/rigid/targets.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// What the stages read; the same for all islands.
struct IslandInput {
  const RigidSettings& settings;
  SceneSnapshot scene;
  const ContactSet& set;
  const IslandSet& islands;
  const BlockVelocities& velocities;
  const BlockTargets& targets;
  const RecalledImpulses& recalled;
  std::span<const double> velocity;  ///< v at the start of the step
  bool is_repeated = false;          ///< the islands were solved in this step already
};

/// Makes room for the results of all blocks and islands.
void start_solution(const ContactSet& set, const IslandSet& islands, const BlockTargets& targets,
                    StepSolution& solution);

/// The contact problem of the island, and where its solver begins, into the worker.
void assemble_island(const IslandInput& input, int island, std::span<const double> impulses,
                     IslandWorker& worker);

/// \name The same where the Delassus matrix comes from elsewhere (sim/lane_touch.hpp)
/// @{
/// Whether nothing but G and M⁻¹Jᵀλ is needed of the dynamics: few contacts, no constraints, no
/// overlap that is pushed out of the positions, no impacts at times of their own.
[[nodiscard]] bool needs_delassus_alone(const IslandInput& input, int island);
/// Before G is written to the worker's problem, and after.
void begin_assembly(const IslandInput& input, int island, IslandWorker& worker);
void end_assembly(const IslandInput& input, int island, std::span<const double> impulses,
                  IslandWorker& worker);
/// Whether the island's trees move by impulses, in place of move_island().
[[nodiscard]] bool marks_trees_moved(const IslandInput& input, int island,
                                     const StepSolution& solution, StepMotion& motion);
/// next_velocity of these trees is what impulses change: adds free motion.
void move_by_change(const IslandInput& input, int island, StepMotion& motion);
/// @}

/// The worker's impulses. Writes what was asked of the contacts in the end.
void solve_island(const IslandInput& input, int island, IslandWorker& worker,
                  StepSolution& solution);

/// The judge's verdict, and impulses, velocities and modes of the blocks.
void certify_island(const IslandInput& input, int island, IslandWorker& worker,
                    StepSolution& solution);

/// Velocities and position rates of the island's trees, if impulses act on it. Trees without are
/// left to the integrator.
void move_island(const IslandInput& input, int island, const StepSolution& solution,
                 IslandWorker& worker, StepMotion& motion);

}  // namespace stiction
