#include "experiments/driven_motion.hpp"

#include <algorithm>
#include <ctime>

namespace stiction::experiments {

namespace {

constexpr double fastest = 1e5;

MotionSample sample_of(const State& state) { return {state.q, state.v}; }

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What all control steps of a run share.
class Stepper {
 public:
  Stepper(const DrivenMotion& motion, StepOptions options, int substeps)
      : model_(motion.model), options_(std::move(options)), substeps_(substeps), work_(model_) {
    options_.time_step = motion.control_step / substeps;
  }

  /// One control step from `state`; false if the simulation fails.
  bool advance(const Eigen::VectorXd& forces, State& state, const StepWatcher& watch) {
    StepInput input;
    input.joint_forces = {forces.data(), static_cast<std::size_t>(forces.size())};
    const double begin = cpu_seconds();
    bool good = true;
    for (int i = 0; i < substeps_ && good; ++i) {
      step(model_, options_, input, state, work_, report_);
      good = report_.status != StepStatus::refused && report_.status != StepStatus::diverged;
      if (watch) watch(state, report_);
    }
    seconds_ += cpu_seconds() - begin;
    return good && state.v.allFinite() && state.v.norm() <= fastest;
  }

  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  const Model& model_;
  StepOptions options_;
  int substeps_;
  Workspace work_;
  StepReport report_;
  double seconds_ = 0.0;
};

}  // namespace

ForceLaw tracking_law(const Model& model, const ReferenceMotion& motion) {
  return [&model, &motion](const State& state, Eigen::VectorXd& forces) {
    forces = tracking_forces(model, motion, state.time, sample_of(state));
    return true;
  };
}

double state_distance(const Model& model, const State& a, const MotionSample& b) {
  return own_axes_difference(model, b, sample_of(a)).lpNorm<Eigen::Infinity>();
}

DrivenRun drive(const DrivenMotion& motion, StepOptions options, int substeps,
                const StepWatcher& watch) {
  Stepper stepper(motion, std::move(options), substeps);
  const ForceLaw law = motion.make_law();
  DrivenRun run;
  State state = motion.start;
  Eigen::VectorXd forces;
  run.states.push_back(state);
  for (int k = 0; k < motion.control_steps && !run.failed; ++k) {
    state.time = motion.start.time + k * motion.control_step;  // small steps would round it
    run.failed = !law(state, forces) || !stepper.advance(forces, state, watch);
    if (run.failed) break;
    run.states.push_back(state);
    run.forces.push_back(forces);
  }
  run.step_seconds = stepper.seconds();
  return run;
}

ErrorStatistics local_error(const DrivenMotion& motion, StepOptions options, int substeps,
                            const DrivenRun& truth) {
  Stepper stepper(motion, std::move(options), substeps);
  ErrorStatistics result;
  std::vector<double> errors{0.0};
  for (std::size_t k = 0; k < truth.forces.size(); ++k) {
    State state = truth.states[k];
    const bool good = stepper.advance(truth.forces[k], state, {});
    const MotionSample end = sample_of(truth.states[k + 1]);
    errors.push_back(good ? state_distance(motion.model, state, end) : fastest);
    result.failed += good ? 0 : 1;
  }
  for (const double error : errors) result.mean += error / static_cast<double>(errors.size());
  std::ranges::sort(errors);
  result.largest = errors.back();
  result.median = errors[errors.size() / 2];
  result.step_seconds =
      stepper.seconds() / std::max(1.0, static_cast<double>(truth.forces.size()) * substeps);
  return result;
}

}  // namespace stiction::experiments
