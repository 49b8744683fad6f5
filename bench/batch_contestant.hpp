#pragma once

/// \file
/// Many quadrupeds at once, as each engine steps them.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/step_engine.hpp"

namespace stiction::bench {

/// `count` robots, each with its own targets. All engines get the same torques by the same rule.
class BatchContestant {
 public:
  virtual ~BatchContestant() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Joint angles and rates of one robot.
  virtual void read_legs(int robot, LegState& legs) = 0;
  virtual void set_torques(int robot, const LegTorques& torques) = 0;
  virtual void reset(int robot, const Eigen::Vector3d& position,
                     const Eigen::Vector3d& velocity) = 0;
  /// One step of all robots.
  virtual void step() = 0;
  /// Share of the steps so far that were certified; NaN where there is no certificate.
  [[nodiscard]] virtual double certified() const = 0;
  /// The largest overlap seen in all steps [m]; NaN if it is not known.
  [[nodiscard]] virtual double deepest() const = 0;
};

std::unique_ptr<BatchContestant> make_stiction_batch(const StepRobot& robot, int count,
                                                     int threads);
/// One after another in a loop, without Batch: what a batch of one thread must not be slower than.
std::unique_ptr<BatchContestant> make_stiction_loop(const StepRobot& robot, int count);
/// One mjData per robot, all of one mjModel; every setting in turn. Empty without MuJoCo.
std::vector<std::string> mujoco_batch_settings();
std::unique_ptr<BatchContestant> make_mujoco_batch(const StepRobot& robot, int count, int threads,
                                                   int setting);

}  // namespace stiction::bench
