// Contacts that begin and end within a step of exponential integration: closed solutions, and the
// same motion for every step.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"
#include "support/spring_options.hpp"

namespace stiction::test {
namespace {

constexpr double radius = 0.1;
constexpr double K = 1e5;
constexpr double B = 300.0;

/// A ball of 1 kg above a floor.
Simulation ball(double height, double time_step) {
  SceneBuilder scene;
  scene.add_plane("floor");
  scene.add_sphere("ball", radius, 1.0, at(0, 0, radius + height));
  return Simulation(scene.build(), springs(time_step));
}

struct Flight {
  double height = 0.0;  ///< of the lowest point [m]
  double speed = 0.0;   ///< upwards [m/s]
};

/// Of 1 kg under its weight.
Flight fly(const Flight& start, double t) {
  return {start.height + t * (start.speed - 0.5 * gravity * t), start.speed - gravity * t};
}

/// x'' = −K x − B x' − g for 1 kg, underdamped.
Flight press(const Flight& start, double t) {
  const double rest = -gravity / K;
  const double decay = 0.5 * B;
  const double w = std::sqrt(K - decay * decay);
  const double a = start.height - rest;
  const double b = (start.speed + decay * a) / w;
  const double e = std::exp(-decay * t);
  return {rest + e * (a * std::cos(w * t) + b * std::sin(w * t)),
          e * ((b * w - decay * a) * std::cos(w * t) - (a * w + decay * b) * std::sin(w * t))};
}

/// When a ball that touches down at this speed is let go: where its force reaches zero.
double contact_time(const Flight& touch) {
  double early = 1e-4;
  double late = 1.2e-2;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (early + late);
    const Flight there = press(touch, middle);
    (K * there.height + B * there.speed < 0.0 ? early : late) = middle;
  }
  return late;
}

/// Drop, contact and flight, each by its closed solution.
Flight bounced(double height, double t) {
  const double fall = std::sqrt(2.0 * height / gravity);
  if (t < fall) return fly({height, 0.0}, t);
  const Flight touch{0.0, -gravity * fall};
  const double contact = contact_time(touch);
  if (t < fall + contact) return press(touch, t - fall);
  return fly(press(touch, contact), t - fall - contact);
}

// The law is linear between the events, so each step is exact whatever it is cut into.
TEST(ViscoelasticEvents, ABallBouncesAsTheClosedSolutionForAnyStep) {
  constexpr double height = 0.05;
  constexpr double duration = 0.12;  // It touches down at 0.101 s and is let go before 0.112 s.
  for (const double h : {1e-3, 4e-3, 1e-2, 0.03, 0.12}) {
    Simulation simulation = ball(height, h);
    for (int k = 0; k < std::lround(duration / h); ++k) simulation.step();
    const Flight end = bounced(height, duration);
    EXPECT_NEAR(simulation.state().q[2] - radius, end.height, 1e-8) << h;
    EXPECT_NEAR(simulation.state().v[2], end.speed, 1e-7) << h;
    EXPECT_EQ(simulation.counts().energy_grew, 0) << h;
  }
}

// Until the touch-down the ball is free; from there it sticks, and rolls off the anchor that it
// touched at.
/// A trunk that falls onto the ball at the end of its leg. With a hinge, a torque holds the leg at
/// its limit.
Model trunk_on_a_leg(bool with_hinge) {
  const std::string hinge =
      with_hinge ? "<joint name='hip' axis='0 1 0' limited='true' range='0 60'/>" : "";
  return load_model_text(R"(
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 0.61">
      <freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.02 0.03 0.02"/>
      <body name="leg" pos="0.05 0 -0.2">)" +
                             hinge + R"(
        <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.004 0.005 0.004"/>
        <geom name="foot" type="sphere" size="0.05" pos="0 0 -0.35" mass="0"/>
      </body>
    </body>
  </worldbody>
</mujoco>)",
                         "leg.xml")
      .model;
}

/// Velocities of the trunk after a step in which the foot touches down. In the first step nothing
/// is remembered: the limit turns out to hold once the springs have been integrated, and they are
/// integrated again.
Eigen::VectorXd trunk_after(bool with_hinge) {
  Simulation simulation(trunk_on_a_leg(with_hinge), springs(2e-3));
  simulation.state().q[2] = 0.6005;
  simulation.state().v[2] = -0.5;
  if (with_hinge) simulation.joint_forces()[6] = -30.0;
  simulation.step();
  EXPECT_GT(simulation.report().contacts.front().impulse.z, 0.01);
  return simulation.state().v.head<6>();
}

TEST(ViscoelasticEvents, ALimitThatHoldsIsAsStiffAsNoJointInAStepWithATouchDown) {
  EXPECT_LT((trunk_after(true) - trunk_after(false)).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(ViscoelasticEvents, AnAnchorIsWhereTheContactTouched) {
  const auto after = [](double h) {
    SceneBuilder scene;
    scene.add_plane("floor");
    scene.add_box("box", {0.2, 0.2, 0.01}, 1.0, at(0, 0, 0.01 + 1e-3));
    Simulation simulation(scene.build(), springs(h));
    simulation.state().v[0] = 0.05;
    simulation.state().v[2] = -0.2;
    for (int k = 0; k < std::lround(0.02 / h); ++k) simulation.step();
    return simulation.state();
  };
  const State fine = after(1e-5);
  for (const double h : {1e-3, 5e-3, 2e-2}) {
    const State state = after(h);
    EXPECT_LT((state.q - fine.q).lpNorm<Eigen::Infinity>(), 2e-6) << h;
    EXPECT_LT((state.v - fine.v).lpNorm<Eigen::Infinity>(), 2e-3) << h;
  }
}

// Boxes that fall on each other: two moving bodies, manifolds of four points, and hard steps.
TEST(ViscoelasticEvents, AFallingStackComesToRestForLargeSteps) {
  for (const double h : {1e-3, 1e-2, 2e-2}) {
    SceneBuilder scene;
    scene.add_plane("floor");
    scene.add_box("low", {0.1, 0.1, 0.05}, 2.0, at(0, 0, 0.06));
    scene.add_box("high", {0.1, 0.1, 0.05}, 1.0, at(0, 0, 0.18));
    Simulation simulation(scene.build(), springs(h));
    simulation.run(5.0);
    EXPECT_NEAR(simulation.state().q[2], 0.05 - 3.0 * gravity / (4.0 * K), 1e-6) << h;
    EXPECT_NEAR(simulation.state().q[9], 0.15 - 4.0 * gravity / (4.0 * K), 1e-6) << h;
    EXPECT_EQ(simulation.counts().energy_grew, 0) << h;
  }
}

TEST(ViscoelasticEvents, AStepThatIsCutAllocatesNothing) {
  Simulation simulation(load_scene("quadruped_stand"), springs(5e-3));
  simulation.reset_to_keyframe("stand");
  simulation.state().q[2] += 0.1;
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

}  // namespace
}  // namespace stiction::test
