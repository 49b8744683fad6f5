#pragma once

/// \file
/// Robots in contact that keep their momentum.

#include <optional>
#include <vector>

#include "stiction/model/state.hpp"
#include "stiction/rigid/targets.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// A tree in contact moves by the semi-implicit rule, q⁺ = q ⊕ h v⁺ with forces of the start, which
/// changes its linear and angular momentum by an error of second order in each step. If a floating
/// tree has such an error, its free motion is shifted by it, as one rigid piece, and the contacts
/// are to be solved again, so that what they certify is what the tree does. The error shrinks by
/// O(h|ω|) each time; nothing is shifted that is at rest.
class MomentumKeeper {
 public:
  /// After a solve: whether the free motion of some tree was shifted, in `motion` and in the bodies
  /// that contacts look at. At most `most_passes` times after start().
  [[nodiscard]] bool shift_free_motion(const Model& model, const SceneLayout& layout,
                                       const IslandSet& islands, const BlockTargets& targets,
                                       const State& state, double time_step,
                                       DynamicsData<double>& dynamics, StepMotion& motion);
  /// At the start of a step.
  void start() { passes_ = 0; }

  static constexpr int most_passes = 4;

 private:
  void find_wanted_momentum(const Model& model, const SceneLayout& layout, const State& state,
                            double time_step, const DynamicsData<double>& dynamics,
                            const StepMotion& motion);
  void go_to_the_end(const Model& model, const SceneLayout& layout, const IslandSet& islands,
                     const BlockTargets& targets, const State& state, double time_step,
                     StepMotion& motion);

  int passes_ = 0;
  std::optional<DynamicsData<double>> elsewhere_;  ///< at other states than the start of the step
  std::vector<Force<double>> wanted_;              ///< one per tree, about the world's origin
  std::vector<double> velocity_;                   ///< scratch, one per velocity
};

}  // namespace stiction
