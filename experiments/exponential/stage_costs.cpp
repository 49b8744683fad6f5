#include "experiments/exponential/stage_costs.hpp"

#include <algorithm>
#include <ctime>

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
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      times[i].step.push_back(local_error(trot, methods[i].options, 1, run).step_seconds);
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
