#include "experiments/tracked_motion.hpp"

#include <algorithm>

namespace stiction::experiments {

namespace {

constexpr double fastest = 1e5;

MotionSample sample_of(const State& state) { return {state.q, state.v}; }

/// One control step from `state`; false if the simulation fails.
bool advance(const TrackedMotion& tracked, const StepOptions& options, int substeps, double time,
             State& state, Workspace& workspace, StepReport& report) {
  const Eigen::VectorXd forces =
      tracking_forces(tracked.model, tracked.motion, time, sample_of(state));
  StepInput input;
  input.joint_forces = {forces.data(), static_cast<std::size_t>(forces.size())};
  for (int i = 0; i < substeps; ++i) {
    step(tracked.model, options, input, state, workspace, report);
    if (report.status == StepStatus::refused || report.status == StepStatus::diverged) return false;
  }
  return state.v.allFinite() && state.v.norm() <= fastest;
}

}  // namespace

double state_distance(const Model& model, const State& a, const MotionSample& b) {
  return own_axes_difference(model, b, sample_of(a)).lpNorm<Eigen::Infinity>();
}

TrackedRun follow(const TrackedMotion& tracked, StepOptions options, int substeps,
                  const State& start) {
  options.time_step = tracked.control_step / substeps;
  Workspace workspace(tracked.model);
  StepReport report;
  TrackedRun run;
  run.states.push_back(start);
  State state = start;
  for (int k = 0; k < tracked.control_steps; ++k) {
    if (!advance(tracked, options, substeps, k * tracked.control_step, state, workspace, report)) {
      run.failed = true;
      break;
    }
    run.states.push_back(state);
  }
  return run;
}

Statistics local_error(const TrackedMotion& tracked, StepOptions options, int substeps,
                       const std::vector<State>& truth) {
  options.time_step = tracked.control_step / substeps;
  Workspace workspace(tracked.model);
  StepReport report;
  Statistics result;
  for (std::size_t k = 0; k + 1 < truth.size(); ++k) {
    State state = truth[k];
    const bool good =
        advance(tracked, options, substeps, static_cast<double>(k) * tracked.control_step, state,
                workspace, report);
    const double error =
        good ? state_distance(tracked.model, state, sample_of(truth[k + 1])) : fastest;
    result.mean += error;
    result.largest = std::max(result.largest, error);
  }
  result.mean /= static_cast<double>(truth.size());
  return result;
}

}  // namespace stiction::experiments
