#pragma once

/// \file
/// The scenes of SimBenchmark with ANYmal: momentum, energy, and a standing robot's speed.

#include "experiments/bar_scenes.hpp"

namespace stiction::experiments {

/// Who steps the robot.
enum class RobotEngine { stiction, stiction_rk4, mujoco, mujoco_rk4 };

/// Without gravity a ball of 10 kg and radius 0.2 m flies at 5 m/s along y from 5 m away against
/// the torso, at the height of the base's origin, 10 s: mean |p − p0|².
BarResult momentum_error(RobotEngine engine, double time_step, const RunLimits& limits);
/// Pushed up by twice its weight for 1 s, then 2 s of free flight: mean (E − E0)².
BarResult energy_error(RobotEngine engine, double time_step, const RunLimits& limits);

/// One engine's name and how many steps of a standing robot it makes a second.
struct StandingSpeed {
  std::string engine;
  double rate = 0.0;  ///< [1/s]
};
/// PD 40/1, h 5 ms; the engines take turns, each with its fastest setting of a few.
std::vector<StandingSpeed> standing_speeds();

}  // namespace stiction::experiments
