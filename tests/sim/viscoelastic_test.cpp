// Contacts as springs with dampers: closed solutions, what holds and what slips, and states that
// can be restored.

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"
#include "support/spring_options.hpp"

namespace stiction::test {
namespace {

constexpr double gravity = 9.81;
constexpr double radius = 0.1;

/// A ball of 1 kg on a floor, its centre at a height.
Simulation ball(double height, const StepOptions& options, double friction = 1.0) {
  SceneBuilder scene;
  scene.use_material(friction);
  scene.add_plane("floor");
  scene.add_sphere("ball", radius, 1.0, at(0, 0, height));
  return Simulation(scene.build(), options);
}

struct Motion1 {
  double position = 0.0;
  double velocity = 0.0;
};

/// x'' = −K x − B x' − g for 1 kg, underdamped.
Motion1 spring_motion(const Motion1& start, double K, double B, double t) {
  const double rest = -gravity / K;
  const double decay = 0.5 * B;
  const double w = std::sqrt(K - decay * decay);
  const double a = start.position - rest;
  const double b = (start.velocity + decay * a) / w;
  const double e = std::exp(-decay * t);
  const double c = std::cos(w * t);
  const double s = std::sin(w * t);
  return {rest + e * (a * c + b * s), e * ((b * w - decay * a) * c - (a * w + decay * b) * s)};
}

TEST(Viscoelastic, AMassOnASpringMovesAsTheClosedSolutionForAnyStep) {
  for (const double h : {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    const StepOptions options = springs(h);
    const double K = options.viscoelastic.stiffness;
    const Motion1 start{-2.0 * gravity / K, 0.0};  // It never leaves the floor.
    Simulation simulation = ball(radius + start.position, options);
    simulation.step();
    const Motion1 end = spring_motion(start, K, options.viscoelastic.damping, h);
    EXPECT_NEAR(simulation.state().q[2] - radius, end.position, 1e-12) << h;
    EXPECT_NEAR(simulation.state().v[2], end.velocity, 1e-12) << h;
  }
}

double error_after(ContactIntegrator integrator, double h) {
  constexpr double duration = 0.01;
  StepOptions options = springs(h);
  options.viscoelastic.integrator = integrator;
  const double K = options.viscoelastic.stiffness;
  const Motion1 start{-2.0 * gravity / K, 0.0};
  Simulation simulation = ball(radius + start.position, options);
  for (int k = 0; k < std::lround(duration / h); ++k) simulation.step();
  const Motion1 end = spring_motion(start, K, options.viscoelastic.damping, duration);
  return std::abs(simulation.state().v[2] - end.velocity);
}

double order(ContactIntegrator integrator, double h) {
  return std::log2(error_after(integrator, h) / error_after(integrator, 0.5 * h));
}

TEST(Viscoelastic, IntegratorsHaveTheirOrders) {
  EXPECT_NEAR(order(ContactIntegrator::explicit_euler, 1e-5), 1.0, 0.15);
  EXPECT_NEAR(order(ContactIntegrator::semi_implicit, 1e-5), 1.0, 0.15);
  EXPECT_NEAR(order(ContactIntegrator::implicit_euler, 1e-5), 1.0, 0.15);
  EXPECT_NEAR(order(ContactIntegrator::rk4, 2e-4), 4.0, 0.3);
}

TEST(Viscoelastic, TheRestHeightDoesNotDependOnTheStep) {
  for (const double h : {1e-3, 1e-2, 4e-2}) {
    const StepOptions options = springs(h);
    Simulation simulation = ball(radius, options);
    simulation.run(2.0);
    const double rest = radius - gravity / options.viscoelastic.stiffness;
    EXPECT_NEAR(simulation.state().q[2], rest, 1e-9) << h;
  }
}

// A step finds the ball up to its way too deep. The spring must not press for that: at 10 ms and
// 2 m/s it would hold up to 60 J, where the fall brings 2 J. Little damping, so that it shows.
TEST(Viscoelastic, ALateTouchDownBringsNoEnergy) {
  const double drop = 0.2;
  for (const double stiffness : {5e4, 1e5, 2e5, 3e5}) {
    SCOPED_TRACE(stiffness);
    StepOptions options = springs(1e-2);
    options.viscoelastic.stiffness = stiffness;
    options.viscoelastic.damping = 30.0;
    Simulation simulation = ball(radius + drop, options);
    double highest = 0.0;
    bool landed = false;
    for (int k = 0; k < 100; ++k) {
      simulation.step();
      landed |= !simulation.report().contacts.empty();
      if (landed) highest = std::max(highest, simulation.state().q[2] - radius);
    }
    EXPECT_TRUE(landed);
    EXPECT_LT(highest, drop);
  }
}

TEST(Viscoelastic, ALateTouchDownLeavesNoLastingOverlap) {
  for (const double h : {2e-2, 1e-2, 5e-3}) {
    const StepOptions options = springs(h);
    Simulation simulation = ball(radius + 0.2, options);
    simulation.run(3.0);
    const double rest = radius - gravity / options.viscoelastic.stiffness;
    EXPECT_NEAR(simulation.state().q[2], rest, 1e-6) << h;
  }
}

TEST(Viscoelastic, ContactsPushOnlyAndBallsLeaveTheFloor) {
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    StepOptions options = springs(1e-3);
    options.viscoelastic.rules = rules;
    Simulation simulation = ball(radius + 0.2, options);
    double highest = 0.0;
    bool landed = false;
    for (int k = 0; k < 500; ++k) {
      simulation.step();
      ASSERT_EQ(simulation.report().status, StepStatus::ok);
      for (const StepContact& contact : simulation.report().contacts) {
        EXPECT_GE(contact.impulse.z, 0.0);
        landed |= contact.impulse.z > 0.0;
      }
      if (landed) highest = std::max(highest, simulation.state().q[2] - radius);
    }
    EXPECT_TRUE(landed);
    EXPECT_GT(highest, 0.005);
    EXPECT_LT(highest, 0.1);
  }
}

TEST(Viscoelastic, ABoxThatFrictionHoldsStaysForAMinute) {
  Simulation simulation(load_scene("slope_box"), springs(1e-2));
  simulation.run(5.0);
  const Eigen::VectorXd start = simulation.state().q;
  simulation.run(60.0);
  EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-9);
}

TEST(Viscoelastic, ABoxSlidesAsCoulombSays) {
  constexpr double slope = 0.5;
  constexpr double friction = 0.3;
  SceneBuilder scene;
  scene.use_material(friction);
  scene.add_plane("floor", at(Eigen::Vector3d::Zero(), slope, Eigen::Vector3d::UnitY()));
  const Eigen::Vector3d normal(std::sin(slope), 0.0, std::cos(slope));
  scene.add_box("box", {0.1, 0.1, 0.05}, 1.0, at(0.05 * normal, slope, Eigen::Vector3d::UnitY()));
  Simulation simulation(scene.build(), springs(1e-3));
  simulation.run(0.5);
  const Eigen::Vector3d down(std::cos(slope), 0.0, -std::sin(slope));
  const double before = down.dot(simulation.state().v.head<3>());
  simulation.run(1.0);
  const double after = down.dot(simulation.state().v.head<3>());
  const double expected = gravity * (std::sin(slope) - friction * std::cos(slope));
  EXPECT_NEAR(after - before, expected, 0.01 * expected);
}

// The point of contact wanders over the ball; its spring must neither brake nor lift it.
TEST(Viscoelastic, ABallThatRollsKeepsRolling) {
  for (const double h : {1e-3, 1e-2}) {
    const StepOptions options = springs(h);
    Simulation simulation = ball(radius - gravity / options.viscoelastic.stiffness, options);
    State state = simulation.state();
    constexpr double speed = 2.0;
    state.v[0] = speed;
    state.v[4] = speed / radius;
    simulation.set_state(state);
    simulation.run(1.0);
    EXPECT_NEAR(simulation.state().v[0], speed, 0.01 * speed) << h;
    EXPECT_NEAR(simulation.state().v[4], speed / radius, 0.01 * speed / radius) << h;
    EXPECT_NEAR(simulation.state().q[2], radius, 2e-4) << h;
  }
}

TEST(Viscoelastic, AStateThatIsRestoredGoesOnWithTheSameBits) {
  Simulation simulation(load_scene("quadruped_stand"), springs(1e-3));
  simulation.reset_to_keyframe("stand");
  simulation.run(0.3);
  const State middle = simulation.state();
  simulation.run(0.3);
  Simulation other(load_scene("quadruped_stand"), springs(1e-3));
  other.reset_to_keyframe("stand");
  other.set_state(middle);
  other.run(0.3);
  EXPECT_TRUE(same_bits(simulation.state(), other.state()));
  EXPECT_EQ(hash(simulation.state()), hash(other.state()));
}

// Actuators, limits and contacts between moving bodies in one step.
TEST(Viscoelastic, AGripperHoldsItsBox) {
  Simulation simulation(load_scene("gripper"), springs(1e-3));
  simulation.reset_to_keyframe("hold");
  simulation.run(1.0);
  const Eigen::VectorXd start = simulation.state().q;
  simulation.run(2.0);
  EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(Viscoelastic, AStepAllocatesNothing) {
  Simulation simulation(load_scene("quadruped_stand"), springs(1e-3));
  simulation.reset_to_keyframe("stand");
  const State start = simulation.state();
  for (int k = 0; k < 200; ++k) simulation.step();
  simulation.set_state(start);
  std::size_t allocations = 0;
  for (int k = 0; k < 200; ++k) {
    const AllocationCounter counter;
    simulation.step();
    allocations += counter.count();
  }
  EXPECT_EQ(allocations, 0U);
}

TEST(Viscoelastic, WrongConstantsAreNamed) {
  StepOptions options = springs(1e-3);
  options.viscoelastic.stiffness = 0.0;
  EXPECT_NE(fault_of(options).find("viscoelastic.stiffness is 0"), std::string::npos)
      << fault_of(options);
  options = springs(1e-3);
  options.viscoelastic.damping = -1.0;
  EXPECT_NE(fault_of(options).find("viscoelastic.damping is -1"), std::string::npos);
}

}  // namespace
}  // namespace stiction::test
