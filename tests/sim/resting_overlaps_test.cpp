// Robots that come to rest on overlaps: wedged between two obstacles, or lying on their legs, whose
// friction holds what the normals alone would let go. A state at rest is solved at once, and its
// loads stay.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

Simulation simulation_of(const std::string& mjcf) {
  return Simulation(load_model_text(mjcf, "scene.xml").model);
}

/// Runs, expects that every step is certified, and returns the mean number of iterations.
double run_certified(Simulation& simulation, int steps) {
  double iterations = 0.0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(simulation.step().status, StepStatus::ok) << "step " << k;
    iterations += simulation.report().iterations;
  }
  return iterations / steps;
}

/// A trunk of 2 kg with two hinged boxes between a floor and a ceiling that is 2 mm too low.
TEST(RestingOverlaps, AWedgedRobotKeepsItsLoads) {
  Simulation simulation = simulation_of(
      "<mujoco><option timestep='0.002'/><default><geom friction='0.8'/>"
      "<joint axis='0 1 0' frictionloss='0.1' damping='0.1' armature='0.01'/></default><worldbody>"
      "<geom type='box' size='1 1 0.1' pos='0 0 -0.1'/>"
      "<geom type='box' size='1 1 0.1' pos='0 0 0.298'/>"
      "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.05 0.1' mass='2'/>"
      "<body pos='0.1 0 0'><joint/>"
      "<geom type='box' size='0.1 0.05 0.1' pos='0.12 0 0' mass='1'/></body>"
      "<body pos='-0.1 0 0'><joint/>"
      "<geom type='box' size='0.1 0.05 0.1' pos='-0.12 0 0' mass='1'/></body>"
      "</body></worldbody></mujoco>");
  run_certified(simulation, 100);
  const std::vector<StepContact> before = simulation.report().contacts;
  EXPECT_LE(run_certified(simulation, 200), 2.0);
  const std::vector<StepContact>& after = simulation.report().contacts;
  ASSERT_EQ(after.size(), before.size());
  double largest = 0.0;
  for (const StepContact& contact : before) largest = std::max(largest, contact.impulse.z);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_NEAR(after[i].impulse.z, before[i].impulse.z, 1e-6 * largest);
  }
}

/// A quadruped of cylinders, boxes and spheres with `condim="6"` everywhere, without drives.
std::string limp_quadruped(const std::string& pose) {
  std::string mjcf = fmt::format(
      "<mujoco><option timestep='0.002'/><default><geom friction='1 0.02 0.01' condim='6'/>"
      "<joint damping='0.1' armature='0.01' frictionloss='0.2'/></default><worldbody>"
      "<geom type='plane' size='0 0 1'/><body {}><freejoint/>"
      "<geom type='box' size='0.2 0.05 0.05' mass='6'/>",
      pose);
  for (const double x : {0.19, -0.19}) {
    for (const int side : {1, -1}) {
      mjcf += fmt::format(
          "<body pos='{} {} 0'><joint axis='1 0 0' range='-60 60'/>"
          "<geom type='cylinder' size='0.045 0.02' pos='0 {} 0' quat='1 1 0 0' mass='0.7'/>"
          "<body pos='0 {} 0'><joint axis='0 1 0' range='-90 200'/>"
          "<geom type='box' size='0.012 0.017 0.1' pos='0 0 -0.1' mass='1.1'/>"
          "<body pos='0 0 -0.2'><joint axis='0 1 0' range='-156 -48'/>"
          "<geom type='cylinder' size='0.012 0.1' pos='0 0 -0.1' mass='0.2'/>"
          "<geom type='sphere' size='0.022' pos='0 0 -0.21' mass='0.05'/></body></body></body>",
          x, 0.05 * side, 0.08 * side, 0.1 * side);
    }
  }
  return mjcf + "</body></worldbody></mujoco>";
}

TEST(RestingOverlaps, ALimpRobotComesToRest) {
  for (const char* pose : {"pos='0 0 0.45'", "pos='0 0 0.3' euler='95 0 10'"}) {
    SCOPED_TRACE(pose);
    Simulation simulation = simulation_of(limp_quadruped(pose));
    EXPECT_LT(run_certified(simulation, 1500), 20.0);
    EXPECT_LE(run_certified(simulation, 300), 2.0);
    EXPECT_LT(simulation.state().v.norm(), 1e-6);
    for (const StepContact& contact : simulation.report().contacts) {
      EXPECT_GT(contact.gap, -1e-8);
    }
  }
}

}  // namespace
}  // namespace stiction
