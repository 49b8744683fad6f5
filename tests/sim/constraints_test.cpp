// Joint limits, joint friction, welds and couplings of joints in the step: what is exact stays
// exact.

#include <cmath>

#include "support/scenes.hpp"

namespace stiction::test {
namespace {

Model read(const std::string& text) { return load_model_text(text, "scene.xml").model; }

StepOptions tight() {
  StepOptions options;
  options.solver_options.tolerance = 1e-11;
  return options;
}

/// A level arm of 1 kg, its mass 1 m from the hinge.
std::string arm(const std::string& joint) {
  return "<mujoco><compiler angle='radian'/><option timestep='.001'/><worldbody><body "
         "name='arm'><joint name='hinge' "
         "axis='0 -1 0' " +
         joint +
         "/><inertial mass='1' pos='1 0 0' diaginertia='1e-6 1e-6 1e-6'/></body></worldbody>"
         "<actuator><motor joint='hinge'/></actuator></mujoco>";
}

TEST(Constraints, FallingArmStopsAtItsLimitAndRestsThere) {
  Simulation simulation(read(arm("limited='true' range='-0.5 0.5'")), tight());
  double lowest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    simulation.step();
    lowest = std::min(lowest, simulation.state().q[0]);
  }
  EXPECT_GT(lowest, -0.5 - 1e-9);
  EXPECT_NEAR(simulation.state().q[0], -0.5, 1e-9);
  EXPECT_LT(std::abs(simulation.state().v[0]), 1e-11);
  ASSERT_EQ(simulation.report().constraints.size(), 1U);
  EXPECT_EQ(simulation.report().constraints[0].kind, BlockKind::limit);
  EXPECT_NEAR(simulation.report().constraints[0].impulse[0], gravity * std::cos(0.5) * 0.001, 1e-9);
}

TEST(Constraints, JointFrictionHoldsAnArmUpToItsTorqueAndNotBeyond) {
  const double weight = gravity;  // [N m], for the arm is 1 m long
  Simulation simulation(read(arm("frictionloss='5'")), tight());
  simulation.control()[0] = weight - 4.9999;
  simulation.run(0.5);
  EXPECT_LT(std::abs(simulation.state().q[0]), 1e-11);
  simulation.control()[0] = weight - 5.001;
  simulation.run(0.1);
  // A thousandth of a newton metre is left over, for 1 kg m² and 0.1 s.
  EXPECT_NEAR(simulation.state().v[0], -1e-3 * 0.1, 1e-8);
}

TEST(Constraints, WeldMakesOneBodyOfTwo) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
    <body name="b" pos=".3 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="5"/></body>
    </worldbody><equality><weld body1="a" body2="b"/></equality></mujoco>)"),
                        tight());
  set_velocity(simulation.model(), simulation.state(), "a", {0, 0, 0}, {0, 1, 2});
  simulation.run(0.5);
  const Eigen::Isometry3d a = pose_of(simulation.model(), simulation.state(), "a");
  const Eigen::Isometry3d b = pose_of(simulation.model(), simulation.state(), "b");
  // What a step turns beyond its tangent, (ω h)²/2 of 0.3 m, is taken back by a fifth each step.
  EXPECT_LT(((a.inverse() * b).translation() - Eigen::Vector3d(0.3, 0, 0)).norm(), 1e-5);
  EXPECT_LT((a.linear() - b.linear()).norm(), 1e-5);
  const Eigen::Vector3d spin_a = angular_velocity(simulation.model(), simulation.state(), "a");
  const Eigen::Vector3d spin_b = angular_velocity(simulation.model(), simulation.state(), "b");
  EXPECT_GT(spin_a.norm(), 0.01);
  EXPECT_LT((spin_a - spin_b).norm(), 1e-4);
}

TEST(Constraints, GearKeepsTwoJointsAtTheirRatio) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="a"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
    <body name="b" pos="0 1 0"><joint name="b" axis="0 1 0"/><geom size=".1"/></body></worldbody>
    <equality><joint joint1="a" joint2="b" polycoef="0 -3 0 0 0"/></equality></mujoco>)"),
                        tight());
  simulation.run(0.2);
  EXPECT_GT(std::abs(simulation.state().q[0]), 0.01);
  EXPECT_NEAR(simulation.state().q[0], -3.0 * simulation.state().q[1], 1e-10);
  EXPECT_NEAR(simulation.state().v[0], -3.0 * simulation.state().v[1], 1e-10);
}

TEST(Constraints, JointCoupledToNothingStaysWhereItIs) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="a"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
    <equality><joint joint1="a"/></equality></mujoco>)"),
                        tight());
  simulation.run(0.2);
  EXPECT_LT(std::abs(simulation.state().q[0]), 1e-12);
}

TEST(Constraints, HangingBodyStaysAtItsPoint) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="bob" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody>
    <equality><connect body1="bob" anchor="-1 0 0"/></equality></mujoco>)"),
                        tight());
  double farthest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    simulation.step();
    const Eigen::Isometry3d pose = pose_of(simulation.model(), simulation.state(), "bob");
    farthest = std::max(farthest, (pose * Eigen::Vector3d(-1, 0, 0)).norm());
  }
  // (ω h)²/2 of 1 m in each step at 4.4 rad/s, of which a fifth is taken back: 5e-5.
  EXPECT_LT(farthest, 1e-4);
}

}  // namespace
}  // namespace stiction::test
