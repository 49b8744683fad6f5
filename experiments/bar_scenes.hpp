#pragma once

/// \file
/// The scenes of SimBenchmark that need no robot, and the errors that are measured on them.

#include <functional>

#include "experiments/body_world.hpp"

namespace stiction::experiments {

using MakeWorld = std::function<std::unique_ptr<BodyWorld>(const BodyScene&)>;

/// What a run gave.
struct BarResult {
  bool measured = false;
  double value = 0.0;         ///< the error; of the tower: steps until it collapsed
  bool finished = true;       ///< false: time was over before the scene was
  double step_seconds = 0.0;  ///< wall time of a step, mean
  long long steps = 0;
  OwnCounts own;  ///< ours only
};

/// Longest simulated and wall time of a run [s].
struct RunLimits {
  double simulated = 1e9;
  double wall = 1e9;
};

/// 25 balls on a sliding box, pushed along `direction` (0: y, 1: diagonal): mean of the squared
/// errors of the velocities of balls and box.
BarResult rolling(const MakeWorld& make, double time_step, int direction, const RunLimits& limits);
/// 49 balls bounce for 20 s: mean (E − E0)².
BarResult bouncing(const MakeWorld& make, double time_step, const RunLimits& limits);
/// 216 balls fall from just above the floor and spread for 10 s: mean of summed squared overlaps.
BarResult heap(const MakeWorld& make, double time_step, const RunLimits& limits);
/// 216 elastic balls fall from 1 m: mean (E − E0)².
BarResult elastic_heap(const MakeWorld& make, double time_step, const RunLimits& limits);
/// A tower of 102 blocks: steps until its last block is below 1 m.
BarResult tower(const MakeWorld& make, double time_step, int iterations, const RunLimits& limits);

BodyScene tower_scene(double time_step, int iterations);

}  // namespace stiction::experiments
