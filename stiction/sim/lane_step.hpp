#pragma once

/// \file
/// A step of several robots of one structure, side by side in SIMD lanes where they do the same.
/// Decision 0052 says which stages do.

#include <memory>

#include "stiction/dynamics/robot_lanes.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

/// Steps lane_width robots at a time. One per thread.
class LaneStep {
 public:
  explicit LaneStep(const Model& structure);
  ~LaneStep();
  LaneStep(LaneStep&&) noexcept;

  /// What step() is given for one robot.
  struct Robot {
    const Model* model = nullptr;  ///< a copy of the structure
    const StepInput* input = nullptr;
    State* state = nullptr;
    StepReport* report = nullptr;
  };

  /// Whether robots under these options have anything to share; else step() takes one after the
  /// other.
  [[nodiscard]] static bool suits(const Model& structure, const StepOptions& options);

  /// For each robot what stiction::step() would do, with the same bits.
  void step(const StepOptions& options, const PerLane<Robot>& robots);

  /// Whether DynamicsData::dofs of the workspaces are complete after a step, for sensors; if not,
  /// they have axes only.
  void keep_factors(bool wanted);
  /// What the last step of each robot found.
  [[nodiscard]] Workspace& workspace(std::size_t slot);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stiction
