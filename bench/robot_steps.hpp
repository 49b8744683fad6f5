#pragma once

/// \file
/// Robots of files, stepped by Stiction and by MuJoCo from their first keyframe.

#include <filesystem>
#include <memory>
#include <string>

namespace stiction::bench {

/// One robot in one engine.
class RobotRun {
 public:
  virtual ~RobotRun() = default;
  virtual void step() = 0;
  [[nodiscard]] virtual double time_step() const = 0;  ///< [s]
};

/// MuJoCo 2.2.2 with the options of the file; null if it cannot read the file or is not installed.
std::unique_ptr<RobotRun> make_mujoco_run(const std::filesystem::path& file);

}  // namespace stiction::bench
