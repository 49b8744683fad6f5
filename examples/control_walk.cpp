// Romeo walks: a plan from footsteps, followed by inverse dynamics.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "legged_robots.hpp"
#include "stiction/control/motions.hpp"

int main() try {
  const LeggedRobot robot = romeo();
  stiction::Simulation simulation(robot.model);
  simulation.set_state(robot.start);
  stiction::WalkingOptions options;
  options.feet = {robot.feet[0], robot.feet[1]};
  options.trunk = "torso";
  options.inverse_dynamics = robot.options;
  stiction::WalkingController controller(robot.model, robot.start, options);
  std::printf("plan: %zu steps in %.1f s\n", controller.plan().steps().size(),
              controller.plan().duration());

  double worst = 0.0;
  while (simulation.state().time < controller.plan().duration() + 1.0) {
    const stiction::InverseDynamicsResult& result = controller.compute(simulation.state());
    if (!result.ok()) throw std::runtime_error(result.message);
    const Eigen::Vector3d& wished = controller.inverse_dynamics().center_of_mass().position;
    worst =
        std::max(worst, (controller.inverse_dynamics().center_of_mass_position() - wished).norm());
    simulation.joint_forces() = result.torques;
    if (!simulation.step().ok()) throw std::runtime_error(simulation.report().message);
  }
  const stiction::State& end = simulation.state();
  std::printf("centre of mass at most %.1f mm from the plan\n", 1e3 * worst);
  std::printf("%.3f m forward, base %.3f m high (start %.3f m), speed %.1e m/s\n",
              end.q[0] - robot.start.q[0], end.q[2], robot.start.q[2], end.v.head<3>().norm());
  const bool stands = std::abs(end.q[2] - robot.start.q[2]) < 0.02 && end.v.norm() < 0.05;
  return stands && end.q[0] - robot.start.q[0] > 0.5 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
