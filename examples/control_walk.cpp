// Romeo walks: a plan from footsteps, followed by inverse dynamics.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "motion_run.hpp"
#include "stiction/control/motions.hpp"

int main(int count, char** arguments) try {
  const LeggedRobot robot = romeo();
  MotionRun run("Romeo: walk", robot, motion_arguments(count, arguments));
  const stiction::State& state = run.simulation.state();
  stiction::WalkingOptions options;
  options.feet = {robot.feet[0], robot.feet[1]};
  options.trunk = "torso";
  options.inverse_dynamics = robot.options;
  stiction::WalkingController controller(robot.model, robot.start, options);
  std::printf("plan: %zu steps in %.1f s\n", controller.plan().steps().size(),
              controller.plan().duration());

  double worst = 0.0;
  while (state.time < controller.plan().duration() + 1.0) {
    const stiction::InverseDynamicsResult& result = controller.compute(state);
    if (!result.ok()) throw std::runtime_error(result.message);
    const Eigen::Vector3d& wished = controller.inverse_dynamics().center_of_mass().position;
    worst =
        std::max(worst, (controller.inverse_dynamics().center_of_mass_position() - wished).norm());
    run.step(result.torques);
  }
  run.finish();
  std::printf("centre of mass at most %.1f mm from the plan\n", 1e3 * worst);
  std::printf("%.3f m forward, base %.3f m high (start %.3f m), speed %.1e m/s\n",
              state.q[0] - robot.start.q[0], state.q[2], robot.start.q[2],
              state.v.head<3>().norm());
  const bool stands = std::abs(state.q[2] - robot.start.q[2]) < 0.02 && state.v.norm() < 0.05;
  return stands && state.q[0] - robot.start.q[0] > 0.5 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
