#include "experiments/per_contact/penetration.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/per_contact/task_run.hpp"

namespace stiction::experiments {

namespace {

constexpr const char* methods[] = {paper_name, hybrid_name, pgs_name, fine_pgs_name};
constexpr HangingSetup setups[] = {HangingSetup::left_in, HangingSetup::pushed_out};
constexpr double step_time = 0.001;  // [s]
constexpr double sample_time = 0.1;  // of the trace; each is a mean [s]

/// Mean over the feet, of those that the last step found near the floor.
double mean_depth(const StepReport& report) {
  double sum = 0.0;
  for (const StepContact& contact : report.contacts) sum += std::max(0.0, -contact.gap);
  return 0.25 * sum;
}

/// How far the step lets pressing feet sink, mean over the feet; touching feet should not move.
double sinking(const StepReport& report) {
  double sum = 0.0;
  for (const StepContact& contact : report.contacts) {
    if (contact.impulse.z > 0.0) sum -= step_time * contact.velocity.z;
  }
  return 0.25 * sum;
}

double mean_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0.0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return end > begin ? sum / static_cast<double>(end - begin) : 0.0;
}

PenetrationTrace trace(const std::string& name, HangingSetup setup, double seconds) {
  TaskMethod method = task_method(name);
  const bool left_in = setup == HangingSetup::left_in;
  if (left_in) method.options.gap_rule = GapRule::velocity;
  PenetrationTrace result;
  result.method = name;
  result.setup = setup;
  const int per_sample = static_cast<int>(std::lround(sample_time / step_time));
  double sum = 0.0, sunk = 0.0;
  int count = 0;
  const auto watch = [&](Task& task, const StepReport& report, Workspace&) {
    if (task.state().time <= settling_time) return;
    sum += mean_depth(report);
    if (left_in) sunk += sinking(report);
    if (++count < per_sample) return;
    result.time.push_back(task.state().time);
    result.depth.push_back(sum / per_sample);
    result.by_solver.push_back(sunk);
    sum = 0.0;
    count = 0;
  };
  const std::unique_ptr<Task> task = make_task("hang", step_time);
  run_task(*task, method, static_cast<int>(std::lround(seconds / step_time)), watch);
  const std::size_t samples = result.depth.size();
  const std::size_t tenth = std::max<std::size_t>(1, samples / 10);
  if (samples == 0) return result;
  result.mean = mean_of(result.depth, 0, samples);
  result.first = mean_of(result.depth, 0, std::min(tenth, samples));
  result.last = mean_of(result.depth, samples - std::min(tenth, samples), samples);
  result.deepest = *std::ranges::max_element(result.depth);
  return result;
}

}  // namespace

std::vector<PenetrationTrace> trace_penetration(double seconds, Progress& progress) {
  std::vector<PenetrationTrace> traces;
  for (const HangingSetup setup : setups) {
    for (const char* name : methods) {
      progress.show(std::string("penetration, ") + name);
      traces.push_back(trace(name, setup, seconds));
      progress.add(seconds / step_time);
    }
  }
  return traces;
}

double penetration_cost(double seconds) {
  return static_cast<double>(std::size(methods) * std::size(setups)) * seconds / step_time;
}

std::string_view to_string(HangingSetup setup) {
  return setup == HangingSetup::left_in ? "left in" : "pushed out";
}

}  // namespace stiction::experiments
