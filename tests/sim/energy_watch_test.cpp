// Energy must not grow without input: overlaps that are pushed out, pinched robots, bodies that
// spin fast, in flight, on joints and in contact.

#include "stiction/sim/energy_watch.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/touch/start_overlaps.hpp"

namespace stiction {
namespace {

Simulation scene(const std::string& bodies, const std::string& option = "timestep='0.002'") {
  return Simulation(load_model_text("<mujoco><option " + option + "/><worldbody>" + bodies +
                                        "</worldbody></mujoco>",
                                    "scene.xml")
                        .model);
}

double energy_of(const Simulation& simulation) {
  const Model& model = simulation.model();
  DynamicsData<double> data(model);
  update_kinematics(model, data, simulation.state().q, simulation.state().v);
  return kinetic_energy<double>(model, data, as_span(simulation.state().v)) +
         potential_energy<double>(model, data, as_span(simulation.state().q));
}

/// The most that the energy is above any earlier value of it.
double greatest_growth(Simulation& simulation, int steps) {
  double least = energy_of(simulation);
  double growth = 0.0;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = simulation.step();
    if (report.status == StepStatus::refused || report.status == StepStatus::diverged) {
      ADD_FAILURE() << report.message;
      break;
    }
    const double energy = energy_of(simulation);
    growth = std::max(growth, energy - least);
    least = std::min(least, energy);
  }
  return growth;
}

constexpr const char* floor_and_box =
    "<geom type='plane' size='1 1 1'/><body name='box' pos='0 0 0.2'><freejoint/>"
    "<geom type='box' size='0.1 0.15 0.03' pos='0.02 0.01 0'/></body>";

/// A tumbling box that is thrown on the floor. Without the implicit gyroscopic term it gains energy
/// in each step in which it touches.
TEST(EnergyWatch, ABoxThatSpinsAtAnySpeedGainsNothingOnTheFloor) {
  for (const double speed : {30.0, 300.0, 5000.0, 1e5}) {
    SCOPED_TRACE(speed);
    Simulation simulation = scene(floor_and_box);
    simulation.state().v.tail<3>() = speed * Eigen::Vector3d(1.0, 0.3, 0.2).normalized();
    const double before = energy_of(simulation);
    // Overlaps that a turn of many radians leaves are pushed out, which lifts the box.
    EXPECT_LE(greatest_growth(simulation, 1000), 1e-4 * before + 0.5);
  }
}

TEST(EnergyWatch, AFastTopOnABallJointKeepsItsEnergy) {
  for (const double speed : {50.0, 300.0, 3000.0}) {
    SCOPED_TRACE(speed);
    Simulation simulation = scene(
        "<body pos='0 0 1'><joint type='ball'/><geom type='cylinder' size='0.1 0.02' "
        "pos='0 0 0.2'/><geom type='box' size='0.01 0.02 0.1' pos='0 0.03 0.1'/></body>");
    simulation.state().v = speed * Eigen::Vector3d(0.3, 0.1, 1.0).normalized();
    const double before = energy_of(simulation);
    EXPECT_LE(greatest_growth(simulation, 1000), 2e-4 * before);
    EXPECT_EQ(simulation.counts().energy_grew, 0);
    // Nor may it be lost where the parts of a step resolve the motion.
    EXPECT_GE(energy_of(simulation), (speed <= 300.0 ? 0.99 : 0.0) * before);
  }
}

/// A body with two arms on hinges, thrown so that it tumbles.
constexpr const char* robot_that_tumbles =
    "<body pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.06 0.04'/>"
    "<body pos='0.1 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.2 0 0' "
    "size='0.02' contype='0' conaffinity='0'/></body>"
    "<body pos='-0.1 0 0'><joint axis='0 0 1'/><geom type='capsule' fromto='0 0 0 -0.2 0 0.1' "
    "size='0.02' contype='0' conaffinity='0'/></body></body>";

TEST(EnergyWatch, ARobotThatTumblesFastGainsNothing) {
  for (const double speed : {50.0, 300.0, 1000.0}) {
    SCOPED_TRACE(speed);
    Simulation simulation = scene(robot_that_tumbles, "timestep='0.002' gravity='0 0 0'");
    simulation.state().v.segment<3>(3) = speed * Eigen::Vector3d(1.0, 0.4, 0.2).normalized();
    const double before = energy_of(simulation);
    EXPECT_LE(greatest_growth(simulation, 500), 1e-3 * before);
    EXPECT_EQ(simulation.counts().energy_grew, 0);
  }
}

TEST(EnergyWatch, ARobotThatTumblesFastGainsNothingOnTheFloor) {
  Simulation simulation =
      scene(std::string("<geom type='plane' size='1 1 1'/>") + robot_that_tumbles);
  simulation.state().q[2] = 0.1;
  simulation.state().v.segment<3>(3) = Eigen::Vector3d(250.0, 120.0, 60.0);
  const double before = energy_of(simulation);
  EXPECT_LE(greatest_growth(simulation, 1000), 1e-3 * before + 0.5);
}

/// An integrator that is known to gain energy is told of.
TEST(EnergyWatch, GrowthIsLoudUnderIntegratorsThatAreNotMended) {
  Simulation simulation = scene(robot_that_tumbles, "timestep='0.002' gravity='0 0 0'");
  simulation.options().integrator = Integrator::explicit_euler;
  simulation.state().v.segment<3>(3) = Eigen::Vector3d(300.0, 100.0, 50.0);
  double before = 0.0;
  do {
    before = energy_of(simulation);
    simulation.step();
  } while (simulation.report().status == StepStatus::ok && simulation.counts().steps < 100);
  const StepReport& report = simulation.report();
  EXPECT_EQ(report.status, StepStatus::energy_grew);
  EXPECT_GT(energy_of(simulation), before);
  EXPECT_GT(report.energy_gain, 0.0);
  EXPECT_NE(report.message.find("energy grew"), std::string::npos) << report.message;
  EXPECT_EQ(simulation.counts().energy_grew, 1);
}

/// Energy of a step without fast turns or overlaps is not even looked at.
/// An impact at a limit takes energy away; how much gravity did within the long step is no growth.
TEST(EnergyWatch, AnImpactInALongStepIsNoGrowth) {
  Simulation simulation = scene(
      "<body><joint type='slide' axis='1 0 0'/><geom type='capsule' size='.1 .1' zaxis='1 0 0' "
      "contype='0' conaffinity='0'/><body><joint axis='0 1 0' limited='true' range='-90 90'/>"
      "<geom type='capsule' fromto='0 0 0 0.001 0 0.6' size='.049' contype='0' conaffinity='0'/>"
      "</body></body>",
      "timestep='0.02'");
  for (int i = 0; i < 150; ++i) {
    ASSERT_EQ(simulation.step().status, StepStatus::ok) << "step " << i;
  }
  EXPECT_LT(energy_of(simulation), 0.5);
}

TEST(EnergyWatch, ABoxAtRestGainsNothing) {
  Simulation simulation = scene(floor_and_box);
  simulation.state().q[2] = 0.03;
  simulation.run(1.0);
  EXPECT_EQ(simulation.counts().gaining_steps, 0);
  EXPECT_EQ(simulation.counts().energy_gain, 0.0);
}

/// Two boxes in each other part, and neither flies off.
TEST(PushOut, BoxesThatStartInEachOtherPartGently) {
  Simulation simulation = scene(
      "<geom type='plane' size='1 1 1'/><body pos='0 0 0.05'><freejoint/><geom type='box' "
      "size='0.05 "
      "0.05 0.05'/></body><body pos='0 0 0.11'><freejoint/><geom type='box' size='0.05 0.05 0.05'/>"
      "</body>");
  double fastest = 0.0;
  for (int i = 0; i < 500; ++i) {
    simulation.step();
    fastest = std::max(fastest, simulation.state().v.cwiseAbs().maxCoeff());
  }
  EXPECT_LT(fastest, 0.1);                               // a hop of half a millimetre
  EXPECT_LT(simulation.report().deepest_overlap, 1e-4);  // of 40 mm
  EXPECT_NEAR(simulation.state().q[9], 0.15, 1e-3);      // the upper one rests on the other
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-3);
}

/// A ball link pinched between two walls that are fixed: there is no way out along the hinge, which
/// has nearly no lever.
constexpr const char* pinched =
    "<body><geom name='left' type='box' size='0.1 0.1 0.1' pos='0 0.12 0'/><geom name='right' "
    "type='box' size='0.1 0.1 0.1' pos='0 -0.12 0'/></body>"
    "<body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03'/>"
    "<body pos='0.0 0 0'><joint axis='0 0.001 1'/><geom type='box' size='0.06 0.05 0.05' "
    "pos='0.01 0.001 0'/></body></body>";

TEST(PushOut, APinchedRobotGainsLittle) {
  Simulation simulation = scene(pinched, "timestep='0.001'");
  const double before = energy_of(simulation);
  const double mass = simulation.model().total_mass();
  for (int i = 0; i < 5; ++i) simulation.step();
  // ½ m c² a step at the most, c = 0.01 m/s; and what pushing upwards lifts.
  EXPECT_LT(energy_of(simulation), before + 5 * 0.5 * mass * 1e-4 + mass * 9.81 * 0.1);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 30.0);
}

/// An arm whose first link reaches 12 mm into its fixed base, and whose third link into the first.
constexpr const char* arm =
    "<geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='base'><geom type='cylinder' size='0.06 0.1' pos='0 0 0.1'/>"
    "<body name='shoulder' pos='0 0 0.2'><joint axis='0 0 1'/>"
    "<geom type='cylinder' size='0.05 0.05' pos='0 0 0.038'/>"
    "<body name='upper' pos='0 0 0.1'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0.06 0 0 0.1' size='0.01'/>"
    "<body name='fore' pos='0 0 0.1'><joint axis='0 1 0'/>"
    "<geom type='box' size='0.02 0.02 0.1' pos='0 0 -0.06'/></body></body></body></body>";

TEST(StartOverlaps, LinksOfOneRobotAreFoundDeepestFirst) {
  const Model model = scene(arm).model();
  const std::vector<StartOverlap> overlaps = find_start_overlaps(model, model.initial_state());
  ASSERT_EQ(overlaps.size(), 2U);
  EXPECT_NEAR(overlaps[0].depth, 0.04, 0.03);   // shoulder and fore
  EXPECT_NEAR(overlaps[1].depth, 0.012, 1e-6);  // base and shoulder
}

TEST(StartOverlaps, WhatIsLeftOutNeverTouchesAndTheRestDoes) {
  const Model model = scene(arm).model();
  const Model lighter = without_overlaps(model, find_start_overlaps(model, model.initial_state()));
  EXPECT_TRUE(find_start_overlaps(lighter, lighter.initial_state()).empty());
  EXPECT_TRUE(lighter.may_collide(0, 4));  // the floor and the forearm
  Simulation simulation(lighter);
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.deepest_overlap, 0.0);
  // The other Model is as it was.
  EXPECT_EQ(find_start_overlaps(model, model.initial_state()).size(), 2U);
}

/// The base is fixed to the world, so its fingers are trees of their own.
TEST(StartOverlaps, BranchesOfAFixedBaseAreOneRobot) {
  const Model model =
      load_model_text(
          "<mujoco><worldbody><body name='base'><geom type='box' size='.02 .02 .02' contype='0' "
          "conaffinity='0'/><body name='left' pos='-.01 0 .05'><joint axis='0 1 0'/><geom "
          "type='box' size='.02 .01 .03'/></body><body name='right' pos='.01 0 .05'><joint "
          "axis='0 1 0'/><geom type='box' size='.02 .01 .03'/></body></body></worldbody></mujoco>",
          "gripper.xml")
          .model;
  const std::vector<StartOverlap> overlaps = find_start_overlaps(model, model.initial_state());
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_NEAR(overlaps[0].depth, 0.02, 1e-9);
}

TEST(StartOverlaps, TwoRobotsThatOverlapAreNotOne) {
  const Simulation simulation = scene(
      "<body pos='0 0 1'><freejoint/><geom type='sphere' size='0.1'/></body>"
      "<body pos='0 0.1 1'><freejoint/><geom type='sphere' size='0.1'/><body pos='0.5 0 0'>"
      "<joint axis='0 0 1'/><geom type='sphere' size='0.1'/></body></body>");
  EXPECT_TRUE(find_start_overlaps(simulation.model(), simulation.state()).empty());
}

/// Shallow contact is meant.
TEST(StartOverlaps, ContactIsNotLeftOut) {
  const Simulation simulation = scene(
      "<body pos='0 0 1'><freejoint/><geom type='sphere' size='0.05'/><body pos='0.3 0 0'>"
      "<joint axis='0 0 1'/><geom type='sphere' size='0.05'/><body pos='-0.2005 0 0'><joint "
      "axis='0 0 1'/><geom type='sphere' size='0.05'/></body></body></body>");
  EXPECT_TRUE(find_start_overlaps(simulation.model(), simulation.state()).empty());
}

/// A pendulum that falls from the horizontal would reach 7.7 rad/s at the bottom.
TEST(VelocityLimits, AJointTurnsNoFasterThanItsFileSays) {
  const std::string text =
      "<robot name='r'><link name='world'/><link name='rod'><inertial><origin xyz='0.25 0 "
      "0'/><mass "
      "value='1'/><inertia ixx='0.001' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"
      "</link><joint name='hinge' type='continuous'><parent link='world'/><child link='rod'/><axis "
      "xyz='0 1 0'/><limit effort='10' velocity='VELOCITY'/></joint></robot>";
  for (const std::string limit : {"2.5", "0"}) {
    SCOPED_TRACE(limit);
    std::string file = text;
    file.replace(file.find("VELOCITY"), 8, limit);
    Simulation simulation(load_model_text(file, "r.urdf").model);
    double fastest = 0.0;
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(simulation.step().status, StepStatus::ok);
      fastest = std::max(fastest, std::abs(simulation.state().v[0]));
    }
    if (limit == "0") {
      EXPECT_GT(fastest, 6.0);  // zero means that the file knows none
    } else {
      EXPECT_NEAR(fastest, 2.5, 1e-6);
    }
  }
}

}  // namespace
}  // namespace stiction
