#pragma once

/// \file
/// All results of the experiment, as tables, CSV files and pictures.

#include <string>
#include <vector>

#include "experiments/experiment_output.hpp"
#include "experiments/per_contact/law_difference.hpp"
#include "experiments/per_contact/penetration.hpp"
#include "experiments/per_contact/slip_times.hpp"
#include "experiments/per_contact/task_run.hpp"
#include "experiments/per_contact/trot_task.hpp"

namespace stiction::experiments {

/// Mean time of the stages of a step [s]. Stages of each step are the least of several runs.
struct StageMeans {
  double dynamics = 0.0;  ///< kinematics, forces, free motion, and moving the state
  double collide = 0.0;
  double delassus = 0.0;  ///< assembly of contact problems
  double solve = 0.0;     ///< with the certificates that the solver asks for on its way
  double certify = 0.0;   ///< the verdict in the end
};

/// One method in one task.
struct MethodRow {
  std::string task;
  std::string method;
  std::string label;
  RunFacts facts;
  double cpu = 0.0;    ///< mean over the runs, of 100,000 steps [s]
  double quiet = 0.0;  ///< sum of the least times of the steps, of 100,000 [s]
  double median = 0.0, high = 0.0, slowest = 0.0;  ///< least times: median, 99.9 %, largest [s]
  int slowest_step = 0;
  StageMeans stages;
};

struct SlowStep {
  std::string task;
  int step = 0;
  double seconds = 0.0;
  int iterations = 0;
  int contacts = 0;
  double overlap = 0.0;  ///< [m]
};

struct LawRow {
  std::string task;
  LawDifferences differences;
};

/// A task at a large step.
struct LargeStepRow {
  std::string task;
  double time_step = 0.0;
  RunFacts facts;
};

struct TrotRow {
  double minutes = 0.0;
  double speed = 0.0;                                 ///< mean after the ramp [m/s]
  double slowest_second = 0.0, fastest_second = 0.0;  ///< means over a second [m/s]
  RunFacts run;
  TrotFacts facts;
};

struct Results {
  int steps = 0;  ///< of each run
  int rounds = 0;
  TrotRow trot;
  std::vector<MethodRow> methods;
  std::vector<SlowStep> slow_steps;  ///< of the default solver
  std::vector<LargeStepRow> large_steps;
  std::vector<PenetrationTrace> penetration;
  std::vector<LawRow> laws;
  std::vector<SlipTime> slips;

  [[nodiscard]] const MethodRow* find(std::string_view task, std::string_view method) const;
};

/// All tables on the screen and in the output. Returns whether what the experiment must show holds.
/// `judged` is false for runs that are too short for times to count.
bool show_tables(const Results& results, bool judged, ExperimentOutput& output);

/// CSV files for programs, and the figures.
void write_results(const Results& results, ExperimentOutput& output);

}  // namespace stiction::experiments
