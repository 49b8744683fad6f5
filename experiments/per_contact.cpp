/// \file
/// Per-contact iteration [PCI] on ANYmal: trot, hang, drop and random with the paper's method, PGS
/// and ours. Its tables and figures 4 to 7, and each of its claims with our figure.

#include <algorithm>
#include <fmt/format.h>

#include "experiments/experiment_output.hpp"
#include "experiments/per_contact/results.hpp"
#include "experiments/per_contact/task_study.hpp"
#include "stiction/core/write_file.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  bool quick = false;
  std::vector<std::string> tasks;
  int steps = 0;
  std::uint64_t seed = 1;
  std::filesystem::path problems;
};

StudySize size_of(const Arguments& arguments) {
  StudySize size;
  size.seed = arguments.seed;
  if (arguments.quick) {
    size.steps = 4000;
    size.rounds = 2;
    size.stage_rounds = 2;
    size.trot_minutes = 0.2;
    size.hanging_time = 20.0;
    size.slip_seconds = 3.0;
  }
  if (arguments.steps > 0) size.steps = arguments.steps;
  return size;
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (arguments.tasks.empty()) arguments.tasks.assign(std::begin(task_names), std::end(task_names));
  if (!arguments.problems.empty()) check_writable(arguments.problems / "trot_0.hdf5");
  const StudySize size = size_of(arguments);
  const bool hangs = std::ranges::find(arguments.tasks, "hang") != arguments.tasks.end();
  Results results;
  std::vector<SlipSample> slips;
  {
    const double hanging = hangs ? penetration_cost(size.hanging_time) : 0.0;
    Progress progress(study_cost(size, arguments.tasks) + hanging);
    study_tasks(size, arguments.tasks, arguments.problems, progress, results, slips);
    if (hangs) results.penetration = trace_penetration(size.hanging_time, progress);
  }
  results.slips = time_slips(slips, size.slip_seconds);
  const bool good = show_tables(results, !arguments.quick, output);
  write_results(results, output);
  return good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line(
      "Per-contact iteration next to PGS and the default solver, on four tasks of ANYmal.",
      "per_contact");
  line.add_flag("--quick", arguments.quick, "short runs, in at most a minute; times mean nothing");
  line.add_option("--task", arguments.tasks, "trot, hang, drop, random; several separated by ,")
      .one_of({"trot", "hang", "drop", "random"})
      .separated_by(',');
  line.add_option("--steps", arguments.steps, "steps of each run; default 100,000 (--quick 4000)")
      .range(100, 10'000'000);
  line.add_option("--seed", arguments.seed, "of throws, references and pushes");
  line.add_option("--problems", arguments.problems,
                  "folder for contact problems of the tasks, as FCLIB files")
      .existing_folder();
  ExperimentOutput output("per_contact", "per_contact.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
