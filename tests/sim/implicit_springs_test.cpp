// Springs at contacts by implicit Euler: closed recursions, order, large steps, hard rows, and what
// is said where it does not converge.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/dynamics/integrate.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

constexpr double radius = 0.1;

StepOptions springs(ContactIntegrator integrator, double time_step,
                    AnchorRules rules = AnchorRules::surface) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.viscoelastic.integrator = integrator;
  options.viscoelastic.rules = rules;
  options.time_step = time_step;
  return options;
}

StepOptions implicit(double time_step, AnchorRules rules = AnchorRules::surface) {
  return springs(ContactIntegrator::implicit_euler, time_step, rules);
}

Simulation ball(double height, const StepOptions& options) {
  SceneBuilder scene;
  scene.use_material(1.0);
  scene.add_plane("floor");
  scene.add_sphere("ball", radius, 1.0, at(0, 0, height));
  return Simulation(scene.build(), options);
}

/// (m + hB + h²K) v⁺ = m (v − h g) − hK x for 1 kg.
double next_speed(double x, double v, double K, double B, double h) {
  return (v - h * gravity - h * K * x) / (1.0 + h * B + h * h * K);
}

TEST(ImplicitSprings, AMassOnASpringFollowsTheClosedRecursion) {
  for (const double h : {1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    StepOptions options = implicit(h);
    options.viscoelastic.newton_tolerance = 1e-13;
    const double K = options.viscoelastic.stiffness;
    double x = -2.0 * gravity / K;
    double v = 0.0;
    Simulation simulation = ball(radius + x, options);
    for (int k = 0; k < 50; ++k) {
      simulation.step();
      ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
      v = next_speed(x, v, K, options.viscoelastic.damping, h);
      x += h * v;
      ASSERT_LT(x, 0.0) << "the recursion is that of a spring that also pulls";
      EXPECT_NEAR(simulation.state().q[2] - radius, x, 1e-12) << h << ", step " << k;
      EXPECT_NEAR(simulation.state().v[2], v, 1e-12) << h << ", step " << k;
    }
  }
}

// A contact that closes within the step: its damper acts for the share of it that is left.
TEST(ImplicitSprings, ATouchDownFollowsTheClosedRecursion) {
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    for (const double h : {1e-3, 1e-2}) {
      for (const double share : {0.01, 0.3, 0.6, 0.99}) {
        const StepOptions options = implicit(h, rules);
        const double B = options.viscoelastic.damping;
        const double K = rules == AnchorRules::surface ? options.viscoelastic.stiffness : 0.0;
        constexpr double speed = -1.0;
        const double gap = share * -h * (speed - h * gravity);
        Simulation simulation = ball(radius + gap, options);
        State state = simulation.state();
        state.v[2] = speed;
        simulation.set_state(state);
        simulation.step();
        ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
        const double v = next_speed(gap, speed, K + B / h, 0.0, h);
        EXPECT_NEAR(simulation.state().v[2], v, 1e-12) << h << " " << share;
        ASSERT_EQ(simulation.report().contacts.size(), 1U);
        EXPECT_GT(simulation.report().contacts[0].impulse.z, 0.0);
      }
    }
  }
}

/// The quadruped of models/scenes above its floor, thrown.
State thrown_quadruped(const Model& model) {
  Simulation simulation(model);
  simulation.reset_to_keyframe("stand");
  State state = simulation.state();
  state.q[2] += 0.02;
  state.v.head<3>() << 0.5, 0.1, -0.5;
  state.v[5] = 0.5;
  return state;
}

struct Landing {
  State end;
  int steps = 0;
  int iterations = 0;
  bool slipped = false;
  bool stuck = false;
};

Landing land(const Model& model, const StepOptions& options, const State& start, double duration) {
  Simulation simulation(model, options);
  simulation.reset_to_keyframe("stand");
  simulation.set_state(start);
  Landing result;
  result.steps = static_cast<int>(std::lround(duration / options.time_step));
  for (int k = 0; k < result.steps; ++k) {
    simulation.step();
    EXPECT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
    result.iterations += simulation.report().iterations;
    for (const StepContact& contact : simulation.report().contacts) {
      result.slipped |= contact.mode == ContactMode::slip;
      result.stuck |= contact.mode == ContactMode::stick;
    }
  }
  result.end = simulation.state();
  return result;
}

double distance(const Model& model, const State& a, const State& b) {
  return std::hypot(difference(model, b.q, a.q).norm(), (a.v - b.v).norm());
}

struct LandingTest {
  double friction;
  double first_step;
  bool slips;
};

// Feet touch down and stick, or slip.
TEST(ImplicitSprings, ALandingRobotConvergesToTheOtherIntegratorsWithOrderOne) {
  for (const LandingTest& test : {LandingTest{1.0, 4e-4, false}, LandingTest{0.2, 5e-5, true}}) {
    const Model model = with_friction(load_scene("quadruped_stand"), test.friction);
    const State start = thrown_quadruped(model);
    constexpr double duration = 0.1;
    const StepOptions small_steps = springs(ContactIntegrator::rk4, 2e-6);
    const State truth = land(model, small_steps, start, duration).end;
    double before = 0.0;
    for (double h = test.first_step; h > 0.2 * test.first_step; h *= 0.5) {
      const Landing landing = land(model, implicit(h), start, duration);
      EXPECT_EQ(landing.stuck, !test.slips);
      EXPECT_EQ(landing.slipped, test.slips);
      const double error = distance(model, landing.end, truth);
      if (before > 0.0) {
        EXPECT_NEAR(std::log2(before / error), 1.0, 0.25) << test.friction << ", " << h;
      }
      before = error;
    }
    EXPECT_LT(before, 5e-3) << test.friction;
  }
}

TEST(ImplicitSprings, FewIterationsAreEnough) {
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    for (const double friction : {1.0, 0.2}) {
      const Model model = with_friction(load_scene("quadruped_stand"), friction);
      for (const double h : {1e-4, 1e-3, 5e-3}) {
        const Landing landing = land(model, implicit(h, rules), thrown_quadruped(model), 0.5);
        EXPECT_LT(landing.iterations, 5 * landing.steps) << friction << ", " << h;
      }
    }
  }
}

TEST(ImplicitSprings, StandsWithStiffSpringsAtLargeSteps) {
  for (const double stiffness : {1e5, 1e8}) {
    for (const double h : {1e-2, 4e-2}) {
      StepOptions options = implicit(h);
      options.viscoelastic.stiffness = stiffness;
      options.viscoelastic.damping = std::sqrt(stiffness);
      Simulation simulation(load_scene("quadruped_stand"), options);
      simulation.reset_to_keyframe("stand");
      for (int k = 0; k * h < 8.0; ++k) {
        simulation.step();
        ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
      }
      const Eigen::VectorXd start = simulation.state().q;
      simulation.run(2.0);
      EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-6)
          << stiffness << ", " << h;
      EXPECT_EQ(simulation.report().contacts.size(), 4U);
    }
  }
}

// Where it stands, explicit rules of the same springs cannot.
TEST(ImplicitSprings, ExplicitEulerDoesNotStandAtThoseSteps) {
  Simulation simulation(load_scene("quadruped_stand"),
                        springs(ContactIntegrator::semi_implicit, 1e-2));
  simulation.reset_to_keyframe("stand");
  bool fails = false;
  for (int k = 0; k < 300 && !fails; ++k) {
    simulation.step();
    fails = simulation.report().status != StepStatus::ok || simulation.state().v.norm() > 100.0;
  }
  EXPECT_TRUE(fails);
}

TEST(ImplicitSprings, NotConvergedIsToldWithARemedy) {
  StepOptions options = implicit(1e-2);
  options.viscoelastic.newton_iterations = 1;
  const Model model = load_scene("quadruped_stand");
  Simulation simulation(model, options);
  simulation.reset_to_keyframe("stand");
  simulation.set_state(thrown_quadruped(model));
  bool told = false;
  for (int k = 0; k < 20 && !told; ++k) {
    simulation.step();
    const StepReport& report = simulation.report();
    told = report.status == StepStatus::not_certified;
    if (!told) continue;
    EXPECT_EQ(report.solver_status, SolverStatus::iteration_limit);
    EXPECT_GE(report.uncertified, 1);
    EXPECT_NE(report.message.find("implicit Euler did not converge"), std::string::npos);
    EXPECT_NE(report.message.find("take a shorter time step"), std::string::npos);
    EXPECT_TRUE(simulation.state().v.allFinite());
  }
  EXPECT_TRUE(told);
}

// Locks, limits and actuators in the same step: hard rows are certified, and hold.
TEST(ImplicitSprings, AGripperHoldsItsBox) {
  for (const double h : {1e-3, 5e-3}) {
    Simulation simulation(load_scene("gripper"), implicit(h));
    simulation.reset_to_keyframe("hold");
    for (int k = 0; k * h < 1.0; ++k) {
      simulation.step();
      ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
    }
    const Eigen::VectorXd start = simulation.state().q;
    simulation.run(2.0);
    EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-3) << h;
  }
}

/// A body on two legs with knees: limits, joint friction and a lock between both knees.
Model walker() {
  const std::string leg = R"(
      <body name="thigh_SIDE" pos="0 Y 0">
        <joint name="hip_SIDE" axis="0 1 0" range="-0.6 0.6" limited="true" frictionloss="0.3"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 -0.2" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
        <body name="shank_SIDE" pos="0.1 0 -0.2">
          <joint name="knee_SIDE" axis="0 1 0" range="-0.2 1.2" limited="true" frictionloss="0.1"/>
          <geom type="capsule" fromto="0 0 0 -0.1 0 -0.2" size="0.02" mass="0.3" contype="0" conaffinity="0"/>
          <geom name="foot_SIDE" type="sphere" pos="-0.1 0 -0.2" size="0.03" mass="0.1"/>
        </body>
      </body>)";
  const auto side = [&](const std::string& name, const std::string& y) {
    std::string text = leg;
    for (std::size_t at; (at = text.find("SIDE")) != std::string::npos;) text.replace(at, 4, name);
    text.replace(text.find("\"0 Y 0\""), 7, "\"0 " + y + " 0\"");
    return text;
  };
  const std::string scene =
      R"(<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="5 5 1"/>
    <body name="base" pos="0 0 0.5"><freejoint/><geom type="box" size="0.1 0.2 0.05" mass="4"/>)" +
      side("left", "0.15") + side("right", "-0.15") +
      R"(</body></worldbody><equality>
    <joint joint1="knee_left" joint2="knee_right"/></equality></mujoco>)";
  return load_model_text(scene, "walker").model;
}

// It falls, its knees give way until they are at their limits, and it comes to rest.
TEST(ImplicitSprings, LimitsLocksAndJointFrictionHoldInTheSameStep) {
  const Model model = walker();
  for (const double h : {1e-3, 5e-3}) {
    Simulation simulation(model, implicit(h));
    int at_limits = 0;
    for (int k = 0; k * h < 3.0; ++k) {
      simulation.step();
      ASSERT_EQ(simulation.report().status, StepStatus::ok)
          << simulation.report().message << " at " << k * h;
      for (const StepConstraint& row : simulation.report().constraints) {
        at_limits += row.kind == BlockKind::limit && row.impulse[0] > 0.0 ? 1 : 0;
      }
      for (const Joint& joint : model.joints()) {
        if (joint.kind != JointKind::revolute) continue;
        const double angle = simulation.state().q[joint.position_index];
        ASSERT_GT(angle, joint.limits.lower - 1e-6) << joint.name;
        ASSERT_LT(angle, joint.limits.upper + 1e-6) << joint.name;
      }
    }
    EXPECT_GT(at_limits, 10) << h;
    const auto knee = [&](const char* name) {
      return simulation.state().q[model.joint(*model.find_joint(name)).position_index];
    };
    EXPECT_NEAR(knee("knee_left"), knee("knee_right"), 1e-6) << h;
    EXPECT_LT(simulation.state().v.norm(), 1e-3) << h;
  }
}

// A loop of flat hinges: locks with rows that repeat others, and rows across which nothing moves.
TEST(ImplicitSprings, AFlatLinkageKeepsItsLoopClosed) {
  Simulation simulation(load_scene("four_bar"), implicit(1e-3));
  for (int k = 0; k < 500; ++k) {
    simulation.step();
    ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
  }
}

TEST(ImplicitSprings, ABallThatRollsKeepsRolling) {
  for (const double h : {1e-3, 1e-2}) {
    const StepOptions options = implicit(h);
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

TEST(ImplicitSprings, ABoxThatFrictionHoldsStays) {
  Simulation simulation(load_scene("slope_box"), implicit(1e-2));
  simulation.run(5.0);
  const Eigen::VectorXd start = simulation.state().q;
  simulation.run(20.0);
  EXPECT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
  EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>(), 1e-9);
}

TEST(ImplicitSprings, AStateThatIsRestoredGoesOnWithTheSameBits) {
  const Model model = load_scene("quadruped_stand");
  Simulation simulation(model, implicit(1e-3));
  simulation.reset_to_keyframe("stand");
  simulation.set_state(thrown_quadruped(model));
  simulation.run(0.3);
  const State middle = simulation.state();
  simulation.run(0.3);
  Simulation other(model, implicit(1e-3));
  other.reset_to_keyframe("stand");
  other.set_state(middle);
  other.run(0.3);
  EXPECT_TRUE(same_bits(simulation.state(), other.state()));
}

TEST(ImplicitSprings, AStepAllocatesNothing) {
  for (const char* scene : {"quadruped_stand", "gripper"}) {
    Simulation simulation(load_scene(scene), implicit(1e-3));
    simulation.reset_to_keyframe(scene[0] == 'g' ? "hold" : "stand");
    const State start = simulation.state();
    for (int k = 0; k < 200; ++k) simulation.step();
    simulation.set_state(start);
    std::size_t allocations = 0;
    for (int k = 0; k < 200; ++k) {
      const AllocationCounter counter;
      simulation.step();
      allocations += counter.count();
    }
    EXPECT_EQ(allocations, 0U) << scene;
  }
}

}  // namespace
}  // namespace stiction::test
