// Solo12 stands by PD and gravity compensation: weak springs are enough, because the feed-forward
// torques carry the weight.

#include <cstdio>
#include <exception>

#include "legged_robots.hpp"
#include "stiction/control/joint_control.hpp"

int main() try {
  const LeggedRobot robot = solo12();
  stiction::GravityCompensationController gravity(robot.model,
                                                  {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"});
  const auto sag_of = [&](bool with_compensation) {
    stiction::Simulation simulation(robot.model);
    simulation.set_state(robot.start);
    stiction::PdController pd(robot.model, 4.0, 0.1);  // [N m/rad], [N m s/rad]
    pd.q = robot.start.q;
    while (simulation.state().time < 3.0) {
      if (with_compensation) pd.feed_forward = gravity.torques(simulation.state());
      simulation.joint_forces() = pd.torques(simulation.state());
      if (!simulation.step().ok()) throw std::runtime_error(simulation.report().message);
    }
    return robot.start.q[2] - simulation.state().q[2];
  };
  const double without = sag_of(false);
  const double with = sag_of(true);
  std::printf("after 3 s, the base sags by %.2f mm with PD alone, by %.4f mm with compensation\n",
              1e3 * without, 1e3 * with);
  return without > 0.002 && std::abs(with) < 1e-4 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
