// Bodies that overlap obstacles on two sides: both overlaps cannot be pushed out. They stay, and
// every step is certified.

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A shape of 0.2 m in a slot that is narrower by `overlap`, with a floor under it.
Simulation in_a_slot(const std::string& shape, double overlap) {
  const double wall = 0.2 - 0.5 * overlap;  // centre of walls that are 0.2 m thick
  const std::string text =
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 .1'/>"
      "<geom type='box' size='.1 .5 .5' pos='" +
      std::to_string(wall) + " 0 .5'/><geom type='box' size='.1 .5 .5' pos='-" +
      std::to_string(wall) + " 0 .5'/><body pos='0 0 .1'><freejoint/><geom " + shape +
      " mass='1'/></body></worldbody></mujoco>";
  return Simulation(load_model_text(text, "slot.xml").model);
}

class Wedged : public ::testing::TestWithParam<const char*> {};

TEST_P(Wedged, StaysWhereItIs) {
  for (const double overlap : {1e-6, 1e-4, 2e-3, 1e-2, 5e-2}) {
    SCOPED_TRACE(overlap);
    Simulation simulation = in_a_slot(GetParam(), overlap);
    const Eigen::Vector3d start = simulation.state().q.head<3>();
    for (int k = 0; k < 1000; ++k) {
      ASSERT_EQ(simulation.step().status, StepStatus::ok) << "step " << k;
    }
    EXPECT_EQ(simulation.counts().energy_gain, 0.0);
    EXPECT_LT((simulation.state().q.head<3>() - start).norm(), 0.1 * overlap + 1e-9);
    EXPECT_LT(simulation.state().v.norm(), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Wedged,
                         testing::Values("type='box' size='.1 .1 .1'", "type='sphere' size='.1'",
                                         "type='capsule' size='.1 .1' euler='90 0 0'"));

/// Nothing can keep a box out of a wall and out of a piston that moves as it was told: said in
/// every such step, and nothing flies away.
TEST(Squeezed, AWallAndAPistonAreReported) {
  Simulation simulation(load_model_text(R"(<mujoco><option timestep="0.002"/><custom>
    <numeric name="stiction:velocity:piston" data="0.2 0 0 0 0 0"/></custom><worldbody>
    <geom type="plane" size="2 2 1"/><geom type="box" pos=".32 0 .5" size=".1 .5 .5"/>
    <body name="box" pos=".1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
    <body name="piston" mocap="true" pos="-.11 0 .1"><geom type="box" size=".1 .08 .08"/></body>
    </worldbody><keyframe><key name="home"/></keyframe></mujoco>)",
                                        "piston.xml")
                            .model);
  simulation.reset_to_keyframe("home");
  // The piston reaches the box after 0.05 s, and the box the wall after 0.15 s.
  for (int k = 0; k < 70; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok) << k;
  simulation.run(0.02);
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(simulation.step().status, StepStatus::not_certified) << k;
  }
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1.0);
}

/// A finger of two links, deep in the floor, whose joints are coupled.
TEST(WedgedWithLocks, ACoupledFingerInTheFloorIsCertifiedAndStays) {
  Simulation simulation(load_model_text(R"(<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
    <body pos="0 0 -.03"><joint name="near" axis="0 1 0" limited="true" range="0 90" damping=".02"
    armature=".002" frictionloss=".02"/><geom type="box" size=".02 .006 .006" pos=".03 0 0"/>
    <body pos=".05 0 0"><joint name="far" axis="0 1 0" limited="true" range="0 90" damping=".02"
    armature=".002" frictionloss=".02"/><geom type="box" size=".015 .006 .006" pos=".02 0 0"/>
    </body></body></worldbody><equality><joint joint1="near" joint2="far"/></equality></mujoco>)",
                                        "finger.xml")
                            .model);
  for (int k = 0; k < 200; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok) << "step " << k;
  EXPECT_EQ(simulation.counts().energy_gain, 0.0);
  EXPECT_LT(simulation.state().v.norm(), 1e-6);
}

/// The coupling of two other bodies changes nothing.
TEST(WedgedWithLocks, LocksElsewhereDoNotMatter) {
  const std::string scene = R"(<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
    <geom type="box" size=".05 .1 .1" pos="-.1 0 .1"/><geom type="box" size=".05 .1 .1" pos=".1 0 .1"/>
    <body pos="0 0 .06"><freejoint/><geom type="box" size=".055 .03 .05" mass="1"/></body>
    <body pos="1 0 1"><joint name="a" axis="0 1 0"/><geom size=".02" pos=".1 0 0"/></body>
    <body pos="1 1 1"><joint name="b" axis="0 1 0"/><geom size=".02" pos=".1 0 0"/></body>
    </worldbody><equality>)";
  Simulation with(
      load_model_text(scene + "<joint joint1='a' joint2='b'/></equality></mujoco>", "w.xml").model);
  Simulation without(load_model_text(scene + "</equality></mujoco>", "w.xml").model);
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(with.step().status, StepStatus::ok) << "step " << k;
    ASSERT_EQ(without.step().status, StepStatus::ok) << "step " << k;
  }
  EXPECT_EQ(with.state().q.head<7>(), without.state().q.head<7>());
}

/// Up to 32 contacts: too many to be asked whether they contradict.
TEST(WedgedWithLocks, ATableUnderAPlateIsCertified) {
  Simulation simulation(load_model_text(R"(<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
    <geom type="box" size=".3 .3 .05" pos="0 0 .245"/><body pos="0 0 .1"><freejoint/>
    <geom type="box" size=".02 .02 .1" pos=".1 .1 0"/><geom type="box" size=".02 .02 .1" pos="-.1 .1 0"/>
    <geom type="box" size=".02 .02 .1" pos=".1 -.1 0"/><geom type="box" size=".02 .02 .1" pos="-.1 -.1 0"/>
    </body></worldbody></mujoco>)",
                                        "plate.xml")
                            .model);
  for (int k = 0; k < 50; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok) << "step " << k;
  EXPECT_LT(simulation.state().v.norm(), 1e-6);
}

/// A ball that turns about its own centre overlaps a box: no turn parts them, and none is made up
/// from rounding errors.
TEST(WedgedWithLocks, ABallThatCannotLeaveDoesNotTurn) {
  Simulation simulation(load_model_text(R"(<mujoco><worldbody><geom type="box" size="1 1 1"/>
    <body pos="1.2 1.2 0"><joint/><geom type="sphere" size="1"/></body></worldbody></mujoco>)",
                                        "ball.xml")
                            .model);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok) << "step " << k;
  EXPECT_NEAR(simulation.state().q[0], 0.0, 1e-9);
}

}  // namespace
}  // namespace stiction
