// Feet and hands as robots of others have them: several shapes with torsional and rolling friction
// on one link, joints with friction, neighbouring fingers that overlap by design.

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

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

/// Two links side by side on hinges along y, `apart` from each other.
std::string fingers(double apart, const char* axis_of_second) {
  return fmt::format(
      "<body name='first' pos='.08 0 0'><joint axis='0 1 0' damping='.01'/>"
      "<geom type='capsule' size='.008' fromto='0 0 0 .04 0 0' condim='6'/></body>"
      "<body name='second' pos='.08 {} 0'><joint axis='{}' damping='.01'/>"
      "<geom type='capsule' size='.008' fromto='0 0 0 .04 0 0' condim='6'/></body>",
      apart, axis_of_second);
}

std::string hand(const std::string& content) {
  return "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='1 1 1'/>"
         "<body pos='0 0 .02'><freejoint/><geom type='box' size='.05 .05 .02' condim='6'/>" +
         content + "</body></worldbody></mujoco>";
}

TEST(Feet, OfSeveralSpheresTurnAsOne) {
  std::string spheres;
  for (const double x : {-.05, .12}) {
    for (const double y : {-.03, .03}) {
      spheres += fmt::format("<geom size='.005' pos='{} {} .005' condim='6'/>", x, y);
    }
  }
  Simulation simulation =
      simulation_of("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/>" +
                    spheres + "</body></worldbody></mujoco>");
  const StepReport& report = simulation.evaluate();
  EXPECT_EQ(report.contacts.size(), 4U);
  const auto count = [&](BlockKind kind) {
    return std::ranges::count(report.constraints, kind, &StepConstraint::kind);
  };
  EXPECT_EQ(count(BlockKind::roll), 1);
  EXPECT_EQ(count(BlockKind::spin), 1);
}

/// Different coefficients are different laws, so these do not share a bound.
TEST(Feet, WithDifferentCoefficientsTurnEachByItself) {
  Simulation simulation = simulation_of(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/>"
      "<geom size='.01' pos='.1 0 .01' condim='4' friction='1 .01 .001'/>"
      "<geom size='.01' pos='-.1 .05 .01' condim='4' friction='1 .02 .001'/>"
      "<geom size='.01' pos='-.1 -.05 .01' condim='4' friction='1 .02 .001'/>"
      "</body></worldbody></mujoco>");
  const StepReport& report = simulation.evaluate();
  EXPECT_EQ(std::ranges::count(report.constraints, BlockKind::spin, &StepConstraint::kind), 2);
}

/// Four legs with friction in all joints, on rough hulls that roll and spin with friction: in the
/// end each foot hangs between sticking, rolling and the friction of its joints. Newton's method
/// goes to and fro there unless its steps are shortened.
TEST(Feet, WithManyPointsAndFrictionInAllJointsStand) {
  std::string legs;
  for (const double x : {-.19, .19}) {
    for (const double y : {-.14, .14}) {
      legs += fmt::format(
          "<body pos='{} {} 0'><joint class='hip'/><geom class='bone' fromto='0 0 0 0 0 -.05'/>"
          "<body pos='0 0 -.05'><joint class='thigh'/><geom class='bone' fromto='0 0 0 0 0 -.2'/>"
          "<body pos='0 0 -.2'><joint class='knee'/><geom class='bone' fromto='0 0 0 0 0 -.18'/>"
          "<geom type='mesh' mesh='foot' pos='0 0 -.2' condim='6' friction='.8 .02 .01'/>"
          "</body></body></body>",
          x, y);
    }
  }
  std::string actuators;
  for (int i = 0; i < 12; ++i) actuators += fmt::format("<position joint='j{}' class='d'/>", i);
  for (int i = 0, at = 0; i < 12; ++i) {
    at = static_cast<int>(legs.find("<joint class", static_cast<std::size_t>(at)));
    legs.insert(static_cast<std::size_t>(at) + 6, fmt::format(" name='j{}'", i));
  }
  Simulation simulation = simulation_of(
      "<mujoco><option timestep='.002'/><default>"
      "<joint axis='0 1 0' damping='.1' armature='.01' frictionloss='.2'/>"
      "<default class='hip'><joint axis='1 0 0'/></default><default class='thigh'><joint/>"
      "</default><default class='knee'><joint/></default><default class='bone'>"
      "<geom type='capsule' size='.02' density='1500' contype='0' conaffinity='0'/></default>"
      "<default class='d'><position kp='100' kv='3'/></default></default><asset><mesh name='foot' "
      "vertex='.03 0 0 -.03 .001 .0004 0 .02 .0002 .002 -.02 .0006 .02 .015 .0001 -.02 .015 .0005 "
      ".02 -.015 .0003 -.02 -.015 .0007 0 0 .03'/></asset>"
      "<worldbody><geom type='plane' size='2 2 1'/><body pos='0 0 .46'><freejoint/>"
      "<geom type='box' size='.2 .05 .05' mass='7'/>" +
      legs + "</body></worldbody><actuator>" + actuators + "</actuator></mujoco>");
  simulation.control() << 0, .5, -1, 0, .5, -1, 0, .5, -1, 0, .5, -1;
  EXPECT_LT(run_certified(simulation, 500), 30.0);
  EXPECT_GT(simulation.state().q[2], 0.35) << "it stands";
  EXPECT_LT(simulation.state().v.norm(), 1e-3);
}

/// Nothing opens or closes a contact of two fingers on parallel hinges, so it carries nothing. Less
/// than the tolerance for overlaps at the start, which would leave the pair out.
TEST(Fingers, ThatOverlapOnParallelHingesPressNothing) {
  Simulation simulation = simulation_of(hand(fingers(.0157, "0 1 0")));
  EXPECT_LT(run_certified(simulation, 300), 10.0);
  for (const StepContact& contact : simulation.report().contacts) {
    EXPECT_EQ(contact.body_a, -1) << "only with the floor";
  }
}

/// The same fingers on hinges that spread them: their contact holds them apart.
TEST(Fingers, ThatSpreadStillTouch) {
  Simulation simulation = simulation_of(hand(fingers(.0157, "0 0 1")));
  (void)simulation.evaluate();
  const auto& contacts = simulation.report().contacts;
  EXPECT_TRUE(std::ranges::any_of(contacts, [](const StepContact& c) { return c.body_a >= 0; }));
}

}  // namespace
}  // namespace stiction
