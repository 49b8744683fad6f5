// Torque limits hold, however stiff the servo.

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "stiction/core/random.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double effort = 10.0;  // [N·m]

/// Two links on a pedestal; the wall stands within their reach. Without gravity.
Model arm_at_wall() {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(0.3);
  scene.add_fixed(scene.box({0.05, 1.0, 1.0}, at(0.6, 0, 0)));
  ModelBuilder& builder = scene.builder();
  int parent = world_body;
  for (int k = 0; k < 2; ++k) {
    LinkSpec link;
    link.name = "link" + std::to_string(k);
    link.mass = 0.5;
    link.center_of_mass = {0, 0, 0.2};
    link.inertia = Eigen::Vector3d(7e-3, 7e-3, 1e-4).asDiagonal();
    if (k == 1) link.shapes = {scene.sphere(0.05, at(0, 0, 0.4))};
    JointSpec joint;
    joint.name = "joint" + std::to_string(k);
    joint.parent = parent;
    joint.child = parent = builder.add_link(std::move(link));
    joint.pose_in_parent = at(0, 0, k == 0 ? 0.0 : 0.4);
    joint.axis = Eigen::Vector3d::UnitY();
    joint.limits.effort = effort;
    builder.add_joint(joint);
  }
  return scene.build();
}

void expect_within_effort(Simulation& simulation) {
  for (const double torque : simulation.actuator_forces()) {
    ASSERT_LE(std::abs(torque), effort) << "at " << simulation.state().time << " s";
  }
}

class ServoLimit : public testing::TestWithParam<double> {};

TEST_P(ServoLimit, HoldsAgainstAWall) {
  const double stiffness = GetParam();
  Simulation simulation(arm_at_wall(), StepOptions{.time_step = 0.001});
  simulation.servos() = {{.velocity_index = 0,
                          .position_target = 2.0,
                          .stiffness = stiffness,
                          .damping = 0.02 * stiffness},
                         {.velocity_index = 1,
                          .position_target = 0.0,
                          .stiffness = stiffness,
                          .damping = 0.02 * stiffness}};
  double force = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    expect_within_effort(simulation);
    force = report.contacts.empty() ? 0.0 : report.contacts.front().impulse.z / 0.001;
  }
  // It leans on the wall with all it has, and rests.
  EXPECT_LT(simulation.state().v.norm(), 1e-9);
  EXPECT_NEAR(std::abs(simulation.actuator_forces()[0]), effort, 1e-9);
  EXPECT_GT(force, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Gains, ServoLimit, testing::Values(1e2, 1e4, 1e6, 1e8));

TEST(ServoLimit, HoldsWhileTargetsJump) {
  Simulation simulation(arm_at_wall(), StepOptions{.time_step = 0.001});
  Random random(5);
  for (int k = 0; k < 5000; ++k) {
    if (k % 20 == 0) {
      simulation.servos().clear();
      for (int j = 0; j < 2; ++j) {
        simulation.servos().push_back({.velocity_index = j,
                                       .position_target = random.normal(),
                                       .stiffness = std::pow(10.0, random.uniform(1.0, 7.0)),
                                       .damping = std::pow(10.0, random.uniform(-1.0, 3.0)),
                                       .feed_forward = 5.0 * random.normal()});
      }
    }
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message << " in step " << k << " of seed 5";
    expect_within_effort(simulation);
  }
}

/// At the limit the joint turns with torque over inertia, not slower: saturation leaves no implicit
/// damping behind.
TEST(ServoLimit, SaturatedServoIsAConstantTorque) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  LinkSpec link;
  link.name = "rotor";
  link.mass = 1.0;
  link.inertia = Eigen::Vector3d(0.1, 0.2, 0.1).asDiagonal();
  JointSpec joint;
  joint.name = "axle";
  joint.kind = JointKind::continuous;
  joint.child = scene.builder().add_link(std::move(link));
  joint.axis = Eigen::Vector3d::UnitY();
  joint.limits.effort = effort;
  scene.builder().add_joint(joint);
  Simulation simulation(scene.build(), StepOptions{.time_step = 0.001});
  simulation.servos() = {{.velocity_index = 0, .position_target = 1e3, .stiffness = 1e6}};
  simulation.run(0.1);
  EXPECT_NEAR(simulation.state().v[0], effort / 0.2 * 0.1, 1e-12);
}

}  // namespace
}  // namespace stiction
