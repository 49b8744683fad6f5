// Solo12 touches down at 0.1 m/s. The forces of its feet are predicted 20 ms ahead from the moment
// of touch-down, and then simulated.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "legged_robots.hpp"
#include "stiction/sim/force_prediction.hpp"

int main() try {
  const LeggedRobot robot = solo12();
  stiction::StepOptions options;
  options.contact = stiction::ContactFamily::viscoelastic;
  options.time_step = 1e-5;
  stiction::Simulation simulation(robot.model, options);
  simulation.set_state(robot.start);
  simulation.state().q[2] -= 1e-9;  // the feet touch the floor
  simulation.state().v[2] = -0.1;

  std::vector<double> times;
  for (int k = 0; k <= 20; ++k) times.push_back(1e-3 * k);
  const stiction::ForcePrediction ahead = stiction::predict_forces(simulation, {.times = times});
  if (!ahead.ok()) throw std::runtime_error(ahead.message);

  std::printf("normal force of the first foot\n   ms  predicted  simulated\n");
  const stiction::PredictedContact& foot = ahead.contacts.front();
  double largest = 0.0;
  double error = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double predicted = foot.forces[k].z;
    const stiction::StepReport& report = simulation.step();
    const auto same =
        std::ranges::find(report.contacts, foot.shape_b, &stiction::StepContact::shape_b);
    const double impulse = same == report.contacts.end() ? 0.0 : same->impulse.z;
    const double simulated = impulse / options.time_step;
    std::printf("%5.1f %8.2f N %8.2f N\n", 1e3 * times[k], predicted, simulated);
    largest = std::max(largest, simulated);
    error = std::max(error, std::abs(predicted - simulated));
    simulation.run(1e-3 - options.time_step);
  }
  std::printf("largest difference %.1f %% of the largest force\n", 100.0 * error / largest);
  return error < 0.1 * largest ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
