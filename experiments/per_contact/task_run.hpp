#pragma once

/// \file
/// One method through one task: what it found, and how long it took.

#include <array>
#include <functional>
#include <memory>

#include "experiments/per_contact/methods.hpp"
#include "experiments/per_contact/tasks.hpp"

namespace stiction::experiments {

/// Iterations in [2^k, 2^(k+1)).
inline constexpr int iteration_bins = 20;

/// What a run of a method has found. Only steps with a contact problem count, but for `steps`.
struct RunFacts {
  int steps = 0;
  int solved = 0;  ///< steps with a contact problem
  std::array<int, iteration_bins> histogram{};
  double mean_iterations = 0.0;
  int most_iterations = 0;
  int certified = 0;  ///< residual up to 1e-8, with cone and closing as certificates have it
  int roughly_certified = 0;  ///< the same up to 1e-5
  double worst_residual = 0.0;
  double mean_contacts = 0.0;
  int most_contacts = 0;
  double deepest_overlap = 0.0;  ///< [m]
  double fastest = 0.0;          ///< largest |v| [m/s, rad/s]
  double farthest_height = 0.0;  ///< largest |z| of the base [m]
  int resets = 0;
  bool failed = false;  ///< refused or diverged: the run ended there

  [[nodiscard]] double share(int count) const {
    return solved > 0 ? static_cast<double>(count) / solved : 0.0;
  }
};

/// After each step, with the report and the workspace of the method.
using Watcher = std::function<void(Task&, const StepReport&, Workspace&)>;

/// Runs without a clock.
RunFacts run_task(Task& task, const TaskMethod& method, int steps, const Watcher& watch = {});

/// Seconds of each step, the least of several runs, and CPU seconds of whole runs.
struct RunTimes {
  std::vector<float> step;         ///< least over the runs [s]
  std::vector<double> cpu;         ///< of each run, the drive of the robot included [s]
  std::vector<StepTimings> least;  ///< stages of each step, least over the runs; if asked for
};

/// One more run, whose times join those before.
void time_task(Task& task, const TaskMethod& method, int steps, bool stages, RunTimes& times);

}  // namespace stiction::experiments
