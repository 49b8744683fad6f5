#include "experiments/exponential/stage_costs.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

#include "experiments/exponential/methods.hpp"

namespace stiction::experiments {

namespace {

double least(const std::vector<double>& numbers) { return *std::ranges::min_element(numbers); }

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers,
                           numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2));
  return numbers[numbers.size() / 2];
}

/// Times of one method: whole steps, one entry per round; stages, one per step.
struct Times {
  std::vector<double> step, kinematics, collide, contact, integrate;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time of a step from each state of the run, on average. The clock is read once per
/// pass, because a reading takes a good part of a step.
class StepTimer {
 public:
  StepTimer(const DrivenMotion& motion, const StepOptions& options, const DrivenRun& run)
      : motion_(motion), run_(run), options_(options), workspace_(motion.model) {
    options_.time_step = motion.control_step;
    state_ = run.states.front();
    pass();  // allocates, and fills the caches
  }

  double pass() {
    const double begin = cpu_seconds();
    for (std::size_t k = 0; k < run_.forces.size(); ++k) {
      state_ = run_.states[k];
      StepInput input;
      input.joint_forces = {run_.forces[k].data(), static_cast<std::size_t>(run_.forces[k].size())};
      step(motion_.model, options_, input, state_, workspace_, report_);
    }
    return (cpu_seconds() - begin) /
           static_cast<double>(std::max<std::size_t>(1, run_.forces.size()));
  }

 private:
  const DrivenMotion& motion_;
  const DrivenRun& run_;
  StepOptions options_;
  State state_;
  Workspace workspace_;
  StepReport report_;
};

/// Stages of a step from each state of the run.
void time_stages(const DrivenMotion& motion, StepOptions options, const DrivenRun& run,
                 Times& times) {
  options.time_step = motion.control_step;
  options.timings = true;
  Workspace workspace(motion.model);
  StepReport report;
  for (std::size_t k = 0; k < run.forces.size(); ++k) {
    State state = run.states[k];
    StepInput input;
    input.joint_forces = {run.forces[k].data(), static_cast<std::size_t>(run.forces[k].size())};
    step(motion.model, options, input, state, workspace, report);
    times.kinematics.push_back(report.timings.kinematics);
    times.collide.push_back(report.timings.collide);
    times.contact.push_back(report.timings.assemble + report.timings.solve +
                            report.timings.certify);
    times.integrate.push_back(report.timings.integrate);
  }
}

}  // namespace

std::vector<StageCost> measure_stages(const DrivenMotion& trot, int rounds) {
  const std::vector<Method> methods = methods_with(AnchorRules::surface);
  const DrivenRun run = drive(trot, methods.front().options, 8);
  std::vector<Times> times(methods.size());
  std::vector<std::unique_ptr<StepTimer>> timers;
  for (const Method& method : methods) {
    timers.push_back(std::make_unique<StepTimer>(trot, method.options, run));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      times[i].step.push_back(timers[i]->pass());
      time_stages(trot, methods[i].options, run, times[i]);
    }
  }
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    costs.push_back({methods[i].name, least(times[i].step), median(times[i].kinematics),
                     median(times[i].collide), median(times[i].contact),
                     median(times[i].integrate)});
  }
  return costs;
}

}  // namespace stiction::experiments
