#pragma once

/// \file
/// When a live simulation pauses by itself, and where it records.

#include <Eigen/Geometry>
#include <string>

#include "apps/live/live_protocol.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

/// Why the simulation stops after a step that began at `time` [s]; empty if it goes on.
[[nodiscard]] std::string reason_to_stop(const StepReport& report, const LiveSettings& settings,
                                         double time);

/// Notices when the heaviest robot with a floating base falls: its base turns by more than 60
/// degrees away from how it stood at the start, turning about the vertical left aside.
class FallWatch {
 public:
  FallWatch(const Model& model, const State& start);
  /// True once, in the step in which it falls; again after it has stood in between.
  [[nodiscard]] bool has_fallen(const State& state);
  void forget() { lies_ = false; }

 private:
  [[nodiscard]] Eigen::Matrix3d rotation(const State& state) const;

  int quaternion_ = -1;  ///< its first entry in q; -1: there is no such robot
  Eigen::Vector3d up_;   ///< in the world
  Eigen::Vector3d up_in_base_;
  bool lies_ = false;
};

/// A name in the working folder that no file has yet.
[[nodiscard]] std::string new_recording_file(const std::string& model);

}  // namespace stiction
