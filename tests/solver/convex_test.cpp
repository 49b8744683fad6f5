// The convex law: its hovering slider, its minimum, and the same answer by sweeps.

#include "stiction/solver/convex.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/contact/targets.hpp"
#include "stiction/core/random.hpp"
#include "support/contact_problems.hpp"
#include "support/solver_runs.hpp"

namespace stiction::test {
namespace {

const SolverOptions convex_law{.law = Law::convex};

double objective(const ContactProblem& problem, const Eigen::VectorXd& impulse) {
  return 0.5 * impulse.dot(problem.delassus() * impulse) + impulse.dot(problem.shifted_velocity());
}

TEST(Convex, LiftsASliderByFrictionTimesItsSpeed) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_free_velocity() << 3.0, 0.0, -2.0;
  problem.prepare();
  const SolverRun run = run_solver("convex", problem, {.law = Law::convex, .tolerance = 1e-13});
  EXPECT_TRUE(run.certified()) << run.message;
  EXPECT_LT((run.impulse - Eigen::Vector3d(-1.4, 0.0, 2.8)).norm(), 1e-12);
  EXPECT_NEAR(run.velocity[2], 0.5 * run.velocity[0], 1e-12);
}

TEST(Convex, KeepsASliderHoveringAtTheKnownGap) {
  constexpr double h = 1e-3, friction = 0.3, speed = 2.0;
  for (const char* solver : {"convex", "per_contact"}) {
    double gap = 0.0, fall = 0.0, slip = 0.0;
    for (int step = 0; step < 600; ++step) {  // its speed is kept up; it leaps up first
      ContactProblem problem;
      problem.add_contact(friction, gap_target(gap, h));
      problem.use_dense();
      problem.edit_delassus().setIdentity();
      problem.edit_free_velocity() << speed, 0.0, fall - 9.81 * h;
      problem.prepare();
      const SolverRun run = run_solver(solver, problem, {.law = Law::convex, .tolerance = 1e-13});
      ASSERT_TRUE(run.certified()) << run.message;
      slip = run.velocity[0];
      fall = run.velocity[2] + problem.target()[2];
      gap += h * fall;
    }
    EXPECT_NEAR(gap, h * friction * slip, 1e-12) << solver;
    EXPECT_GT(slip, 1.9);
  }
}

TEST(Convex, HoldsABlockUpToTheAngleOfFriction) {
  EXPECT_LT(
      run_solver("convex", incline_problem(std::atan(0.4999), 0.5), convex_law).velocity.norm(),
      1e-9);
  // What the projection on the cone leaves: (sin α − µ cos α) / (1 + µ²) of g h, 7e-7 m/s.
  const double angle = std::atan(0.5001);
  const double slides = 9.81e-3 * (std::sin(angle) - 0.5 * std::cos(angle)) / 1.25;
  EXPECT_NEAR(run_solver("convex", incline_problem(angle, 0.5), convex_law).velocity[0], slides,
              1e-9);
}

TEST(Convex, AgreesWithSweepsOfExactAnswers) {
  const SolverOptions options{.law = Law::convex, .tolerance = 1e-10};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ContactProblem problem = robot_problem(seed);
    const SolverRun a = run_solver("convex", problem, options);
    const SolverRun b = run_solver("per_contact", problem, options);
    ASSERT_TRUE(a.certified()) << "seed " << seed << " " << a.message;
    ASSERT_TRUE(b.certified()) << "seed " << seed << " " << b.message;
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-7 * problem.free_velocity().norm());
  }
}

TEST(Convex, FindsTheMinimum) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = robot_problem(seed);
    const SolverRun run = run_solver("convex", problem, convex_law);
    const double least = objective(problem, run.impulse);
    Random random(seed);
    for (int trial = 0; trial < 200; ++trial) {  // other impulses inside all cones
      Eigen::VectorXd other = run.impulse;
      for (const Block& block : problem.blocks()) {
        const double n = std::abs(other[block.row + 2] + 0.1 * random.normal());
        const double angle = random.uniform(0.0, 6.3), part = random.uniform();
        const double t = block.friction * n * part;
        other.segment<3>(block.row) = Eigen::Vector3d(t * std::cos(angle), t * std::sin(angle), n);
      }
      EXPECT_GE(objective(problem, other), least - 1e-9 * std::abs(least));
    }
  }
}

TEST(Convex, TakesMixturesInBothStorages) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SolverRun robot = run_solver("convex", robot_problem(seed, every_kind), convex_law);
    EXPECT_TRUE(robot.certified()) << "seed " << seed << " " << robot.message;
    const ContactProblem bodies = body_problem(seed, 5, every_kind);
    const SolverRun a = run_solver("convex", bodies, convex_law);
    const SolverRun b = run_solver("convex", dense_copy(bodies), convex_law);
    EXPECT_TRUE(a.certified()) << "seed " << seed << " " << a.message;
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-5 * bodies.free_velocity().norm())
        << "seed " << seed;
  }
}

TEST(Convex, IsFasterWithRestartsThanWithout) {
  int with = 0, without = 0;
  SolverOptions plain = convex_law;
  plain.convex.restart = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SolverRun a = run_solver("convex", robot_problem(seed), convex_law);
    const SolverRun b = run_solver("convex", robot_problem(seed), plain);
    EXPECT_TRUE(a.certified() && b.certified()) << "seed " << seed;
    with += a.iterations;
    without += b.iterations;
  }
  EXPECT_LT(2 * with, without);
}

TEST(Convex, TakesTheConvexLawOnly) {
  const SolverRun run = run_solver("convex", robot_problem(1));
  EXPECT_EQ(run.status, SolverStatus::unsupported);
  EXPECT_NE(run.message.find("convex law"), std::string::npos) << run.message;
}

}  // namespace
}  // namespace stiction::test
