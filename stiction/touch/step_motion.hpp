#pragma once

/// \file
/// How a state moves within a step.

#include <algorithm>
#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// One entry per velocity where nothing else is said.
struct StepMotion {
  explicit StepMotion(const Model& model, const SceneLayout& layout)
      : velocity_before(static_cast<std::size_t>(model.velocity_count())),
        acceleration(velocity_before.size()),
        free_velocity(acceleration.size()),
        next_velocity(acceleration.size()),
        position_rate(acceleration.size()),
        next_position(static_cast<std::size_t>(model.position_count())),
        has_impulses(layout.trees.size()) {}

  /// Starts a step: no tree has impulses yet.
  void start(const State& state) {
    std::copy_n(state.v.data(), velocity_before.size(), velocity_before.begin());
    std::ranges::fill(has_impulses, char{0});
  }
  /// Ends it: the state moves on by `time_step`.
  void finish(double time_step, State& state) const {
    std::ranges::copy(next_velocity, state.v.data());
    std::ranges::copy(next_position, state.q.data());
    state.time += time_step;
  }

  std::vector<double> velocity_before;  ///< v at the start of the step
  std::vector<double> acceleration;     ///< v̇ without impulses, at the start of the step
  std::vector<double> free_velocity;    ///< v* = v + h v̇ [+ what keeps momentum, see rk4]
  std::vector<double> next_velocity;    ///< v⁺
  std::vector<double> position_rate;    ///< q⁺ = q ⊕ h · position_rate
  std::vector<double> next_position;    ///< q⁺, one per position
  std::vector<char> has_impulses;       ///< per tree: it moves by the rule of trees in contact
};

}  // namespace stiction
