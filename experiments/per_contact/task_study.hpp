#pragma once

/// \file
/// Runs all methods through all tasks.

#include "experiments/per_contact/results.hpp"
#include "experiments/progress.hpp"

namespace stiction::experiments {

struct StudySize {
  int steps = 100'000;   ///< of each run
  int rounds = 5;        ///< timed runs of each method
  int stage_rounds = 3;  ///< runs whose stages are timed
  double trot_minutes = 10.0;
  double hanging_time = 200.0;  ///< of figure 7 [s]
  double slip_seconds = 20.0;   ///< for timing slip problems, at most
  std::uint64_t seed = 1;
};

/// Tables and figures that come from the tasks: all of Results but table I and figure 7, and slip
/// problems for the former. Folder `problems` (none if empty) gets contact problems as FCLIB files.
void study_tasks(const StudySize& size, const std::vector<std::string>& tasks,
                 const std::filesystem::path& problems, Progress& progress, Results& results,
                 std::vector<SlipSample>& slips);

/// Steps that study_tasks() takes, about.
double study_cost(const StudySize& size, const std::vector<std::string>& tasks);

}  // namespace stiction::experiments
