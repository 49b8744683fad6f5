#include "experiments/per_contact/task_run.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>

#include "stiction/sim/step.hpp"

namespace stiction::experiments {

namespace {

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool stood_still(const StepReport& report) {
  return report.status == StepStatus::refused || report.status == StepStatus::diverged;
}

void count(const StepReport& report, RunFacts& facts) {
  ++facts.solved;
  const unsigned iterations = static_cast<unsigned>(std::max(1, report.iterations));
  const int bin = std::min(iteration_bins - 1, static_cast<int>(std::bit_width(iterations)) - 1);
  ++facts.histogram[static_cast<std::size_t>(bin)];
  facts.mean_iterations += report.iterations;
  facts.most_iterations = std::max(facts.most_iterations, report.iterations);
  facts.certified += report.certificate.certified(1e-8) ? 1 : 0;
  facts.roughly_certified += report.certificate.certified(1e-5) ? 1 : 0;
  facts.worst_residual = std::max(facts.worst_residual, report.certificate.residual());
  const int contacts = static_cast<int>(report.contacts.size());
  facts.mean_contacts += contacts;
  facts.most_contacts = std::max(facts.most_contacts, contacts);
  facts.deepest_overlap = std::max(facts.deepest_overlap, report.deepest_overlap);
}

void take_least(double value, double& least) { least = std::min(least, value); }

void take_least(const StepTimings& timings, StepTimings& least) {
  take_least(timings.kinematics, least.kinematics);
  take_least(timings.collide, least.collide);
  take_least(timings.assemble, least.assemble);
  take_least(timings.solve, least.solve);
  take_least(timings.certify, least.certify);
  take_least(timings.integrate, least.integrate);
  take_least(timings.report, least.report);
}

}  // namespace

RunFacts run_task(Task& task, const TaskMethod& method, int steps, const Watcher& watch) {
  Workspace workspace = workspace_for(method, task.model());
  StepOptions options = method.options;
  options.time_step = task.time_step();
  StepReport report;
  RunFacts facts;
  for (int k = 0; k < steps; ++k) {
    const StepInput input = task.next();
    step(task.model(), options, input, task.state(), workspace, report);
    if (stood_still(report)) {
      facts.failed = true;
      break;
    }
    task.look(report);
    ++facts.steps;
    if (report.islands > 0) count(report, facts);
    facts.fastest = std::max(facts.fastest, task.state().v.lpNorm<Eigen::Infinity>());
    facts.farthest_height = std::max(facts.farthest_height, std::abs(task.state().q[2]));
    if (watch) watch(task, report, workspace);
  }
  const double solved = std::max(1, facts.solved);
  facts.mean_iterations /= solved;
  facts.mean_contacts /= solved;
  facts.resets = task.resets();
  return facts;
}

void time_task(Task& task, const TaskMethod& method, int steps, bool stages, RunTimes& times) {
  using Clock = std::chrono::steady_clock;
  Workspace workspace = workspace_for(method, task.model());
  StepOptions options = method.options;
  options.time_step = task.time_step();
  options.timings = stages;
  StepReport report;
  const auto count = static_cast<std::size_t>(steps);
  const bool first = times.step.empty();
  if (first) times.step.resize(count);
  if (first && stages) times.least.resize(count);
  const double start = cpu_seconds();
  for (std::size_t k = 0; k < count; ++k) {
    const StepInput input = task.next();
    const Clock::time_point before = Clock::now();
    step(task.model(), options, input, task.state(), workspace, report);
    const float seconds = std::chrono::duration<float>(Clock::now() - before).count();
    task.look(report);
    times.step[k] = first ? seconds : std::min(times.step[k], seconds);
    if (!stages) continue;
    if (first) {
      times.least[k] = report.timings;
    } else {
      take_least(report.timings, times.least[k]);
    }
  }
  times.cpu.push_back(cpu_seconds() - start);
}

}  // namespace stiction::experiments
