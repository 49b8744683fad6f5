// Overlaps pushed out of the positions alone: robots, limits, locks, kinematic bodies, bounces.

#include "stiction/rigid/position_push.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"

namespace stiction {
namespace {

StepOptions pushing(double share = 1.0) {
  StepOptions options{.time_step = 0.001};
  options.push_out_fraction = share;
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

/// Normal velocity that a push gave each block (its last row), whatever its storage.
std::vector<double> pushed(const ContactProblem& problem, std::span<const double> lacks,
                           int sweeps) {
  PositionPush push;
  std::ranges::copy(lacks, push.start(problem.block_count()).begin());
  push.push(problem, sweeps);
  std::vector<double> result;
  if (problem.storage() == DelassusStorage::dense) {
    std::vector<double> all(static_cast<std::size_t>(problem.row_count()));
    problem.multiply(push.impulses(), all);
    for (const Block& block : problem.blocks()) {
      result.push_back(all[static_cast<std::size_t>(block.row + block.rows - 1)]);
    }
    return result;
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const int last = problem.blocks()[static_cast<std::size_t>(i)].rows - 1;
    double& moved = result.emplace_back(0.0);
    for (const ContactProblem::Coupling& coupling : problem.couplings(i)) {
      if (coupling.body < 0) continue;
      const double* u = push.body_velocities().data() + 6 * coupling.body;
      moved += coupling.jacobian.row(last).dot(Eigen::Map<const Eigen::VectorXd>(u, 6));
    }
  }
  return result;
}

/// What the least push gives, by a solver that shares nothing with it: contacts without friction
/// whose free velocity lacks what is to be pushed.
std::vector<double> least_push(const ContactProblem& dense, std::span<const double> lacks) {
  ContactProblem problem;
  for (const Block& block : dense.blocks()) {
    block.kind == BlockKind::lock ? problem.add_lock(block.rows) : problem.add_contact(0.0);
  }
  problem.use_dense();
  problem.edit_delassus() = dense.delassus();
  problem.edit_free_velocity().setZero();
  for (int i = 0; i < dense.block_count(); ++i) {
    const Block& block = dense.blocks()[static_cast<std::size_t>(i)];
    const int rows = block.kind == BlockKind::lock ? block.rows : 1;
    problem.edit_free_velocity()
        .segment(block.row + block.rows - rows, rows)
        .setConstant(-lacks[static_cast<std::size_t>(i)]);
  }
  problem.prepare();
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
  const std::unique_ptr<Solver> solver = make_solver("hybrid");
  EXPECT_TRUE(solver->solve(problem, {.tolerance = 1e-12}, impulses).certified());
  std::vector<double> all(impulses.size());
  dense.multiply(impulses, all);
  std::vector<double> result;
  for (const Block& block : dense.blocks()) {
    result.push_back(all[static_cast<std::size_t>(block.row + block.rows - 1)]);
  }
  return result;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
  return result;
}

/// Six bodies, 14 contacts and a lock, in both storages.
struct TwoStorages {
  explicit TwoStorages(std::uint64_t seed)
      : bodies(test::body_problem(seed, 6, {.contacts = 14, .locks = 1})),
        dense(test::dense_copy(bodies)) {}

  ContactProblem bodies;
  ContactProblem dense;
};

/// Free bodies have a road of their own. Sweeps over them push each row further than it needs, but
/// never the last sweep, so that a single one is the same by both roads.
TEST(PositionPush, BothStoragesPushTheSameInASweep) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TwoStorages problem(seed);
    Random random(seed);
    std::vector<double> lacks;
    for (const Block& block : problem.bodies.blocks()) {
      lacks.push_back(block.kind == BlockKind::lock ? 0.0 : random.uniform(-0.2, 1.0));
    }
    const std::vector<double> by_bodies = pushed(problem.bodies, lacks, 1);
    EXPECT_GT(*std::ranges::max_element(by_bodies), 0.1) << "seed " << seed;
    EXPECT_LT(largest_difference(by_bodies, pushed(problem.dense, lacks, 1)), 1e-13)
        << "seed " << seed;
  }
}

/// Sweeps end where none changes a velocity by a hundredth of the largest lack, here of 1 m/s: so
/// near to the least push that there is they come by both roads, and no lack is left beyond it.
TEST(PositionPush, BothStoragesEndWithinAHundredthOfTheLeastPush) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TwoStorages problem(seed);
    Random random(seed);
    std::vector<double> lacks;
    for (const Block& block : problem.bodies.blocks()) {
      lacks.push_back(block.kind == BlockKind::lock ? 0.0 : random.uniform(-0.2, 1.0));
    }
    const std::vector<double> least = least_push(problem.dense, lacks);
    for (const ContactProblem* storage : {&problem.bodies, &problem.dense}) {
      const std::vector<double> moved = pushed(*storage, lacks, 100000);
      EXPECT_LT(largest_difference(moved, least), 0.01) << "seed " << seed;
      for (std::size_t i = 0; i < lacks.size(); ++i) {
        EXPECT_GT(moved[i] - lacks[i], -0.01) << "seed " << seed << ", block " << i;
      }
    }
  }
}

/// A lock that moves, while the contacts lack a nanometre a second at most, makes the hundredth
/// where sweeps end so small that they come to the answer itself.
TEST(PositionPush, BothStoragesComeToTheLeastPushIfTheySweepLongEnough) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TwoStorages problem(seed);
    Random random(seed);
    std::vector<double> lacks;
    bool first = true;
    for (const Block& block : problem.bodies.blocks()) {
      const bool lock = block.kind == BlockKind::lock;
      lacks.push_back(lock ? -1.0 : first ? 1e-9 : random.uniform(-0.2, 0.0));
      first &= lock;
    }
    const std::vector<double> least = least_push(problem.dense, lacks);
    for (const ContactProblem* storage : {&problem.bodies, &problem.dense}) {
      EXPECT_LT(largest_difference(pushed(*storage, lacks, 100000), least), 1e-9)
          << "seed " << seed;
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
