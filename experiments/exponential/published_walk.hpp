#pragma once

/// \file
/// Romeo's controller of [EXP]: inverse dynamics along a recorded walking plan, one foot at a time.

#include "experiments/motion_file.hpp"
#include "stiction/control/inverse_dynamics.hpp"

namespace stiction::experiments {

class PublishedWalk {
 public:
  /// The plan is shifted so that its right foot begins where the robot has it. Its samples are
  /// taken once per `control_step` [s], without interpolation; after its end the last one stays.
  /// Throws std::invalid_argument if the control step is not a multiple of the plan's step.
  PublishedWalk(const Model& model, const State& start, const RecordedWalk& plan,
                double control_step);
  const InverseDynamicsResult& compute(const State& state);

 private:
  [[nodiscard]] Eigen::Index column_of(int control_step) const;
  void follow(Eigen::Index column);
  /// Their contacts keep the pose that the foot had one control step earlier.
  void stand_on(int foot);

  RecordedWalk plan_;
  InverseDynamics control_;
  double control_step_;
  int stride_;  ///< samples of the plan in a control step
  int last_;    ///< control step of the last sample
  Eigen::Vector3d offset_;
  State before_;               ///< at the last control step
  std::array<int, 2> feet_{};  ///< body tasks, left and right
};

}  // namespace stiction::experiments
