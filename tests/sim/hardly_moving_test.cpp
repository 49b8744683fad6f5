// What robots of others have and scenes of boxes do not: contacts that hardly move in one
// direction, feet of several shapes, sides that are nearly parallel, loops that repeat themselves
// in a few digits, drives at their limits.

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

/// The tip of an arm with two hinges presses on a floor: its velocity has two dimensions. The axes
/// are turned about the vertical, so that the direction without motion is not an axis of the
/// contact and its row of G is not exactly zero.
TEST(HardlyMoving, OneContactThroughTwoHingesIsSolvedAtOnce) {
  for (const double turn : {0.0, 17.0, 20.0, 45.0}) {
    for (const double press : {0.2, 0.5, 1.0}) {
      SCOPED_TRACE(fmt::format("turned by {} degrees, pressed by {} rad", turn, press));
      Simulation simulation = simulation_of(fmt::format(
          "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='2 2 1'/>"
          "<body pos='0 0 .45' euler='0 0 {}'><joint name='a' axis='0 1 0' armature='.1'/>"
          "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.02' contype='0' conaffinity='0'/>"
          "<body pos='.4 0 0'><joint name='b' axis='0 1 0' armature='.1'/>"
          "<geom type='capsule' fromto='0 0 0 .1 0 -.42' size='.02'/></body></body></worldbody>"
          "<actuator><position joint='a' kp='3000' kv='60'/>"
          "<position joint='b' kp='3000' kv='60'/></actuator></mujoco>",
          turn));
      simulation.control() << 0.3 * press, press;
      EXPECT_LT(run_certified(simulation, 1000), 5.0);
      EXPECT_LT(simulation.state().v.norm(), 1e-9);
    }
  }
}

/// Points over a plane act in the plane, whatever their gaps: all of them can stick while the foot
/// turns by what it still has to fall.
TEST(HardlyMoving, ContactsWithAPlaneLieInThePlane) {
  Simulation simulation = simulation_of(
      "<mujoco><worldbody><geom type='plane' size='2 2 1' euler='10 0 0'/>"
      "<body pos='0 0 .11' euler='10.05 .03 0'><freejoint/>"
      "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  simulation.options().margin = 0.05;
  const StepReport& report = simulation.evaluate();
  ASSERT_GE(report.contacts.size(), 4U);
  const double angle = 10.0 * 3.14159265358979323846 / 180.0;
  for (const StepContact& contact : report.contacts) {
    EXPECT_GT(contact.gap, 1e-3);
    const double height = std::cos(angle) * contact.point.z - std::sin(angle) * contact.point.y;
    EXPECT_NEAR(height, 0.0, 1e-12);
  }
}

/// Two round sides at a small angle, pressed together at both ends.
TEST(HardlyMoving, NearlyParallelSidesDoNotSinkIntoEachOther) {
  for (const char* other : {"cylinder", "capsule"}) {
    for (const double yaw : {0.0, 0.05, 0.1, 1.0, 3.0}) {
      SCOPED_TRACE(fmt::format("cylinder on {} at {} degrees", other, yaw));
      Simulation simulation = simulation_of(fmt::format(
          "<mujoco><option timestep='0.002'/><worldbody>"
          "<geom type='{}' size='.015 .11' euler='0 90 0'/>"
          "<body pos='0 0 .0302'><joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>"
          "<geom type='cylinder' size='.015 .11' euler='0 90 {}'/></body></worldbody></mujoco>",
          other, yaw));
      simulation.state().v << 0.0, 3.0;
      for (int k = 0; k < 500; ++k) {
        simulation.push({.body = 1, .force = {0.0, 0.0, -30.0}});
        EXPECT_EQ(simulation.step().status, StepStatus::ok) << k;
      }
      EXPECT_LT(simulation.counts().deepest_overlap, 1e-4);
    }
  }
}

/// A parallelogram with two coupling rods, one of them longer. Equal ones repeat each other. Longer
/// ones would make it rigid if they were taken at their word.
TEST(HardlyMoving, LoopsThatRepeatThemselvesInAFewDigitsMove) {
  for (const double longer : {0.0, 1e-9, 1e-6, 1e-4, 1e-3}) {
    SCOPED_TRACE(longer);
    const double length = 0.2 * (1.0 + longer);
    Simulation simulation = simulation_of(fmt::format(
        "<mujoco><option timestep='0.002'/><default><geom contype='0' conaffinity='0'/>"
        "<joint axis='0 1 0' damping='.002'/></default><worldbody>"
        "<body name='crank'><joint name='crank'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 .1' size='.01' mass='.2'/>"
        "<body name='rod_1' pos='0 0 .1'><joint/>"
        "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.005' mass='.05'/></body>"
        "<body name='rod_2' pos='0 0 .05'><joint/>"
        "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.005' mass='.05'/></body></body>"
        "<body name='rocker' pos='.2 0 0'><joint/>"
        "<geom type='capsule' fromto='0 0 0 0 0 .1' size='.01' mass='.2'/></body></worldbody>"
        "<equality><connect body1='rod_1' body2='rocker' anchor='.2 0 0'/>"
        "<connect body1='rod_2' body2='rocker' anchor='{:.12g} 0 0'/></equality></mujoco>",
        length));
    simulation.state().q[0] = 0.0;
    simulation.state().v[0] = 0.5;
    const double iterations = run_certified(simulation, 500);
    EXPECT_LT(iterations, 5.0);
    EXPECT_GT(std::abs(simulation.state().q[0]), 1.0);  // it has fallen over
  }
}

/// Rows that are merely hard to move hold: small bodies welded at a distance, light links between
/// heavy ones, and light rods with large rotors have pivots as small as rods that repeat each
/// other.
TEST(HardlyMoving, LightAndFarLocksHold) {
  const char* const scenes[] = {
      // The anchor of a weld is the origin of the world.
      "<body name='load' pos='.6 .3 1'><freejoint/><geom size='.015'/></body></worldbody>"
      "<equality><weld body1='load'/></equality>",
      "<body name='load' pos='0 0 1'><freejoint/><inertial mass='1' pos='0 0 0' "
      "diaginertia='1e-7 1e-7 1e-7'/></body></worldbody><equality><weld body1='load'/></equality>",
      // Two heavy boxes hang on each other by a ring of 5 g.
      "<body name='upper' pos='0 0 2'><freejoint/><geom type='box' size='.1 .1 .1' "
      "mass='50'/></body>"
      "<body name='ring' pos='0 0 1.85'><freejoint/><geom size='.02' mass='.005'/></body>"
      "<body name='load' pos='0 0 1.7'><freejoint/><geom type='box' size='.1 .1 .1' "
      "mass='50'/></body>"
      "</worldbody><equality><weld body1='upper'/>"
      "<connect body1='ring' body2='upper' anchor='0 0 .05'/>"
      "<connect body1='ring' body2='load' anchor='0 0 -.05'/></equality>"};
  for (const char* scene : scenes) {
    SCOPED_TRACE(scene);
    Simulation simulation = simulation_of(
        std::string("<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>") +
        scene + "</mujoco>");
    const int load = simulation.model().find_body("load").value();
    const int place = simulation.model().joint(load).position_index;
    const double height = simulation.state().q[place + 2];
    run_certified(simulation, 250);
    EXPECT_NEAR(simulation.state().q[place + 2], height, 1e-6);
  }
}

/// An arm that lies on the floor, its servos at their limits: the drives that yield are known at
/// once, so each step is solved once.
TEST(HardlyMoving, DrivesAtTheirLimitsAreSolvedOnce) {
  std::string arm;
  std::string actuators;
  for (int i = 0; i < 8; ++i) {
    arm += fmt::format(
        "<body pos='{} 0 0'><joint name='j{}' axis='0 1 0' frictionloss='.05'/>"
        "<geom type='capsule' fromto='0 0 0 .1 0 0' size='.02' mass='.3'/>",
        i == 0 ? 0.0 : 0.1, i);
    actuators += fmt::format("<position joint='j{}' kp='200' kv='2' forcerange='-.3 .3'/>", i);
  }
  for (int i = 0; i < 8; ++i) arm += "</body>";
  Simulation simulation = simulation_of(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='2 2 1'/>"
      "<body pos='0 0 .03'><freejoint/><geom type='box' size='.02 .05 .02' mass='1'/>" +
      arm + "</body></worldbody><actuator>" + actuators + "</actuator></mujoco>");
  simulation.control().setConstant(-0.4);
  simulation.run(2.0);
  EXPECT_LT(run_certified(simulation, 100), 15.0);
  EXPECT_LT(simulation.state().v.norm(), 1e-6);
}

}  // namespace
}  // namespace stiction
