#include "experiments/exponential/stage_costs.hpp"

#include <algorithm>
#include <ctime>

#include "experiments/exponential/methods.hpp"

namespace stiction::experiments {

namespace {

double least(const std::vector<double>& numbers) { return *std::ranges::min_element(numbers); }

/// Times of one method, one entry per round.
struct Rounds {
  std::vector<double> step, kinematics, collide, contact, integrate;
};

/// Mean times of stages in steps from each state of the run.
StepTimings time_stages(const DrivenMotion& motion, StepOptions options, const DrivenRun& run) {
  options.time_step = motion.control_step;
  options.timings = true;
  Workspace workspace(motion.model);
  StepReport report;
  StepTimings sum;
  for (std::size_t k = 0; k < run.forces.size(); ++k) {
    State state = run.states[k];
    StepInput input;
    input.joint_forces = {run.forces[k].data(), static_cast<std::size_t>(run.forces[k].size())};
    step(motion.model, options, input, state, workspace, report);
    sum.kinematics += report.timings.kinematics;
    sum.collide += report.timings.collide;
    sum.assemble += report.timings.assemble + report.timings.solve + report.timings.certify;
    sum.integrate += report.timings.integrate;
  }
  return sum;
}

}  // namespace

std::vector<StageCost> measure_stages(const DrivenMotion& trot, int rounds) {
  const std::vector<Method> methods = methods_with(AnchorRules::surface);
  const DrivenRun run = drive(trot, methods.front().options, 8);
  std::vector<Rounds> times(methods.size());
  const double count = static_cast<double>(run.forces.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      times[i].step.push_back(local_error(trot, methods[i].options, 1, run).step_seconds);
      const StepTimings stages = time_stages(trot, methods[i].options, run);
      times[i].kinematics.push_back(stages.kinematics / count);
      times[i].collide.push_back(stages.collide / count);
      times[i].contact.push_back(stages.assemble / count);
      times[i].integrate.push_back(stages.integrate / count);
    }
  }
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    costs.push_back({methods[i].name, least(times[i].step), least(times[i].kinematics),
                     least(times[i].collide), least(times[i].contact), least(times[i].integrate)});
  }
  return costs;
}

}  // namespace stiction::experiments
