// Romeo squats: inverse dynamics moves its centre of mass 4 cm up and down above its feet.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "motion_run.hpp"
#include "stiction/control/motions.hpp"

int main(int count, char** arguments) try {
  const LeggedRobot robot = romeo();
  MotionRun run("Romeo: squat", robot, motion_arguments(count, arguments));
  const stiction::State& state = run.simulation.state();
  stiction::SquatOptions options;
  options.feet = robot.feet;
  options.trunk = "torso";
  options.amplitude = 0.05;
  options.inverse_dynamics = robot.options;
  stiction::SquatController controller(robot.model, robot.start, options);

  const double middle = controller.reference(0.0).position.z();
  double lowest = middle;
  double highest = middle;
  double aside = 0.0;
  while (state.time < 6.3) {
    const stiction::InverseDynamicsResult& result = controller.compute(state);
    if (!result.ok()) throw std::runtime_error(result.message);
    const Eigen::Vector3d center = controller.inverse_dynamics().center_of_mass_position();
    lowest = std::min(lowest, center.z());
    highest = std::max(highest, center.z());
    aside = std::max(aside, (center - controller.reference(0.0).position).head<2>().norm());
    run.step(result.torques);
  }
  run.finish();
  std::printf("the centre of mass moved from %+.1f to %+.1f mm about %.3f m, and %.1f mm aside\n",
              1e3 * (lowest - middle), 1e3 * (highest - middle), middle, 1e3 * aside);
  const double amplitude = 0.5 * (highest - lowest);
  return amplitude > 0.04 && amplitude < 0.06 && aside < 0.02 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
