// Tendons in the step: strings that do not stretch, springs of any stiffness, friction, couplings
// of lengths, actuators and sensors.

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "stiction/sim/sensors.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

Model read(const std::string& text) { return load_model_text(text, "scene.xml").model; }

StepOptions tight() {
  StepOptions options;
  options.solver_options.tolerance = 1e-11;
  return options;
}

/// A ball of 1 kg below the site `top` at height 1, on a thread with these attributes.
std::string hanging(const std::string& thread, const std::string& joint = "type='free'") {
  return "<mujoco><option timestep='.001'/><worldbody><site name='top' pos='0 0 1'/><body "
         "name='ball' pos='0 0 0.8'><joint " +
         joint +
         "/><geom size='.05' mass='1'/><site name='center'/></body></worldbody><tendon><spatial "
         "name='thread' " +
         thread + "><site site='top'/><site site='center'/></spatial></tendon></mujoco>";
}

double length_of(const Simulation& simulation) {
  return (Eigen::Vector3d(0, 0, 1) - simulation.state().q.head<3>()).norm();
}

TEST(Tendons, ABallFallsUntilItsStringIsTautAndHangsThere) {
  Simulation simulation(read(hanging("range='0 0.3' limited='true'")), tight());
  double longest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(simulation.step().status, StepStatus::ok);
    longest = std::max(longest, length_of(simulation));
  }
  EXPECT_LT(longest, 0.3 + 1e-9);
  EXPECT_NEAR(length_of(simulation), 0.3, 1e-9);
  ASSERT_EQ(simulation.report().constraints.size(), 1U);
  const StepConstraint& string = simulation.report().constraints[0];
  EXPECT_EQ(string.kind, BlockKind::limit);
  EXPECT_EQ(string.tendon, 0);
  EXPECT_EQ(string.index, -1);
  EXPECT_NEAR(string.impulse[0], gravity * 0.001, 1e-9);
}

TEST(Tendons, AMarginMakesTheStringShorter) {
  Simulation simulation(read(hanging("range='0 0.3' limited='true' margin='.05'")), tight());
  simulation.run(1.0);
  EXPECT_NEAR(length_of(simulation), 0.25, 1e-9);
}

TEST(Tendons, ABallOnAStringSwingsLikeAPendulum) {
  Simulation simulation(read(hanging("range='0 0.3' limited='true'")), tight());
  const double angle = 0.05;
  simulation.state().q.head<3>() << 0.3 * std::sin(angle), 0.0, 1.0 - 0.3 * std::cos(angle);
  const double period = 2.0 * std::numbers::pi * std::sqrt(0.3 / gravity);
  simulation.run(std::round(period / 2.0 / 0.001) * 0.001);
  // The string loses a little at every step: what it holds is a polygon.
  EXPECT_NEAR(simulation.state().q[0], -0.3 * std::sin(angle), 3e-4);
  EXPECT_NEAR(length_of(simulation), 0.3, 1e-5);
}

/// A spring that is far stiffer than a step can follow: h²k is 1e6 times the mass.
TEST(Tendons, SpringsOfAnyStiffnessRestWhereTheirForceIsTheWeight) {
  for (const double stiffness : {100.0, 1e4, 1e8, 1e12}) {
    SCOPED_TRACE(stiffness);
    Simulation simulation(
        read(hanging(fmt::format("stiffness='{}' damping='{}' springlength='0 0.2'", stiffness,
                                 2.0 * std::sqrt(stiffness)),
                     "type='slide' axis='0 0 1'")),
        tight());
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(simulation.step().status, StepStatus::ok);
      ASSERT_LT(std::abs(simulation.state().v[0]), 2.0);
    }
    EXPECT_NEAR(simulation.state().q[0], -gravity / stiffness, 1e-6 * gravity / stiffness + 1e-12);
  }
}

TEST(Tendons, ASlackSpringDoesNotPull) {
  Simulation simulation(
      read(hanging("stiffness='1000' springlength='0.1 0.5'", "type='slide' axis='0 0 1'")),
      tight());
  (void)simulation.evaluate();
  EXPECT_NEAR(simulation.accelerations()[0], -gravity, 1e-12);
  simulation.state().q[0] = -0.4;  // 0.6 long
  (void)simulation.evaluate();
  EXPECT_GT(simulation.accelerations()[0], 50.0);
}

/// Where nothing else is said, a spring rests as the springs of the joints do.
TEST(Tendons, ASpringRestsAtItsLengthWhereJointsRest) {
  const Model model = read(hanging("stiffness='1'", "type='slide' axis='0 0 1' springref='-.1'"));
  EXPECT_NEAR(model.tendons()[0].initial_length, 0.2, 1e-12);
  EXPECT_NEAR(model.tendons()[0].spring_range[0], 0.3, 1e-12);
}

TEST(Tendons, TheEnergyOfASpringCounts) {
  Model model = read(hanging("stiffness='200'", "type='slide' axis='0 0 1'"));
  StepOptions options = tight();
  options.balance = true;
  options.integrator = Integrator::rk4;
  Simulation simulation(model, options);
  simulation.step();
  const StepBalance start = simulation.report().balance;
  const double whole = start.kinetic_energy + start.potential_energy;
  for (int i = 0; i < 500; ++i) {
    const StepBalance& now = simulation.step().balance;
    ASSERT_NEAR(now.kinetic_energy + now.potential_energy, whole, 1e-9);
  }
  EXPECT_GT(start.kinetic_energy, 0.0);
}

TEST(Tendons, FrictionHoldsUpToItsForceAndNotBeyond) {
  for (const bool holds : {true, false}) {
    const double friction = holds ? gravity + 0.001 : gravity - 0.001;
    Simulation simulation(
        read(hanging(fmt::format("frictionloss='{}'", friction), "type='slide' axis='0 0 1'")),
        tight());
    simulation.run(0.1);
    EXPECT_NEAR(simulation.state().v[0], holds ? 0.0 : -1e-3 * 0.1, 1e-9);
    EXPECT_EQ(simulation.report().constraints[0].tendon, 0);
  }
}

/// Two boxes on a string over two fixed sites, with a pulley that halves one side: 2 kg on the
/// double side balance 1 kg.
TEST(Tendons, APulleyHalvesTheForce) {
  const Model model = read(R"(<mujoco><option timestep=".001"/><worldbody>
    <site name="left" pos="0 0 2"/><site name="right" pos="1 0 2"/>
    <body name="light" pos="0 0 1"><joint type="slide" axis="0 0 1"/>
      <geom size=".05" mass="1"/><site name="l"/></body>
    <body name="heavy" pos="1 0 1"><joint type="slide" axis="0 0 1"/>
      <geom size=".05" mass="2"/><site name="h"/></body></worldbody>
    <tendon><spatial range="0 1.5" limited="true"><pulley divisor="2"/><site site="left"/>
      <site site="l"/><pulley divisor="1"/><site site="right"/><site site="h"/></spatial></tendon>
    </mujoco>)");
  EXPECT_NEAR(model.tendons()[0].initial_length, 1.5, 1e-12);
  Simulation simulation(model, tight());
  // 1 kg pulls with half of the string's force: m a = F/2 - m g, 2 m b = F - 2 m g, a/2 + b = 0.
  simulation.run(0.2);
  const double pull = simulation.report().constraints[0].impulse[0] / 0.001;
  const double expected = (0.5 * gravity + gravity) / (0.25 / 1.0 + 1.0 / 2.0);
  EXPECT_NEAR(pull, expected, 1e-7);
  EXPECT_NEAR(simulation.state().v[0] / 2.0 + simulation.state().v[1], 0.0, 1e-9);
}

/// Many free balls in a row, each tied to the next by a lock or a string: dense and, from twelve
/// blocks on, by bodies.
std::string chain(int count, bool locked = true) {
  std::string bodies;
  std::string threads;
  std::string locks;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        "<body pos='{} 0 1'><freejoint/><geom size='.02' mass='1'/><site name='s{}'/></body>",
        0.1 * i, i);
    threads += fmt::format("<spatial name='t{}' {}><site site='{}'/><site site='s{}'/></spatial>",
                           i, locked ? "" : "limited='true' range='0 .1'",
                           i == 0 ? "hook" : fmt::format("s{}", i - 1), i);
    if (locked) locks += fmt::format("<tendon tendon1='t{}'/>", i);
  }
  return "<mujoco><option timestep='.001'/><worldbody><site name='hook' pos='0 0 1.1'/>" + bodies +
         "</worldbody><tendon>" + threads + "</tendon><equality>" + locks + "</equality></mujoco>";
}

void expect_chain_to_hold(int count, bool locked) {
  SCOPED_TRACE(fmt::format("{} balls, {}", count, locked ? "locked" : "on strings"));
  Simulation simulation(read(chain(count, locked)));
  for (int i = 0; i < 300; ++i) ASSERT_EQ(simulation.step().status, StepStatus::ok);
  const ContactProblem* problem = simulation.workspace().last_problem();
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(problem->storage(), count < 12 ? DelassusStorage::dense : DelassusStorage::bodies);
  for (int i = 1; i < count; ++i) {
    const auto ball = [&](int k) { return simulation.state().q.segment<3>(7 * k); };
    const double length = (ball(i) - ball(i - 1)).norm();
    // Of second order in the step: v²h²/2L opens at once, a fifth of it is closed in each step.
    EXPECT_LT(length, 0.1 + 1e-3);
    if (locked) {
      EXPECT_GT(length, 0.1 - 1e-3);
    }
  }
}

TEST(Tendons, LocksAndLimitsHoldTheirLengthsInBothStorages) {
  for (const int count : {4, 20}) {
    for (const bool locked : {true, false}) expect_chain_to_hold(count, locked);
  }
}

/// A crane: the ball follows the prescribed body above it.
TEST(Tendons, APrescribedBodyPullsByAStringOrASpring) {
  for (const char* thread :
       {"limited='true' range='0 .3'", "stiffness='1000' damping='50' springlength='0 .3'"}) {
    Simulation simulation(read(std::string(R"(<mujoco><option timestep=".001"/><custom>
      <numeric name="stiction:velocity:crane" data="0 0 .5 0 0 0"/></custom><worldbody>
      <body name="crane" mocap="true" pos="0 0 1"><site name="hook"/></body>
      <body name="ball" pos="0 0 .7"><freejoint/><geom size=".05" mass="1"/><site name="eye"/>
      </body></worldbody><tendon><spatial )") +
                               thread + R"(><site site="hook"/><site site="eye"/></spatial>
      </tendon><keyframe><key/></keyframe></mujoco>)"),
                          tight());
    simulation.reset_to_keyframe(simulation.model().keyframes()[0].name);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(simulation.step().status, StepStatus::ok);
    const int ball = simulation.model().joint(1).position_index;
    const int speed = simulation.model().joint(1).velocity_index;
    EXPECT_NEAR(simulation.state().q[2], 2.0, 1e-9);
    EXPECT_NEAR(simulation.state().v[speed + 2], 0.5, 1e-4);
    EXPECT_NEAR(simulation.state().q[2] - simulation.state().q[ball + 2], 0.3, 0.01001);
  }
}

TEST(Tendons, CoupledLengthsFollowTheirPolynomial) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" ref=".1"/><geom size=".05" mass="1"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0" ref=".2"/><joint name="c"
      type="slide" axis="0 1 0"/><geom size=".05" mass="1"/></body></worldbody>
    <tendon><fixed name="t1"><joint joint="a" coef="2"/></fixed><fixed name="t2"><joint joint="b"
      coef="3"/><joint joint="c" coef="1"/></fixed></tendon>
    <equality><tendon tendon1="t1" tendon2="t2" polycoef=".05 .4 .3"/></equality>
    <actuator><position joint="b" kp="1000" kv="60"/><position joint="c" kp="1000" kv="60"/>
    </actuator></mujoco>)"),
                        tight());
  simulation.control() << 0.5, -0.2;
  simulation.run(3.0);
  const Eigen::VectorXd& q = simulation.state().q;
  const double x = 3.0 * (q[1] - 0.2) + q[2];
  EXPECT_GT(x, 0.5);
  EXPECT_NEAR(2.0 * (q[0] - 0.1), 0.05 + 0.4 * x + 0.3 * x * x, 1e-7);
}

TEST(Tendons, ActuatorsPullAlongThemAndSensorsReadThem) {
  Simulation simulation(read(R"(<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody>
    <site name="top" pos="0 0 1"/><body name="ball" pos="0.3 0.4 1"><freejoint/>
      <geom size=".05" mass="2"/><site name="center"/></body></worldbody>
    <tendon><spatial name="t"><site site="top"/><site site="center"/></spatial></tendon>
    <actuator><motor name="m" tendon="t" gear="-3"/><motor name="n" tendon="t"/></actuator>
    <sensor><tendonpos tendon="t"/><tendonvel tendon="t"/><actuatorpos actuator="m"/>
      <actuatorvel actuator="m"/></sensor></mujoco>)"),
                        tight());
  simulation.control() << 2.0, 0.0;
  simulation.state().v.head<3>() << 1.0, 2.0, 7.0;
  (void)simulation.evaluate();
  // 6 N towards the site, along (0.6, 0.8, 0).
  EXPECT_TRUE(simulation.accelerations().head<3>().isApprox(Eigen::Vector3d(-1.8, -2.4, 0), 1e-9));
  SensorArray sensors(simulation.model());
  const auto values = sensors.evaluate(simulation.model(), simulation.state(),
                                       simulation.workspace(), simulation.report());
  EXPECT_NEAR(values[0], 0.5, 1e-12);
  EXPECT_NEAR(values[1], 0.6 + 1.6, 1e-12);
  EXPECT_NEAR(values[2], -1.5, 1e-12);
  EXPECT_NEAR(values[3], -3.0 * 2.2, 1e-12);
}

/// A step depends on the state alone: saved and continued, the bits are the same.
TEST(Tendons, StepsAreTheSameWhateverTheWorkspaceDidBefore) {
  const Model model = read(chain(5));
  Simulation once(model);
  once.run(0.2);
  Simulation again(model);
  again.run(0.1);
  Simulation fresh(model);
  fresh.state() = again.state();
  fresh.run(0.1);
  EXPECT_EQ(fresh.state().q, once.state().q);
  EXPECT_EQ(fresh.state().v, once.state().v);
}

/// The angle of a ball joint is limited in every direction, less its margin.
TEST(Tendons, ALimitedBallJointStopsAtItsAngle) {
  for (const double margin : {0.0, 0.1}) {
    Simulation simulation(
        read(fmt::format("<mujoco><compiler angle='radian'/><option timestep='.001'/><worldbody>"
                         "<body><joint type='ball' range='0 0.5' limited='true' damping='1' "
                         "margin='{}'/><geom size='.05' pos='0 0 .5' mass='1'/></body></worldbody>"
                         "</mujoco>",
                         margin)),
        tight());
    simulation.state().v << 0.3, 0.2, 0.0;
    simulation.run(3.0);
    const double* q = simulation.state().q.data();
    const double angle = 2.0 * std::acos(std::abs(q[3]));
    EXPECT_NEAR(angle, 0.5 - margin, 1e-6);
  }
}

}  // namespace
}  // namespace stiction::test
