// Torsional and rolling friction against closed answers of mechanics.

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double gravity = 9.81;
constexpr double radius = 0.1;
constexpr double mass = 1.0;
constexpr double inertia = 0.4 * mass * radius * radius;

/// A ball on a plane that is tilted by an angle about y, with this friction [m].
Simulation ball(double spin_friction, double roll_friction, double angle = 0.0) {
  SceneBuilder scene;
  Material material{.name = "turns", .friction = 0.8};
  material.spin_friction = spin_friction;
  material.roll_friction = roll_friction;
  scene.use_material(material);
  scene.set_time_step(1e-3);
  scene.add_plane("plane");
  scene.add_sphere("ball", radius, mass, at(0, 0, radius));
  scene.set_gravity(gravity * Eigen::Vector3d(std::sin(angle), 0.0, -std::cos(angle)));
  return Simulation(scene.build());
}

Eigen::Vector3d turning(const Simulation& simulation, const char* body = "ball") {
  return angular_velocity(simulation.model(), simulation.state(), body);
}

TEST(TorsionalFriction, ASpinningBallSlowsDownEvenlyAndStopsDead) {
  constexpr double length = 0.002;
  Simulation simulation = ball(length, 0.0);
  set_velocity(simulation.model(), simulation.state(), "ball", {0, 0, 0}, {0, 0, 10.0});
  const double rate = length * mass * gravity / inertia;
  double last = 10.0;
  for (int k = 1; k <= 3000; ++k) {
    ASSERT_EQ(simulation.step().status, StepStatus::ok);
    const double now = turning(simulation).z();
    EXPECT_NEAR(now, std::max(0.0, 10.0 - rate * 1e-3 * k), 1e-6);
    EXPECT_LE(now, last + 1e-12);
    last = now;
  }
  // It has stopped after 2.04 s: no creep, and no turning back.
  EXPECT_LT(std::abs(last), 1e-9);
  EXPECT_LT(simulation.state().q.head<2>().norm(), 1e-12);
}

TEST(TorsionalFriction, IsInTheReport) {
  Simulation simulation = ball(0.002, 0.001);
  set_velocity(simulation.model(), simulation.state(), "ball", {radius * 3.0, 0, 0},
               {0, 3.0, -5.0});
  const StepReport& report = simulation.step();
  ASSERT_EQ(report.contacts.size(), 1u);
  const StepContact& contact = report.contacts[0];
  const double load = mass * gravity * 1e-3;
  EXPECT_NEAR(contact.impulse.z, load, 1e-12);
  EXPECT_EQ(contact.spin_friction, 0.002);
  EXPECT_EQ(contact.roll_friction, 0.001);
  const Eigen::Vector3d moment = to_eigen(contact.axes * contact.moment);
  EXPECT_NEAR(moment.z(), 0.002 * load, 1e-12);
  EXPECT_NEAR(moment.y(), -0.001 * load, 1e-12);
  EXPECT_NEAR(moment.x(), 0.0, 1e-12);
  ASSERT_EQ(report.constraints.size(), 2u);
  EXPECT_EQ(report.constraints[0].kind, BlockKind::roll);
  EXPECT_EQ(report.constraints[1].kind, BlockKind::spin);
  EXPECT_EQ(report.constraints[1].index, 0);
}

TEST(RollingFriction, ARollingBallSlowsDownEvenlyAndStopsDead) {
  constexpr double length = 0.001;
  Simulation simulation = ball(0.0, length);
  const double start = 0.1;
  set_velocity(simulation.model(), simulation.state(), "ball", {start, 0, 0},
               {0, start / radius, 0});
  const double rate = length * gravity / (1.4 * radius);
  for (int k = 1; k <= 2000; ++k) {
    ASSERT_EQ(simulation.step().status, StepStatus::ok);
    const double now = linear_velocity(simulation.model(), simulation.state(), "ball").x();
    EXPECT_NEAR(now, std::max(0.0, start - rate * 1e-3 * k), 1e-8);
    EXPECT_NEAR(turning(simulation).y(), now / radius, 1e-7);
  }
  const double end = simulation.state().q[0];
  EXPECT_NEAR(end, start * start / (2.0 * rate), 1e-4);  // a step's travel
  for (int k = 0; k < 1000; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().q[0], end, 1e-10);
}

/// The direction of rolling does not matter, and spin and roll do not disturb each other.
TEST(RollingFriction, IsTheSameInAllDirections) {
  for (const double angle : {0.3, 1.0, 2.5}) {
    SCOPED_TRACE(angle);
    Simulation simulation = ball(0.003, 0.001);
    const Eigen::Vector3d along(std::cos(angle), std::sin(angle), 0.0);
    const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ().cross(along);
    set_velocity(simulation.model(), simulation.state(), "ball", along,
                 axis / radius + Eigen::Vector3d(0, 0, 4.0));
    for (int k = 0; k < 500; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok);
    const double speed = 1.0 - 0.5 * 0.001 * gravity / (1.4 * radius);
    EXPECT_LT(
        (linear_velocity(simulation.model(), simulation.state(), "ball") - speed * along).norm(),
        1e-6);
    EXPECT_NEAR(turning(simulation).z(), 4.0 - 0.5 * 0.003 * mass * gravity / inertia, 1e-6);
  }
}

TEST(RollingFriction, HoldsABallOnASlopeUpToItsAngle) {
  constexpr double length = 0.01;
  const double largest = std::atan(length / radius);
  Simulation rests = ball(0.0, length, 0.98 * largest);
  for (int k = 0; k < 2000; ++k) ASSERT_EQ(rests.step().status, StepStatus::ok);
  EXPECT_LT(rests.state().q.head<2>().norm(), 1e-9);

  const double steep = 1.3 * largest;
  Simulation rolls = ball(0.0, length, steep);
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(rolls.step().status, StepStatus::ok);
  const double acceleration = gravity * (std::sin(steep) - length / radius * std::cos(steep)) / 1.4;
  EXPECT_NEAR(linear_velocity(rolls.model(), rolls.state(), "ball").x(), acceleration, 1e-6);
}

/// Under every law, and by every solver that knows these rows.
TEST(RollingFriction, IsTheSameUnderEveryLawAndSolver) {
  struct Choice {
    const char* solver;
    Law law;
  };
  for (const Choice& choice :
       {Choice{"hybrid", Law::coulomb}, Choice{"hybrid", Law::max_dissipation},
        Choice{"hybrid", Law::convex}, Choice{"per_contact", Law::coulomb},
        Choice{"pgs", Law::coulomb}}) {
    SCOPED_TRACE(choice.solver);
    Simulation simulation = ball(0.002, 0.001);
    simulation.options().solver = choice.solver;
    simulation.options().solver_options.law = choice.law;
    set_velocity(simulation.model(), simulation.state(), "ball", {0.05, 0, 0},
                 {0, 0.05 / radius, 3.0});
    for (int k = 0; k < 1200; ++k) ASSERT_EQ(simulation.step().status, StepStatus::ok);
    EXPECT_LT(simulation.state().v.norm(), 1e-8);
    EXPECT_NEAR(simulation.state().q[0], 0.05 * 0.05 / (2.0 * 0.001 * gravity / (1.4 * radius)),
                1e-4);
  }
}

TEST(RollingFriction, UnknownToASolverIsALoudStatus) {
  Simulation simulation = ball(0.0, 0.001);
  simulation.options().solver = "admm";
  simulation.step();
  EXPECT_EQ(simulation.report().status, StepStatus::refused);
  EXPECT_EQ(simulation.state().time, 0.0);
  EXPECT_NE(simulation.report().message.find("torsional and rolling friction"), std::string::npos)
      << simulation.report().message;
}

/// A ball spins on a plate that floats on ice: both end at one speed, and momentum is conserved.
TEST(TorsionalFriction, TwoBodiesShareTheirSpin) {
  SceneBuilder scene;
  Material ice{.name = "ice", .friction = 0.0, .priority = 1};
  const int slippery = scene.use_material(ice);
  Material material{.name = "turns", .friction = 0.8};
  material.spin_friction = 0.004;
  const int turns = scene.use_material(material);
  scene.set_time_step(1e-3);
  scene.add_plane("plane", at(0, 0, 0), slippery);
  scene.add_cylinder("plate", 0.15, 0.02, 2.0, at(0, 0, 0.02), turns);
  scene.add_sphere("ball", radius, mass, at(0, 0, 0.04 + radius), turns);
  Simulation simulation(scene.build());
  simulation.options().balance = true;
  set_velocity(simulation.model(), simulation.state(), "ball", {0, 0, 0}, {0, 0, 20.0});
  const double plate = 0.5 * 2.0 * 0.15 * 0.15;
  const double momentum = inertia * 20.0;
  for (int k = 0; k < 3000; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_EQ(report.status, StepStatus::ok) << report.message;
    ASSERT_LT(report.balance.momentum_residual, 1e-12);
    const double now = inertia * turning(simulation).z() + plate * turning(simulation, "plate").z();
    ASSERT_NEAR(now, momentum, 1e-9);
    if (k == 499) {
      EXPECT_NEAR(turning(simulation).z(), 20.0 - 0.5 * 0.004 * mass * gravity / inertia, 1e-5);
    }
  }
  EXPECT_NEAR(turning(simulation).z(), momentum / (inertia + plate), 1e-7);
  EXPECT_NEAR(turning(simulation, "plate").z(), momentum / (inertia + plate), 1e-7);
}

/// Two fingers hold a bar away from its centre.
Simulation gripper(double spin_friction) {
  const std::string text = R"(<mujoco><option timestep="0.002"/>
    <default><geom condim="4" friction="1 )" +
                           std::to_string(spin_friction) + R"( 0.0001"/></default>
    <worldbody>
      <body pos="0 -0.03 0"><joint name="left" type="slide" axis="0 1 0"/>
        <geom type="sphere" size="0.01" mass="0.1"/></body>
      <body pos="0 0.03 0"><joint name="right" type="slide" axis="0 -1 0"/>
        <geom type="sphere" size="0.01" mass="0.1"/></body>
      <body name="bar" pos="0.08 0 0"><freejoint/>
        <geom type="box" size="0.15 0.02 0.02" mass="0.2"/></body>
    </worldbody>
    <actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>)";
  Simulation simulation(load_model_text(text, "gripper.xml").model);
  simulation.control().setConstant(20.0);
  return simulation;
}

TEST(TorsionalFriction, AGripperHoldsABarOffItsCentre) {
  // The bar pulls with 0.2 kg · 9.81 m/s² · 0.08 m = 0.157 N·m, the pads hold 2 · 20 N · length.
  Simulation holds = gripper(0.0045);
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(holds.step().status, StepStatus::ok);
  const Eigen::Isometry3d still = pose_of(holds.model(), holds.state(), "bar");
  EXPECT_LT((still.linear() - Eigen::Matrix3d::Identity()).norm(), 1e-6);
  EXPECT_NEAR(still.translation().z(), 0.0, 1e-6);
  EXPECT_LT(holds.state().v.norm(), 1e-7);

  Simulation turns = gripper(0.0025);
  for (int k = 0; k < 400; ++k) ASSERT_EQ(turns.step().status, StepStatus::ok);
  EXPECT_LT(pose_of(turns.model(), turns.state(), "bar").linear()(2, 0), -0.1);  // it hangs down
}

/// Twenty balls with rolling friction: free bodies are kept apart in the solver.
Simulation heap() {
  SceneBuilder scene("heap");
  Material material{.name = "turns", .friction = 0.6};
  material.spin_friction = 0.004;
  material.roll_friction = 0.006;
  scene.use_material(material);
  scene.set_time_step(2e-3);
  scene.add_plane("plane");
  for (int k = 0; k < 20; ++k) {
    scene.add_sphere("ball" + std::to_string(k), 0.05, 0.5,
                     at(0.07 * (k % 3) + 0.002 * k, 0.06 * (k % 2), 0.05 + 0.08 * (k / 2)));
  }
  return Simulation(scene.build());
}

TEST(RollingFriction, AHeapComesToRest) {
  Simulation simulation = heap();
  int uncertified = 0;
  for (int k = 0; k < 2500; ++k) {
    uncertified += simulation.step().status == StepStatus::ok ? 0 : 1;
  }
  EXPECT_EQ(uncertified, 0);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-6);  // balls without it roll for ever
}

TEST(RollingFriction, ContinuesFromASavedStateBitForBit) {
  Simulation first = heap();
  for (int k = 0; k < 300; ++k) first.step();
  const State saved = first.state();
  for (int k = 0; k < 100; ++k) first.step();
  Simulation second = heap();
  second.set_state(saved);
  second.options().threads = 2;
  for (int k = 0; k < 100; ++k) second.step();
  EXPECT_TRUE(same_bits(first.state(), second.state()));
  // What was remembered matters: without it the solver starts elsewhere.
  State forgetful = saved;
  std::erase_if(forgetful.memory, [](const ImpulseMemory& entry) { return entry.key >> 61 == 3; });
  EXPECT_LT(forgetful.memory.size(), saved.memory.size());
}

/// The numbers of a material can be changed between steps.
TEST(RollingFriction, FollowsTheParameters) {
  Simulation simulation = ball(0.0, 0.0);
  Model model = simulation.model();
  EXPECT_FALSE(model.has_turning_friction());
  const int material = model.shapes()[0].material;
  Material value = model.materials()[static_cast<std::size_t>(material)];
  value.roll_friction = 0.01;
  model.set_material(material, value);
  EXPECT_TRUE(model.has_turning_friction());
  EXPECT_EQ(model.contact_material(0, 1).roll_friction, 0.01);
  value.roll_friction = -1.0;
  EXPECT_THROW(model.set_material(material, value), InputError);
  value.roll_friction = 0.0;
  model.set_material(material, value);
  EXPECT_FALSE(model.has_turning_friction());
}

}  // namespace
}  // namespace stiction
