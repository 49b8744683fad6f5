// Overlaps pushed out of the positions alone: robots, limits, locks, kinematic bodies, bounces.

#include "stiction/rigid/position_push.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/contact_problems.hpp"

namespace stiction {
namespace {

StepOptions pushing(double share = 1.0) {
  StepOptions options{.time_step = 0.001};
  options.push_out_share = share;
  options.push_out_speed = 100.0;
  options.push_out_sweeps = 200;
  return options;
}

/// A chain of links along x, without gravity, each 0.2 m long with a ball at its end. It floats, or
/// its first link is hinged to the world.
class Chain {
 public:
  explicit Chain(bool floats, const JointLimits& limits = {}) {
    scene.set_gravity(Eigen::Vector3d::Zero());
    scene.use_material(0.5);
    int parent = floats ? scene.add_box("base", {0.05, 0.05, 0.05}, 1.0, at(0, 0, 0)) : world_body;
    for (int k = 0; k < 3; ++k) {
      LinkSpec link;
      link.name = "link" + std::to_string(k);
      link.mass = 0.5;
      link.center_of_mass = {0.1, 0, 0};
      link.inertia = Eigen::Vector3d(1e-3, 2e-3, 2e-3).asDiagonal();
      link.shapes = {scene.sphere(0.03, at(0.2, 0, 0))};
      JointSpec joint;
      joint.name = "joint" + std::to_string(k);
      joint.parent = parent;
      joint.child = parent = scene.builder().add_link(std::move(link));
      joint.pose_in_parent = at(k == 0 ? 0.0 : 0.2, 0, 0);
      joint.axis = Eigen::Vector3d::UnitY();
      joint.limits = limits;
      scene.builder().add_joint(joint);
    }
  }

  SceneBuilder scene;
};

/// The last link's ball overlaps a floor: the whole chain gives way, along its joints.
TEST(PositionPush, RobotsLeaveOverlapsAlongTheirJoints) {
  for (const bool floats : {false, true}) {
    Chain chain(floats);
    chain.scene.add_plane("floor", at(0, 0, -0.06));
    Simulation simulation(chain.scene.build(), pushing());
    // Bent so that only the last ball is inside: its centre is to be 0.03 above the floor.
    const int hinge = floats ? 7 : 0;
    simulation.state().q[hinge + 2] = std::asin(0.04 / 0.2);
    StepReport report = simulation.step();
    EXPECT_NEAR(report.deepest_overlap, 0.01, 1e-12);
    EXPECT_EQ(simulation.state().v.norm(), 0.0);
    // Rotations bend the way out: what is left is of second order in the push.
    report = simulation.step();
    EXPECT_LT(report.deepest_overlap, 5e-4) << (floats ? "floating" : "hinged");
    for (int k = 0; k < 5; ++k) report = simulation.step();
    EXPECT_LT(report.deepest_overlap, 1e-9);
    EXPECT_EQ(simulation.state().v.norm(), 0.0);
  }
}

TEST(PositionPush, JointsLeaveTheFarSideOfTheirLimits) {
  Chain chain(true, {.lower = -0.5, .upper = 0.5});
  Simulation simulation(chain.scene.build(), pushing(0.5));
  simulation.state().q[8] = 0.6;
  simulation.step();
  EXPECT_NEAR(simulation.state().q[8], 0.55, 1e-9);
  EXPECT_EQ(simulation.state().v.norm(), 0.0);
}

/// A lock must not come apart for an overlap.
TEST(PositionPush, LocksHoldWhileOverlapsAreLeft) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(0.5);
  scene.add_plane("floor");
  const int a = scene.add_box("a", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.09));
  const int b = scene.add_box("b", {0.1, 0.1, 0.1}, 3.0, at(0.3, 0, 0.5));
  Coupling weld;
  weld.kind = Coupling::Kind::weld;
  weld.body_a = a;
  weld.body_b = b;
  weld.pose_a = at(0.3, 0, 0.41);
  weld.pose_b = at(0, 0, 0);
  scene.builder().add_coupling(weld);
  Simulation simulation(scene.build(), pushing());
  for (int k = 0; k < 40; ++k) ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
  const Eigen::VectorXd& q = simulation.state().q;
  const Eigen::Quaterniond turn(q[6], q[3], q[4], q[5]);
  const Eigen::Vector3d apart = turn.conjugate() * (q.segment<3>(7) - q.segment<3>(0));
  EXPECT_LT(simulation.report().deepest_overlap, 1e-6);
  EXPECT_LT((apart - Eigen::Vector3d(0.3, 0, 0.41)).norm(), 1e-6);
}

/// A kinematic body goes where it is told; the other one leaves the whole overlap.
TEST(PositionPush, KinematicBodiesAreNotPushed) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.add_kinematic("wall", {scene.box({0.1, 0.5, 0.5})}, at(0, 0, 0));
  scene.add_sphere("ball", 0.1, 1.0, at(0.19, 0, 0));
  const Model model = scene.build();
  Simulation simulation(model, pushing());
  simulation.step();
  const int wall = model.joint(*model.find_body("wall")).position_index;
  const int ball = model.joint(*model.find_body("ball")).position_index;
  EXPECT_EQ(simulation.state().q[wall], 0.0);
  EXPECT_NEAR(simulation.state().q[ball], 0.2, 1e-12);
  EXPECT_EQ(simulation.state().v.norm(), 0.0);
  // A wall that moves takes the ball with it at its own speed.
  set_velocity(model, simulation.state(), "wall", {2.0, 0, 0});
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step().ok());
  EXPECT_NEAR(simulation.state().q[wall], 0.2, 1e-12);
  EXPECT_NEAR(simulation.state().q[ball], 0.4, 1e-9);
  EXPECT_NEAR(simulation.state().v[model.joint(*model.find_body("ball")).velocity_index], 2.0,
              1e-9);
}

/// A ball that begins inside of the floor and falls on bounces with what it fell with.
TEST(PositionPush, BouncesGiveBackWhatCameInAndNoMore) {
  for (const Integrator integrator : {Integrator::semi_implicit, Integrator::trapezoid}) {
    SceneBuilder scene;
    scene.set_gravity(Eigen::Vector3d::Zero());
    scene.use_material(0.0, 0.5);
    scene.add_plane("floor");
    scene.add_sphere("ball", 0.1, 1.0, at(0, 0, 0.095));
    const Model model = scene.build();
    StepOptions options = pushing();
    options.integrator = integrator;
    Simulation simulation(model, options);
    set_velocity(model, simulation.state(), "ball", {0, 0, -2.0});
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(simulation.step().ok());
    EXPECT_NEAR(simulation.state().v[2], 1.0, 1e-9) << to_string(integrator);
    EXPECT_GT(simulation.state().q[2], 0.1);
  }
}

/// By the rule of velocities, too, nothing stays inside.
TEST(PositionPush, WorksUnderBothGapRules) {
  for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
    SceneBuilder scene;
    scene.add_plane("floor");
    scene.add_box("box", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.09));
    StepOptions options = pushing(0.2);
    options.gap_rule = rule;
    Simulation simulation(scene.build(), options);
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step().ok());
    EXPECT_NEAR(simulation.state().q[2], 0.1, 1e-6) << to_string(rule);
    EXPECT_LT(simulation.state().v.lpNorm<Eigen::Infinity>(), 1e-8) << to_string(rule);
  }
}

/// Nothing is pushed where nothing may be.
TEST(PositionPush, AShareOfZeroLeavesOverlapsAsTheyAre) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.add_plane("floor");
  scene.add_box("box", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.09));
  Simulation simulation(scene.build(), pushing(0.0));
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(simulation.state().q[2], 0.09);
}

/// Free bodies have a road of their own: what it pushes is what the matrix says.
TEST(PositionPush, BothStoragesPushTheSame) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ContactProblem bodies = test::body_problem(seed, 6, {.contacts = 14, .locks = 1});
    const ContactProblem dense = test::dense_copy(bodies);
    Random random(seed);
    std::vector<double> lacks;
    for (const Block& block : bodies.blocks()) {
      lacks.push_back(block.kind == BlockKind::lock ? 0.0 : random.uniform(-0.2, 1.0));
    }
    PositionPush of_bodies;
    std::ranges::copy(lacks, of_bodies.start(bodies.block_count()).begin());
    of_bodies.push(bodies, 100000);
    PositionPush of_matrix;
    std::ranges::copy(lacks, of_matrix.start(dense.block_count()).begin());
    of_matrix.push(dense, 100000);
    std::vector<double> expected(static_cast<std::size_t>(dense.row_count()));
    dense.multiply(of_matrix.impulses(), expected);
    for (int i = 0; i < bodies.block_count(); ++i) {
      double moved = 0.0;
      const Block& block = bodies.blocks()[static_cast<std::size_t>(i)];
      for (const ContactProblem::Coupling& coupling : bodies.couplings(i)) {
        if (coupling.body < 0) continue;
        const double* u = of_bodies.body_velocities().data() + 6 * coupling.body;
        moved += coupling.jacobian.row(block.rows - 1).dot(Eigen::Map<const Eigen::VectorXd>(u, 6));
      }
      // Sweeps end where none changes a velocity by a hundredth of what is lacking.
      EXPECT_NEAR(moved, expected[static_cast<std::size_t>(block.row + block.rows - 1)], 0.3)
          << "seed " << seed << ", block " << i;
      EXPECT_GT(moved - lacks[static_cast<std::size_t>(i)], -0.1) << "seed " << seed;
    }
  }
}

/// Twenty balls in a row, each a millimetre inside the next: no gravity, nothing holds them.
TEST(PositionPush, ARowOfFreeBallsLeavesItsOverlapsWithoutMovingAsAWhole) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  for (int k = 0; k < 20; ++k) {
    scene.add_sphere("ball" + std::to_string(k), 0.05, 1.0 + k % 3, at(0.099 * k, 0, 0));
  }
  Simulation simulation(scene.build(), pushing());
  const auto centre = [&] {
    double sum = 0.0;
    for (int k = 0; k < 20; ++k) sum += (1.0 + k % 3) * simulation.state().q[7 * k];
    return sum;
  };
  const double before = centre();
  EXPECT_NEAR(simulation.step().deepest_overlap, 1e-3, 1e-12);
  EXPECT_NEAR(centre(), before, 1e-12);
  EXPECT_EQ(simulation.state().v.norm(), 0.0);
  for (int k = 0; k < 4; ++k) simulation.step();
  EXPECT_LT(simulation.step().deepest_overlap, 2e-5);
}

}  // namespace
}  // namespace stiction
