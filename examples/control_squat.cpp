// Solo12 squats: inverse dynamics moves its centre of mass 3 cm up and down.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "motion_run.hpp"
#include "stiction/control/motions.hpp"

int main(int count, char** arguments) try {
  const LeggedRobot robot = solo12();
  MotionRun run("Solo12: squat", robot, motion_arguments(count, arguments));
  const stiction::State& state = run.simulation.state();
  stiction::SquatOptions options;
  options.feet = robot.feet;
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  stiction::SquatController controller(robot.model, robot.start, options);

  const double middle = controller.reference(0.0).position.z();
  double lowest = middle;
  double highest = middle;
  double largest_torque = 0.0;
  while (state.time < 6.3) {
    const stiction::InverseDynamicsResult& result = controller.compute(state);
    if (!result.ok()) throw std::runtime_error(result.message);
    const double height = controller.inverse_dynamics().center_of_mass_position().z();
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
    largest_torque = std::max(largest_torque, result.torques.cwiseAbs().maxCoeff());
    run.step(result.torques);
  }
  run.finish();
  std::printf("the centre of mass moved from %+.2f to %+.2f mm about %.4f m\n",
              1e3 * (lowest - middle), 1e3 * (highest - middle), middle);
  std::printf("largest torque %.2f N m\n", largest_torque);
  const double amplitude = 0.5 * (highest - lowest);
  return amplitude > 0.027 && amplitude < 0.033 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
