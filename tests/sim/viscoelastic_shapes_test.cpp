// Springs between all kinds of shapes, and together with everything else that a step may hold.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/scenes.hpp"
#include "support/spring_options.hpp"

namespace stiction::test {
namespace {

/// Shapes that reach 0.1 m up and down from their centre.
std::vector<std::pair<const char*, Shape>> shapes(const SceneBuilder& scene) {
  Shape ellipsoid = scene.sphere(0.1);
  ellipsoid.kind = ShapeKind::ellipsoid;
  ellipsoid.size = Eigen::Vector3d(0.12, 0.11, 0.1);
  return {{"sphere", scene.sphere(0.1)},
          {"box", scene.box({0.08, 0.09, 0.1})},
          {"capsule", scene.capsule(0.05, 0.05)},
          {"cylinder", scene.cylinder(0.07, 0.1)},
          {"ellipsoid", ellipsoid}};
}

/// The upper one rests on the lower one, whose top is at 0.1 m: its weight is what the springs
/// bear.
void expect_weight(Simulation& simulation, double time_step) {
  simulation.run(0.3);
  double force = 0.0;
  for (const StepContact& contact : simulation.report().contacts) {
    EXPECT_GE(contact.impulse.z, 0.0);
    force += contact.impulse.z / time_step * contact.axes.c2.z;
  }
  EXPECT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
  EXPECT_NEAR(std::abs(force), gravity, 1e-3 * gravity);
  EXPECT_NEAR(simulation.state().q[2], 0.2 - gravity / 1e5, 2e-4);
}

TEST(ViscoelasticShapes, EveryPairBearsTheWeight) {
  const BodyInertia inertia{1.0, Eigen::Vector3d::Zero(), 0.01 * Eigen::Matrix3d::Identity()};
  for (const double h : {1e-3, 1e-2}) {
    const SceneBuilder kinds;
    for (const auto& [upper_name, upper] : shapes(kinds)) {
      SCOPED_TRACE(testing::Message() << upper_name << ", h " << h);
      {
        SCOPED_TRACE("on a plane");
        SceneBuilder scene;
        scene.add_plane("floor", at(0, 0, 0.1));
        scene.add_body("upper", inertia, {upper}, at(0, 0, 0.2 + 1e-5));
        Simulation simulation(scene.build(), springs(h));
        expect_weight(simulation, h);
      }
      for (auto [lower_name, lower] : shapes(kinds)) {
        SCOPED_TRACE(testing::Message() << "on a " << lower_name);
        SceneBuilder scene;
        lower.name = "lower";
        scene.add_fixed(lower);
        scene.add_body("upper", inertia, {upper}, at(0, 0, 0.2 + 1e-5));
        Simulation simulation(scene.build(), springs(h));
        expect_weight(simulation, h);
      }
    }
  }
}

/// A leg whose knee is at its limit is driven onto a box that lies free on the floor, with another
/// box welded to it. The foot does not rub: else the place where it sticks would decide
/// what the limit bears.
Model driven_leg() {
  return load_model_text(R"(
<mujoco>
  <compiler angle="radian"/>
  <default><geom friction="0 0 0"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="1 0 0"/>
    <body name="thigh" pos="0 0 0.441">
      <joint name="lift" type="slide" axis="0 0 1" damping="20" frictionloss="0.5"/>
      <geom type="capsule" size="0.03 0.1" mass="1"/>
      <body name="shank" pos="0 0 -0.1">
        <joint name="knee" axis="0 1 0" limited="true" range="-1 0" damping="0.05"
               stiffness="5" springref="0.5"/>
        <geom name="foot" type="sphere" size="0.04" pos="-0.06 0 -0.2" mass="0.3"/>
      </body>
    </body>
    <body name="box" pos="0 0 0.05"><freejoint/>
      <geom type="box" size="0.1 0.1 0.05" mass="2"/></body>
    <body name="other" pos="0.25 0 0.05"><freejoint/>
      <geom type="box" size="0.1 0.1 0.05" mass="1"/></body>
  </worldbody>
  <equality><weld body1="box" body2="other"/></equality>
  <actuator><position joint="lift" kp="400"/></actuator>
</mujoco>)",
                         "leg.xml")
      .model;
}

TEST(ViscoelasticShapes, LimitsLocksJointFrictionDrivesAndSpringsBetweenBodiesActInOneStep) {
  for (const double h : {1e-3, 5e-3}) {
    SCOPED_TRACE(h);
    Simulation simulation(driven_leg(), springs(h));
    simulation.control()[0] = -0.15;
    simulation.run(3.0);
    const StepReport& report = simulation.report();
    EXPECT_EQ(report.status, StepStatus::ok) << report.message;
    const auto holds = [&](BlockKind kind) {
      return std::ranges::any_of(report.constraints,
                                 [&](const auto& row) { return row.kind == kind; });
    };
    EXPECT_TRUE(holds(BlockKind::limit));
    EXPECT_TRUE(holds(BlockKind::joint_friction));
    EXPECT_TRUE(holds(BlockKind::lock));
    double foot = 0.0;
    for (const StepContact& contact : report.contacts) {
      if (contact.body_a >= 0 && contact.body_b >= 0) foot += contact.impulse.z / h;
    }
    // The drive and the weight of the leg, but for the friction of the joint and its damping.
    const Eigen::VectorXd& q = simulation.state().q;
    EXPECT_NEAR(foot, 400.0 * (q[0] + 0.15) + 1.3 * gravity, 0.75);
    EXPECT_NEAR(q[1], 0.0, 1e-9) << "at its limit";
    const Eigen::Vector3d between = q.segment<3>(9) - q.segment<3>(2);
    EXPECT_NEAR(between.norm(), 0.25, 1e-6) << "welded";
  }
}

}  // namespace
}  // namespace stiction::test
