#pragma once

/// \file
/// Motion of trees on which no impulse acts, by each of the integrators.

#include <optional>
#include <span>
#include <utility>
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

/// Where free motion in small parts leads, and its scratch.
struct FreeParts {
  std::vector<double> position;  ///< q⁺
  std::vector<double> velocity;  ///< v⁺
  std::vector<double> work;      ///< of joint forces and forces on bodies, one per tree [J]
  FreeMotionScratch stages;
};

/// v̇ and v* of the start, from the factorization that the impulses will use. Writes acceleration
/// and free_velocity of the motion, and the free accelerations of the bodies.
void accelerate_freely(const Model& model, const Forces& forces,
                       std::span<const Force<double>> external, double time_step,
                       DynamicsData<double>& dynamics, StepMotion& motion);

/// Single bodies that turn fast: v* from the rule that keeps their energy, as seen from where they
/// are at the start. The explicit gyroscopic term of accelerate_freely() brings energy in. Changes
/// free_velocity and the free accelerations of the bodies.
void steady_fast_spins(const Model& model, const SceneLayout& layout, const State& state,
                       double time_step, DynamicsData<double>& dynamics, StepMotion& motion);

/// The same bodies once they are solved with impulses: velocities of the start are carried to where
/// the body will be, so that they keep their energy.
void carry_fast_spins(const Model& model, const SceneLayout& layout, const State& state,
                      double time_step, StepMotion& motion);

/// Free motion of all trees by `parts` steps of fourth order, under constant joint forces.
void advance_in_parts(const Model& model, const SceneLayout& layout, const State& state,
                      std::span<const double> joint_forces, const ExternalForces& external,
                      double time_step, int parts, FreeParts& result);

/// Forces on bodies that depend on the state.
class BodyForcesElsewhere {
 public:
  virtual ~BodyForcesElsewhere() = default;
  /// One per body, as ExternalForces::on_bodies(), where the bodies are and move as `there`.
  virtual std::span<const Force<double>> at(const DynamicsData<double>& there) = 0;
};

/// All trees by one step of fourth order, with forces on bodies at each stage. Writes v⁺ and the
/// mean rate of positions.
void advance_by_stages(const Model& model, const State& state, const Forces& forces,
                       double time_step, BodyForcesElsewhere& bodies, FreeMotionScratch& scratch,
                       std::span<double> next_velocity, std::span<double> position_rate);

/// Entries [first, second) of q that belong to a tree.
[[nodiscard]] std::pair<int, int> position_range(const Model& model, const Tree& tree);

/// Trees without impulses have their velocities of free motion.
void take_free_velocities(const SceneLayout& layout, StepMotion& motion);

/// next_velocity and position_rate of all trees without impulses (with `explicit_euler`,
/// position_rate of all trees). Needs take_free_velocities(). `at_middle`: v̇ at the middle of the
/// step, if it is known already.
void advance_free_trees(const Model& model, const SceneLayout& layout, Integrator integrator,
                        const State& state, const Forces& forces, const ExternalForces& external,
                        double time_step, StepMotion& motion, FreeMotionScratch& scratch,
                        std::span<const double> at_middle = {});

/// Whether advance_free_trees() needs v̇ at the middle of the step.
[[nodiscard]] bool needs_middle(const Model& model, const SceneLayout& layout,
                                Integrator integrator, const Forces& forces,
                                const StepMotion& motion);

/// Bodies with prescribed motion move on as the state says.
void keep_prescribed_motion(const SceneLayout& layout, StepMotion& motion);

}  // namespace stiction
