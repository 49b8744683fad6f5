// Solo12 trots forward for three seconds.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "motion_run.hpp"
#include "stiction/control/motions.hpp"

int main(int count, char** arguments) try {
  const LeggedRobot robot = solo12();
  MotionRun run("Solo12: trot", robot, motion_arguments(count, arguments));
  const stiction::State& state = run.simulation.state();
  stiction::TrotOptions options;
  std::copy(robot.feet.begin(), robot.feet.end(), options.feet.begin());
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  stiction::TrotController controller(robot.model, robot.start, options);

  double largest_torque = 0.0;
  double lowest = robot.start.q[2];
  const auto run_until = [&](double time) {
    while (state.time < time) {
      const stiction::InverseDynamicsResult& result = controller.compute(state);
      if (!result.ok()) throw std::runtime_error(result.message);
      largest_torque = std::max(largest_torque, result.torques.cwiseAbs().maxCoeff());
      run.step(result.torques);
      lowest = std::min(lowest, state.q[2]);
    }
  };
  run_until(3.0);
  const double way = state.q[0] - robot.start.q[0];
  std::printf("after 3 s: %.3f m forward, %.1f mm aside, base never below %.3f m\n", way,
              1e3 * state.q[1], lowest);
  run_until(4.5);
  run.finish();
  std::printf("then stands %.3f m from the start, speed %.1e m/s\n", state.q[0] - robot.start.q[0],
              state.v.head<3>().norm());
  std::printf("largest torque %.2f N m\n", largest_torque);
  return way > 0.5 && lowest > 0.2 && state.v.norm() < 0.05 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
