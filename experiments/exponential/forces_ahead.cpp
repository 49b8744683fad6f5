#include "experiments/exponential/forces_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/exponential/own_motions.hpp"
#include "stiction/sim/force_prediction.hpp"

namespace stiction::experiments {

namespace {

constexpr double horizon = 0.020;   // [s]
constexpr double step_size = 1e-5;  // [s]
constexpr double touching = 1e-9;   // overlap of the feet at touch-down [m]

/// The robot at rest with its feet on the floor.
State touch_down(const Model& model, const State& start) {
  StepOptions options;
  options.margin = 0.1;
  Simulation simulation(model, options);
  simulation.set_state(start);
  double gap = HUGE_VAL;
  for (const StepContact& contact : simulation.evaluate().contacts) {
    gap = std::min(gap, contact.gap);
  }
  if (!(gap < options.margin)) throw std::runtime_error("Solo12 starts far above the floor");
  State state = start;
  state.q[2] -= gap + touching;
  state.v.setZero();
  return state;
}

ForcesAhead predict(const DrivenMotion& stand, const Eigen::VectorXd& torques, double speed) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.time_step = step_size;
  Simulation simulation(stand.model, options);
  simulation.set_state(touch_down(stand.model, stand.start));
  simulation.state().v[2] = -speed;
  simulation.joint_forces() = torques;

  ForcesAhead result;
  result.speed = speed;
  for (int k = 0; k < std::lround(horizon / step_size); ++k) {
    result.time.push_back((k + 0.5) * step_size);
  }
  const ForcePrediction ahead = predict_forces(simulation, {.times = result.time});
  if (!ahead.ok() || ahead.contacts.size() != 4) {
    throw std::runtime_error("the feet of Solo12 do not all touch: " + ahead.message);
  }
  for (std::size_t k = 0; k < result.time.size(); ++k) {
    const StepReport& report = simulation.step();
    for (const PredictedContact& foot : ahead.contacts) {
      const auto same = std::ranges::find(report.contacts, foot.shape_b, &StepContact::shape_b);
      const double force =
          same == report.contacts.end() ? 0.0 : same->impulse.z / options.time_step;
      result.largest_force = std::max(result.largest_force, force);
      result.largest_difference =
          std::max(result.largest_difference, std::abs(force - foot.forces[k].z));
      if (&foot != &ahead.contacts.front()) continue;
      result.predicted.push_back(foot.forces[k].z);
      result.simulated.push_back(force);
    }
  }
  return result;
}

}  // namespace

std::vector<ForcesAhead> predict_touch_downs() {
  const DrivenMotion stand = own_motion("squat");
  Eigen::VectorXd torques;
  if (!stand.make_law()(stand.start, torques)) {
    throw std::runtime_error("Solo12 finds no torques to stand");
  }
  return {predict(stand, torques, 0.1), predict(stand, torques, 0.0)};
}

}  // namespace stiction::experiments
