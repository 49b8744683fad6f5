// Robots in free flight: a fall changes nothing among their links, and nothing passes through.

#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double fall = 100.0;  // [m/s]: 200 mm in a step, the gaps among links are 10 mm

/// Two thin plates above each other, 10 mm apart, the upper one on a slide along z; more bodies
/// beside. Everything moves down at the start, if `falls`.
Simulation plates(const std::string& others, bool falls, double slide_speed,
                  const std::string& outside = "", const std::string& ties = "") {
  const std::string file =
      "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody>" + outside +
      "<body name='root' pos='0 0 5'><freejoint/>"
      "<geom name='a' type='box' size='0.5 0.5 0.001' mass='1'/>" +
      others +
      "<body name='upper' pos='0 0 0.012'><joint name='slide' type='slide' axis='0 0 1'/>"
      "<geom name='b' type='box' size='0.5 0.5 0.001' mass='1'/></body></body></worldbody>"
      "<contact><pair geom1='a' geom2='b'/></contact>" +
      ties + "</mujoco>";
  Simulation simulation(load_model_text(file, "plates.xml").model);
  State& state = simulation.state();
  if (falls) state.v[2] = -fall;
  state.v[state.v.size() - 1] = slide_speed;
  return simulation;
}

const char* const four_feet =
    "<body pos='0.3 0.3 -0.02'><joint type='hinge' axis='1 0 0' damping='0.1'/><geom size='0.01' "
    "mass='0.1'/></body>"
    "<body pos='-0.3 0.3 -0.02'><joint type='hinge' axis='1 0 0' damping='0.1'/><geom size='0.01' "
    "mass='0.1'/></body>"
    "<body pos='0.3 -0.3 -0.02'><joint type='hinge' axis='1 0 0' damping='0.1'/><geom size='0.01' "
    "mass='0.1'/></body>";

TEST(FreeFlight, LinksOfAFallingRobotAreNoNearerThanThoseOfOneAtRest) {
  for (const bool falls : {false, true}) {
    Simulation simulation = plates(four_feet, falls, 0.0);
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_TRUE(report.contacts.empty()) << falls;
    }
  }
}

TEST(FreeFlight, ImpactsAmongLinksAreThoseOfARobotAtRest) {
  // The upper plate comes down by 100 mm in a step.
  Simulation rest = plates("", false, -50.0);
  Simulation falling = plates("", true, -50.0);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(rest.step().ok());
    ASSERT_TRUE(falling.step().ok());
    ASSERT_EQ(falling.report().contacts.size(), rest.report().contacts.size()) << k;
    const auto joint = rest.state().q.size() - 1;
    EXPECT_GT(rest.state().q[joint], -0.0101);
    EXPECT_NEAR(falling.state().q[joint], rest.state().q[joint], 1e-9);
    const auto speed = rest.state().v.size() - 1;
    EXPECT_NEAR(falling.state().v[speed], rest.state().v[speed], 1e-7);
  }
  EXPECT_NEAR(rest.state().q[rest.state().q.size() - 1], -0.01, 1e-6);
}

TEST(FreeFlight, NoLinkPassesThroughAnotherThatTheFloorStops) {
  // In one and the same step the floor stops the lower plate, and the lower plate the upper one.
  for (const double height : {-0.2, 0.0, 0.11, 0.2}) {
    Simulation simulation =
        plates("", true, 0.0,
               "<geom type='plane' size='0 0 1' pos='0 0 " + std::to_string(height) + "'/>");
    for (int k = 0; k < 60; ++k) {
      ASSERT_TRUE(simulation.step().ok());
      ASSERT_GT(simulation.state().q[7], -0.0101) << height;
    }
    EXPECT_GT(simulation.state().q[2], height);
  }
}

TEST(FreeFlight, NoLinkPassesThroughAnotherThatAFlyingBodyStops) {
  for (const double height : {4.0, 4.1, 4.2}) {
    Simulation simulation = plates("", true, 0.0,
                                   "<body pos='0 0 " + std::to_string(height) +
                                       "'><freejoint/><geom type='box' size='0.6 0.6 0.01' "
                                       "mass='1000'/></body>");
    State& state = simulation.state();
    state.v.setZero();
    state.v[8] = -fall;
    for (int k = 0; k < 60; ++k) {
      ASSERT_TRUE(simulation.step().ok());
      ASSERT_GT(simulation.state().q[14], -0.0101) << height;
      ASSERT_GT(simulation.state().q[9], simulation.state().q[2]) << height;
    }
  }
}

TEST(FreeFlight, NoLinkPassesThroughAnotherThatAWeldStops) {
  // What holds the robot comes from outside, though no shape is near.
  Simulation held = plates("", true, 0.0, "", "<equality><weld body1='root'/></equality>");
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(held.step().ok());
    ASSERT_GT(held.state().q[7], -0.0101);
  }
}

}  // namespace
}  // namespace stiction
