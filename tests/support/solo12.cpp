#include "support/solo12.hpp"

#include "examples/legged_robots.hpp"

namespace stiction::test {

namespace {

constexpr double stiffness = 10.0;  // [N·m/rad]
constexpr double damping = 0.3;     // [N·m·s/rad]

std::vector<JointServo> servos_of(const Model& model, const State& pose) {
  std::vector<JointServo> servos;
  for (const Joint& joint : model.joints()) {
    if (joint.kind == JointKind::floating) continue;
    servos.push_back({.velocity_index = joint.velocity_index,
                      .position_target = pose.q[joint.position_index],
                      .stiffness = stiffness,
                      .damping = damping});
  }
  return servos;
}

}  // namespace

Solo12 standing_solo12() {
  const LeggedRobot robot = solo12();
  Solo12 result{robot.model, servos_of(robot.model, robot.start), robot.start, {}};
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.time_step = 1e-3;
  Simulation simulation(robot.model, options);
  simulation.set_state(robot.start);
  simulation.servos() = result.servos;
  simulation.run(5.0);
  result.torques = simulation.actuator_forces();
  result.touching.q[2] -= 1e-9;
  return result;
}

}  // namespace stiction::test
