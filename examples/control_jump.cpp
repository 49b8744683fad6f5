// Solo12 crouches, jumps, lands and stands.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "motion_run.hpp"
#include "stiction/control/motions.hpp"

int main(int count, char** arguments) try {
  const LeggedRobot robot = solo12();
  MotionRun run("Solo12: jump", robot, motion_arguments(count, arguments));
  const stiction::State& state = run.simulation.state();
  stiction::JumpOptions options;
  options.feet = robot.feet;
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  stiction::JumpController controller(robot.model, robot.start, options);

  double flight = 0.0;  // time without any contact [s]
  double highest = 0.0;
  double largest_torque = 0.0;
  while (state.time < 3.0) {
    const stiction::InverseDynamicsResult& result = controller.compute(state);
    if (!result.ok()) throw std::runtime_error(result.message);
    largest_torque = std::max(largest_torque, result.torques.cwiseAbs().maxCoeff());
    const stiction::StepReport& report = run.step(result.torques);
    const bool touches =
        std::any_of(report.contacts.begin(), report.contacts.end(),
                    [](const stiction::StepContact& c) { return c.impulse.z > 0.0; });
    if (!touches) flight += run.simulation.time_step();
    highest = std::max(highest, state.q[2]);
  }
  run.finish();
  std::printf("flew for %.3f s; the base rose to %.3f m\n", flight, highest);
  std::printf("largest torque %.2f N m\n", largest_torque);
  std::printf("stands with its base at %.4f m (start %.4f m), speed %.1e m/s\n", state.q[2],
              robot.start.q[2], state.v.head<3>().norm());
  const bool stands = std::abs(state.q[2] - robot.start.q[2]) < 0.01 && state.v.norm() < 0.01;
  return flight > 0.2 && stands ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
