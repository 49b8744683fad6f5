#pragma once

/// \file
/// Motion of trees on which no impulse acts, by each of the integrators.

#include <optional>
#include <span>
#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// Stages of the integrators; vectors have one entry per velocity where nothing else is said.
struct FreeMotionScratch {
  std::optional<DynamicsData<double>> elsewhere;  ///< at other states than the start of the step
  std::optional<TendonSet> tendons;               ///< likewise
  std::vector<double> position;                   ///< one per position
  std::vector<double> velocity;
  std::vector<double> tau;
  std::vector<double> acceleration;
  std::vector<double> turn;  ///< ξ: where a stage is, from q
  std::vector<double> rate;  ///< ξ̇ of a stage
  std::vector<double> mean_rate;
  std::vector<double> mean_acceleration;
  std::vector<Force<double>> external;  ///< one per body, at other states
  ForcesScratch forces;
};

/// v̇ and v* of the start, from the factorization that the impulses will use. Writes acceleration
/// and free_velocity of the motion, and the free accelerations of the bodies.
void accelerate_freely(const Model& model, const Forces& forces,
                       std::span<const Force<double>> external, double time_step,
                       DynamicsData<double>& dynamics, StepMotion& motion);

/// Trees without impulses have their velocities of free motion.
void take_free_velocities(const SceneLayout& layout, StepMotion& motion);

/// next_velocity and position_rate of all trees without impulses (with `explicit_euler`,
/// position_rate of all trees). Needs take_free_velocities().
void advance_free_trees(const Model& model, const SceneLayout& layout, Integrator integrator,
                        const State& state, const Forces& forces, const ExternalForces& external,
                        double time_step, StepMotion& motion, FreeMotionScratch& scratch);

/// Bodies with prescribed motion move on as the state says.
void keep_prescribed_motion(const SceneLayout& layout, StepMotion& motion);

}  // namespace stiction
