// Sensors of contacts, limits and rays, and frames that are seen from others.

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"

namespace stiction {
namespace {

constexpr double g = 9.81;

/// A scene after a while, and its sensors.
struct Scene {
  explicit Scene(const std::string& text, double duration)
      : simulation(load_model_text(text, "scene.xml").model), sensors(simulation.model()) {
    EXPECT_EQ(simulation.run(duration).status, StepStatus::ok);
    read();
  }
  void read() {
    sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                     simulation.report());
  }
  Simulation simulation;
  SensorArray sensors;
};

TEST(ContactSensors, TellOfTheContactsThatTheyAreAskedFor) {
  Scene scene(R"(<mujoco><option timestep="0.001"/><worldbody>
      <geom name="floor" type="plane" size="0 0 1"/><geom name="wall" pos="9 0 0" size=".1"/>
      <body name="box" pos="0 0 .1"><freejoint/><geom name="lower" type="box" size=".1 .1 .1" mass="2"/>
        <site name="left" type="box" size=".05 .2 .2" pos="-.1 0 0"/>
        <body name="lid" pos="0 0 .15"><geom name="upper" type="box" size=".1 .1 .05" mass="1"/></body>
      </body></worldbody>
    <sensor>
      <contact name="net" geom1="floor" body2="box" reduce="netforce" data="found force torque pos"/>
      <contact name="back" body1="box" geom2="floor" reduce="netforce" data="force"/>
      <contact name="four" subtree1="box" num="5" reduce="maxforce" data="found force dist normal"/>
      <contact name="lid" body1="lid"/> <contact name="wall" geom1="wall" data="found force"/>
      <contact name="half" site="left" num="4" data="found pos"/>
      <touch name="touch" site="left"/>
    </sensor></mujoco>)",
              0.2);
  const auto net = scene.sensors.reading("net");
  ASSERT_EQ(net.size(), 10U);
  EXPECT_EQ(net[0], 4.0);
  EXPECT_NEAR(net[3], 3.0 * g, 1e-6);
  EXPECT_NEAR(net[4], 0.0, 1e-6);
  EXPECT_NEAR(net[7], 0.0, 1e-6);
  EXPECT_NEAR(net[9], 0.0, 1e-6);
  EXPECT_NEAR(scene.sensors.reading("back")[2], -3.0 * g, 1e-6);
  const auto four = scene.sensors.reading("four");
  ASSERT_EQ(four.size(), 40U);
  double sum = 0.0;
  for (std::size_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(four[8 * slot], 4.0);
    sum += four[8 * slot + 1];
    EXPECT_NEAR(four[8 * slot + 7], -1.0, 1e-9);  // from the box down to the floor
    if (slot > 0) {
      EXPECT_LE(four[8 * slot + 1], four[8 * slot - 7] + 1e-9);
    }
  }
  EXPECT_NEAR(sum, 3.0 * g, 1e-6);
  for (std::size_t i = 32; i < 40; ++i) EXPECT_EQ(four[i], 0.0);  // there is no fifth
  EXPECT_EQ(scene.sensors.reading("lid")[0], 0.0);
  EXPECT_EQ(scene.sensors.reading("wall")[3], 0.0);
  const auto half = scene.sensors.reading("half");
  EXPECT_EQ(half[0], 2.0);
  EXPECT_NEAR(half[1], -0.1, 1e-6);
  EXPECT_NEAR(half[5], -0.1, 1e-6);
  EXPECT_GT(scene.sensors.reading("touch")[0], 1.0);
  EXPECT_LT(scene.sensors.reading("touch")[0], 3.0 * g - 1.0);
  const test::AllocationCounter allocations;
  scene.read();
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(LimitSensors, FeelTheStopOfAJoint) {
  Scene scene(R"(<mujoco><option timestep="0.001"/><compiler angle="radian"/><worldbody>
      <body name="arm"><joint name="j" axis="0 1 0" range="-1 0.2" damping="1"/>
        <geom size=".05" pos=".5 0 0" mass="2"/></body>
      <body name="free" pos="0 1 0"><joint name="k" axis="0 1 0" range="-1 0.2"/>
        <geom size=".05" pos="0 0 -.5" mass="2"/></body></worldbody>
    <sensor><jointlimitpos name="pos" joint="j"/><jointlimitvel name="vel" joint="j"/>
      <jointlimitfrc name="force" joint="j"/><jointlimitfrc name="none" joint="k"/>
      <jointlimitpos name="far" joint="k"/></sensor></mujoco>)",
              3.0);
  EXPECT_NEAR(scene.sensors.reading("pos")[0], 0.0, 1e-9);
  EXPECT_NEAR(scene.sensors.reading("vel")[0], 0.0, 1e-9);
  EXPECT_NEAR(scene.sensors.reading("force")[0], 2.0 * g * 0.5 * std::cos(0.2), 1e-6);
  EXPECT_EQ(scene.sensors.reading("none")[0], 0.0);
  EXPECT_EQ(scene.sensors.reading("far")[0], 0.0);
}

/// Rays see what is drawn, also where nothing collides; finite planes end.
TEST(Rangefinders, SeeShapesThatDoNotCollide) {
  Scene scene(R"(<mujoco><option gravity="0 0 0"/><worldbody>
      <geom type="plane" size="1 1 .1"/>
      <geom type="box" size=".1 .1 .1" pos="0 0 .5" contype="0" conaffinity="0"/>
      <geom type="box" size=".1 .1 .1" pos="0 0 .8" contype="0" conaffinity="0" rgba="1 1 1 0"/>
      <body name="b" pos="0 0 2"><freejoint/><geom size=".1"/><site name="down" euler="180 0 0"/>
        <site name="aside" pos=".5 0 0" euler="180 0 0"/><site name="off" pos="3 0 0" euler="180 0 0"/>
      </body></worldbody>
    <sensor><rangefinder name="down" site="down"/><rangefinder name="aside" site="aside"/>
      <rangefinder name="off" site="off"/></sensor></mujoco>)",
              0.01);
  EXPECT_NEAR(scene.sensors.reading("down")[0], 1.4, 1e-9);
  EXPECT_NEAR(scene.sensors.reading("aside")[0], 2.0, 1e-9);
  EXPECT_EQ(scene.sensors.reading("off")[0], -1.0);
}

/// A frame on a turntable that turns along with it stands still, seen from the turntable.
TEST(FrameSensors, AreSeenFromTheirReference) {
  Scene scene(R"(<mujoco><option gravity="0 0 0"/><compiler angle="radian"/><worldbody>
      <body name="table"><joint name="j" axis="0 0 1"/><geom size=".1" mass="1"/>
        <body name="cup" pos="1 0 0"><joint name="k" axis="0 0 1"/><geom size=".1" mass="1"/>
          <site name="s" pos="0 0 .5"/></body></body></worldbody>
    <sensor><framepos name="pos" objtype="site" objname="s" reftype="xbody" refname="table"/>
      <framelinvel name="vel" objtype="site" objname="s" reftype="xbody" refname="table"/>
      <frameangvel name="turn" objtype="site" objname="s" reftype="xbody" refname="table"/>
      <framexaxis name="x" objtype="site" objname="s" reftype="body" refname="table"/>
      <framexaxis name="x_world" objtype="xbody" objname="cup"/></sensor></mujoco>)",
              0.001);
  scene.simulation.state().q << 0.7, 0.2;
  scene.simulation.state().v << 3.0, 0.5;
  (void)scene.simulation.evaluate();
  scene.read();
  const auto near = [&scene](const char* name, const Eigen::Vector3d& expected) {
    const auto reading = scene.sensors.reading(name);
    EXPECT_LT((Eigen::Vector3d(reading[0], reading[1], reading[2]) - expected).norm(), 1e-12)
        << name;
  };
  near("pos", {1.0, 0.0, 0.5});
  near("vel", {0.0, 0.0, 0.0});
  near("turn", {0.0, 0.0, 0.5});
  near("x", {std::cos(0.2), std::sin(0.2), 0.0});
  near("x_world", {std::cos(0.9), std::sin(0.9), 0.0});
}

}  // namespace
}  // namespace stiction
