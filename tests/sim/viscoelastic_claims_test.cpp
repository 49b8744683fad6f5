// What springs promise beyond single bodies: orders on a linkage, robots that rest, errors that do
// not grow with the stiffness, materials with springs of their own.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/scenes.hpp"
#include "support/solo12.hpp"
#include "support/spring_options.hpp"

namespace stiction::test {
namespace {

/// Two links that fall with their tip on a floor without friction: inertia and load at the contact
/// change all the time, and nothing jumps. The tip stays on the floor.
Model falling_linkage() {
  return load_model_text(R"(
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" condim="1"/>
    <body name="upper" pos="0 0 0.9" euler="0 40 0">
      <joint name="shoulder" axis="0 1 0"/>
      <inertial pos="0 0 -0.3" mass="1" diaginertia="0.02 0.03 0.02"/>
      <body name="lower" pos="0 0 -0.6" euler="0 -30 0">
        <joint name="elbow" axis="0 1 0"/>
        <inertial pos="0 0 -0.25" mass="0.7" diaginertia="0.01 0.02 0.01"/>
        <geom name="tip" type="sphere" size="0.05" pos="0 0 -0.4" mass="0" condim="1"/>
      </body>
    </body>
  </worldbody>
</mujoco>)",
                         "linkage.xml")
      .model;
}

Eigen::VectorXd linkage_after(ContactIntegrator integrator, double h) {
  StepOptions options = springs(h);
  options.viscoelastic.integrator = integrator;
  options.viscoelastic.stiffness = 2e3;
  options.viscoelastic.damping = 10.0;
  options.integrator = Integrator::rk4;
  Simulation simulation(falling_linkage(), options);
  for (int k = 0; k < std::lround(0.128 / h); ++k) {
    simulation.step();
    EXPECT_EQ(simulation.report().contacts.size(), 1U) << "step " << k << " of " << h;
    EXPECT_GT(simulation.report().contacts.front().impulse.z, 0.0);
  }
  Eigen::VectorXd all(4);
  all << simulation.state().q, simulation.state().v;
  return all;
}

double linkage_order(ContactIntegrator integrator, double h) {
  static const Eigen::VectorXd truth = linkage_after(ContactIntegrator::rk4, 1.25e-4);
  const double coarse = (linkage_after(integrator, h) - truth).norm();
  const double fine = (linkage_after(integrator, 0.5 * h) - truth).norm();
  return std::log2(coarse / fine);
}

TEST(ViscoelasticClaims, IntegratorsHaveTheirOrdersOnAFallingLinkage) {
  EXPECT_NEAR(linkage_order(ContactIntegrator::explicit_euler, 1e-3), 1.0, 0.2);
  EXPECT_NEAR(linkage_order(ContactIntegrator::semi_implicit, 1e-3), 1.0, 0.2);
  EXPECT_NEAR(linkage_order(ContactIntegrator::rk4, 4e-3), 4.0, 0.5);
  EXPECT_NEAR(linkage_order(ContactIntegrator::exponential, 2e-3), 2.0, 0.3);
}

// The load is that of the middle of the step. The velocity there is foreseen from the acceleration
// of the step before: without it, the order falls to one.
TEST(ViscoelasticClaims, TheStateRemembersAccelerations) {
  const auto error = [](bool forgets, double h) {
    StepOptions options = springs(h);
    options.viscoelastic.stiffness = 2e3;
    options.viscoelastic.damping = 10.0;
    Simulation simulation(falling_linkage(), options);
    for (int k = 0; k < std::lround(0.128 / h); ++k) {
      std::vector<ImpulseMemory>& memory = simulation.state().memory;
      if (forgets && !memory.empty()) memory.pop_back();
      simulation.step();
    }
    static const Eigen::VectorXd truth = linkage_after(ContactIntegrator::rk4, 1.25e-4);
    Eigen::VectorXd all(4);
    all << simulation.state().q, simulation.state().v;
    return (all - truth).norm();
  };
  EXPECT_NEAR(std::log2(error(true, 1e-3) / error(true, 5e-4)), 1.0, 0.4);
  EXPECT_GT(error(true, 5e-4), 3.0 * error(false, 5e-4));
}

TEST(ViscoelasticClaims, ARobotAtRestStaysAtRest) {
  const Solo12 robot = standing_solo12();
  Simulation simulation(robot.model, springs(1e-2));
  simulation.set_state(robot.touching);
  simulation.servos() = robot.servos;
  simulation.run(20.0);
  const Eigen::VectorXd start = simulation.state().q;
  simulation.run(60.0);
  EXPECT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
  EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LT(simulation.state().v.lpNorm<Eigen::Infinity>(), 1e-9);
}

/// Two boxes on each other: eight springs, of which four are between moving bodies.
TEST(ViscoelasticClaims, RestHeightsOfAStackDoNotDependOnTheStep) {
  for (const double h : {1e-3, 1e-2, 2e-2}) {
    SceneBuilder scene;
    scene.add_plane("floor");
    scene.add_box("low", {0.1, 0.1, 0.05}, 2.0, at(0, 0, 0.05));
    scene.add_box("high", {0.1, 0.1, 0.05}, 1.0, at(0, 0, 0.15));
    const StepOptions options = springs(h);
    Simulation simulation(scene.build(), options);
    simulation.run(5.0);
    const double K = options.viscoelastic.stiffness;
    const double low = 0.05 - 3.0 * gravity / (4.0 * K);
    EXPECT_NEAR(simulation.state().q[2], low, 1e-9) << h;
    EXPECT_NEAR(simulation.state().q[9], low + 0.1 - gravity / (4.0 * K), 1e-9) << h;
  }
}

/// Error of one step of 2 ms of Solo12, which stands and begins to push, against steps of
/// 1/128 ms.
double local_error(const Solo12& robot, double stiffness) {
  const auto after = [&](double h) {
    StepOptions options = springs(h);
    options.viscoelastic.stiffness = stiffness;
    options.viscoelastic.damping = std::sqrt(stiffness);  // ratio B / 2√K of 0.5, as published
    Simulation simulation(robot.model, options);
    simulation.set_state(robot.touching);
    simulation.state().q[2] -= 2.5 * gravity / (4.0 * stiffness);
    simulation.joint_forces() = 1.2 * robot.torques;
    for (int k = 0; k < std::lround(2e-3 / h); ++k) simulation.step();
    Eigen::VectorXd all(simulation.state().q.size() + simulation.state().v.size());
    all << simulation.state().q, simulation.state().v;
    return all;
  };
  return (after(2e-3) - after(2e-3 / 256)).lpNorm<Eigen::Infinity>();
}

TEST(ViscoelasticClaims, TheErrorOfAStepDoesNotGrowWithTheStiffness) {
  const Solo12 robot = standing_solo12();
  const double soft = local_error(robot, 1e3);
  EXPECT_LE(soft, 1e-3);
  for (double stiffness = 1e4; stiffness < 2e8; stiffness *= 10.0) {
    EXPECT_LE(local_error(robot, stiffness), soft) << stiffness;
  }
}

/// The block decelerates at µg, and the feet of the disc turn while they slide.
TEST(ViscoelasticClaims, SlidingIsSlowedAsCoulombSaysForAnyStep) {
  for (const double h : {1e-4, 1e-3, 1e-2, 2e-2}) {
    Simulation block = scene_at(load_scene("sliding_block"), springs(h), "start");
    block.run(0.5);
    EXPECT_NEAR(block.state().v[0], 2.0 - 0.3 * gravity * 0.5, 2e-3) << h;
    Simulation disc = scene_at(load_scene("disc_spin_down"), springs(h), "start");
    disc.run(0.1);
    EXPECT_NEAR(disc.state().v[5], 20.0 - 58.86 * 0.1, 0.05) << h;
    block.run(0.5);
    disc.run(0.5);
    EXPECT_LT(block.state().v.norm(), 1e-3) << h;
    EXPECT_LT(disc.state().v.norm(), 1e-3) << h;
    EXPECT_EQ(block.counts().energy_grew + disc.counts().energy_grew, 0) << h;
  }
}

/// Coulomb: v' = g sin α − µ g cos α v/|v|, by small steps of Euler's method.
Eigen::Vector2d turning_velocity(double angle, double friction, double speed, double duration) {
  constexpr double dt = 1e-5;
  Eigen::Vector2d v(0.0, speed);
  const Eigen::Vector2d fall(gravity * std::sin(angle), 0.0);
  for (int k = 0; k < std::lround(duration / dt); ++k) {
    v += dt * (fall - friction * gravity * std::cos(angle) * v.normalized());
  }
  return v;
}

/// Heavy and slow, so that the damper alone would turn the friction in several steps. The direction
/// is that of a step's begin: the lag is half a step, which tells up to 0.5 h in m/s here.
TEST(ViscoelasticClaims, FrictionTurnsWithTheVelocityForAnyStep) {
  constexpr double angle = 0.1;
  constexpr double friction = 0.1;
  constexpr double mass = 400.0;
  const Eigen::Vector2d expected = turning_velocity(angle, friction, 0.2, 0.3);
  for (const double h : {1e-3, 5e-3, 1e-2, 2e-2}) {
    SceneBuilder scene;
    scene.use_material(friction);
    scene.add_plane("floor");
    scene.add_box("box", {0.3, 0.3, 0.01}, mass, at(0, 0, 0.01 - mass * gravity / 4e5));
    Simulation simulation(on_slope(scene.build(), angle), springs(h));
    simulation.state().v[1] = 0.2;
    simulation.run(0.3);
    EXPECT_LT((simulation.state().v.head<2>() - expected).norm(), 0.6 * h) << h;
  }
}

TEST(ViscoelasticClaims, MaterialsAreSpringsInSeries) {
  const auto rest = [](double floor, double ball) {
    SceneBuilder scene;
    scene.use_material(Material{.name = "floor", .stiffness = floor});
    scene.add_plane("floor");
    scene.use_material(Material{.name = "ball", .stiffness = ball, .damping = ball * 1e-3});
    scene.add_sphere("ball", 0.1, 1.0, at(0, 0, 0.1));
    Simulation simulation(scene.build(), springs(1e-3));
    simulation.run(10.0);
    return 0.1 - simulation.state().q[2];
  };
  EXPECT_NEAR(rest(0.0, 0.0), gravity / 1e5, 1e-9);  // those of the options
  EXPECT_NEAR(rest(2e4, 0.0), gravity / 2e4, 1e-9);
  EXPECT_NEAR(rest(0.0, 3e4), gravity / 3e4, 1e-9);
  EXPECT_NEAR(rest(2e4, 3e4), gravity * (1.0 / 2e4 + 1.0 / 3e4), 1e-9);
}

TEST(ViscoelasticClaims, FilesGiveGeomsTheirSprings) {
  const Model model = load_model_text(R"(
<mujoco>
  <custom>
    <numeric name="stiction:stiffness" data="4e4"/>
    <numeric name="stiction:stiffness:mat" data="1e4 50"/>
  </custom>
  <worldbody>
    <geom name="mat" type="plane" size="0 0 1"/>
    <body pos="0 0 0.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>)",
                                      "mat.xml")
                          .model;
  Simulation simulation(model, springs(1e-3));
  simulation.run(10.0);
  EXPECT_NEAR(0.1 - simulation.state().q[2], gravity * (1.0 / 1e4 + 1.0 / 4e4), 1e-9);
}

/// A drop of a ball of 1 kg on a material that says how it is damped: closed solution.
TEST(ViscoelasticClaims, TheDampingOfAMaterialCounts) {
  constexpr double K = 1e4;
  constexpr double B = 40.0;
  SceneBuilder scene;
  scene.use_material(Material{.name = "mat", .stiffness = K, .damping = B});
  scene.add_plane("floor");
  scene.use_material(1.0);
  scene.add_sphere("ball", 0.1, 1.0, at(0, 0, 0.1 - 2.0 * gravity / K));
  Simulation simulation(scene.build(), springs(5e-3));
  simulation.step();
  const double t = 5e-3;
  const double w = std::sqrt(K - 0.25 * B * B);
  const double a = -gravity / K;
  const double e = std::exp(-0.5 * B * t);
  const double b = 0.5 * B * a / w;
  EXPECT_NEAR(simulation.state().q[2] - 0.1,
              -gravity / K + e * (a * std::cos(w * t) + b * std::sin(w * t)), 1e-12);
}

TEST(ViscoelasticClaims, WrongSpringsOfMaterialsAreNamed) {
  const auto message = [](const Material& material) {
    SceneBuilder scene;
    scene.use_material(material);
    scene.add_plane("floor");
    try {
      static_cast<void>(scene.build());
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({.name = "mat", .stiffness = -1.0}).find("stiffness and damping are -1 N/m"),
            std::string::npos);
  EXPECT_NE(message({.name = "mat", .stiffness = 1e4, .damping = std::nan("")}).find("material"),
            std::string::npos);
  EXPECT_NE(message({.name = "mat", .damping = 3.0}).find("it has damping but no stiffness"),
            std::string::npos);
}

TEST(ViscoelasticClaims, NumbersThatAreNoneAreNamed) {
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    StepOptions options = springs(1e-3);
    options.viscoelastic.stiffness = wrong;
    EXPECT_NE(fault_of(options).find("viscoelastic.stiffness is"), std::string::npos) << wrong;
    EXPECT_THROW(Simulation(falling_linkage(), options), std::invalid_argument);
  }
  for (const double wrong : {-1.0, std::nan(""), HUGE_VAL}) {
    StepOptions options = springs(1e-3);
    options.viscoelastic.damping = wrong;
    EXPECT_NE(fault_of(options).find("viscoelastic.damping is"), std::string::npos) << wrong;
    options = springs(wrong);
    EXPECT_NE(fault_of(options).find("time_step is"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace stiction::test
