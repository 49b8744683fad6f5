// Per-contact iteration: analytic answers, all laws and one-contact methods, both storages.

#include "stiction/solver/per_contact.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "support/contact_problems.hpp"
#include "support/solver_runs.hpp"

namespace stiction::test {
namespace {

constexpr double degree = 0.017453292519943295;
constexpr double h = 1e-3;
constexpr Law all_laws[] = {Law::coulomb, Law::max_dissipation, Law::convex};
constexpr SlipMethod all_methods[] = {SlipMethod::newton, SlipMethod::quartic,
                                      SlipMethod::bisection, SlipMethod::golden_section,
                                      SlipMethod::bisection_printed};

TEST(PerContact, HoldsABlockUpToTheAngleOfFriction) {
  for (const Law law : all_laws) {
    const SolverRun below =
        run_solver("per_contact", incline_problem(26.564 * degree, 0.5), {.law = law});
    EXPECT_TRUE(below.certified()) << below.message;
    EXPECT_LT(below.velocity.norm(), 1e-9 * h);
    const SolverRun above =
        run_solver("per_contact", incline_problem(26.566 * degree, 0.5), {.law = law});
    EXPECT_TRUE(above.certified()) << above.message;
    EXPECT_GT(above.velocity[0], 1e-6 * h);
  }
}

TEST(PerContact, LetsABlockSlideAsCoulombSays) {
  const SolverRun run = run_solver("per_contact", incline_problem(30.0 * degree, 0.5));
  EXPECT_NEAR(run.velocity[0] / h, 9.81 * (0.5 - 0.5 * std::sqrt(0.75)), 1e-9);  // 0.657145
  EXPECT_NEAR(run.velocity[0] / h, 0.657145, 1e-6);
  EXPECT_NEAR(run.velocity[2], 0.0, 1e-15);
}

TEST(PerContact, IsCertifiedOnRobotsUnderEveryLawByEveryMethod) {
  for (const Law law : all_laws) {
    for (const SlipMethod method : all_methods) {
      if (!supports(law, method)) continue;
      SolverOptions options{.law = law};
      options.per_contact.one_contact.method = method;
      if (method == SlipMethod::golden_section) options.tolerance = 1e-6;  // √ε is its best
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const SolverRun run = run_solver("per_contact", robot_problem(seed), options);
        EXPECT_TRUE(run.certified()) << to_string(law) << " " << to_string(method) << " seed "
                                     << seed << ": " << run.certificate.residual();
      }
    }
  }
}

TEST(PerContact, DoesNoPositiveWorkUnderMaximumDissipation) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ContactProblem problem = robot_problem(seed, {.contacts = 1 + static_cast<int>(seed % 8)});
    problem.edit_target().setZero();
    problem.prepare();
    const SolverRun run = run_solver("per_contact", problem, {.law = Law::max_dissipation});
    ASSERT_TRUE(run.certified()) << "seed " << seed << " " << run.message;
    const Scales& scales = run.certificate.scales;
    EXPECT_LE(run.certificate.work, 1e-7 * scales.impulse * scales.velocity) << "seed " << seed;
  }
}

TEST(PerContact, IsCertifiedOnMostMixturesOfAllKinds) {
  int certified = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    certified += run_solver("per_contact", robot_problem(seed, every_kind)).certified() ? 1 : 0;
    certified += run_solver("per_contact", body_problem(seed, 5, every_kind)).certified() ? 1 : 0;
  }
  // Gauss-Seidel is slow where a lock works against feet: that is what `hybrid` is for.
  EXPECT_GE(certified, 180) << "of 200";
}

TEST(PerContact, GivesTheSameVelocitiesInBothStorages) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ContactProblem bodies = body_problem(seed, 5, every_kind);
    const SolverRun a = run_solver("per_contact", bodies);
    const SolverRun b = run_solver("per_contact", dense_copy(bodies));
    ASSERT_EQ(a.certified(), b.certified()) << "seed " << seed;
    EXPECT_EQ(a.iterations, b.iterations) << "seed " << seed;
    // The same iteration but for rounding, which a thousand sweeps may amplify.
    EXPECT_LT((a.impulse - b.impulse).norm(), 1e-9 * a.impulse.norm()) << "seed " << seed;
  }
  const ContactProblem row = row_of_balls(30);
  const SolverRun a = run_solver("per_contact", row);
  const SolverRun b = run_solver("per_contact", dense_copy(row));
  EXPECT_TRUE(a.certified());
  EXPECT_LT((a.impulse - b.impulse).norm(), 1e-9 * a.impulse.norm());
}

TEST(PerContact, NeedsHardlyASweepFromTheAnswer) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ContactProblem problem = robot_problem(seed);
    const SolverRun cold = run_solver("per_contact", problem, {.tolerance = 1e-10});
    const SolverRun warm = run_solver("per_contact", problem, {}, cold.impulse);
    EXPECT_TRUE(warm.certified());
    EXPECT_LE(warm.iterations, 2) << "seed " << seed;
  }
}

TEST(PerContact, StallsSoonAtAToleranceBelowRounding) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SolverRun run = run_solver("per_contact", robot_problem(seed), {.tolerance = 1e-30});
    if (run.certified()) continue;  // a residual of exactly zero does happen
    EXPECT_EQ(run.status, SolverStatus::stalled) << to_string(run.status);
    EXPECT_LT(run.certificate.residual(), 1e-12) << "seed " << seed;
    EXPECT_LT(run.iterations, 400);
  }
}

TEST(PerContact, ReturnsTheBestImpulsesItHasSeen) {
  int unsolved = 0;
  PerContactSolver solver;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ContactProblem problem = robot_problem(seed, every_kind);
    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
    const SolverReport report =
        solver.solve(problem, {.max_iterations = 60, .keep_history = true}, impulses);
    if (report.certified()) continue;
    ++unsolved;
    double least = std::numeric_limits<double>::infinity();
    for (const HistoryPoint& point : report.history) least = std::min(least, point.residual);
    EXPECT_DOUBLE_EQ(report.certificate.residual(), least) << "seed " << seed;
  }
  EXPECT_GT(unsolved, 10);
}

TEST(PerContact, TakesNoFrictionAndHugeFriction) {
  for (const double friction : {0.0, 1e-12, 1e3, 1e8}) {
    const SolverRun run = run_solver(
        "per_contact",
        robot_problem(4,
                      {.contacts = 4, .least_friction = friction, .largest_friction = friction}));
    EXPECT_TRUE(run.certified()) << friction << " " << run.certificate.residual();
  }
}

TEST(PerContact, RefusesOptionsThatItCannotUse) {
  SolverOptions options;
  options.per_contact.relaxation = 1.5;
  EXPECT_EQ(run_solver("per_contact", robot_problem(1), options).status, SolverStatus::unsupported);
  options = {};
  options.per_contact.relaxation_floor = 0.0;
  EXPECT_EQ(run_solver("per_contact", robot_problem(1), options).status, SolverStatus::unsupported);
  for (const Law law : all_laws) {
    for (const SlipMethod method : all_methods) {
      options = {.law = law};
      options.per_contact.one_contact.method = method;
      const SolverRun run = run_solver("per_contact", robot_problem(1), options);
      EXPECT_EQ(run.status == SolverStatus::unsupported, !supports(law, method));
      if (!supports(law, method)) {
        EXPECT_NE(run.message.find("newton"), std::string::npos);
      }
    }
  }
}

TEST(PerContactSweeps, TellHowFarAnAnswerIsAndTrackTheVelocities) {
  const ContactProblem problem = robot_problem(3, every_kind);
  Judge judge;
  judge.open(problem);
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverOptions options;
  PerContactSweeps sweeps;
  sweeps.start(problem, judge, options, impulses);
  const double first = sweeps.sweep(1.0);
  double last = first;
  for (int k = 0; k < 300; ++k) last = sweeps.sweep(1.0);
  EXPECT_GT(first, 0.0);
  EXPECT_LT(last, 1e-3 * first);
  Eigen::VectorXd tracked(problem.row_count());
  sweeps.velocities().read_all({tracked.data(), impulses.size()});
  Eigen::VectorXd anew(problem.row_count());
  problem.multiply(impulses, {anew.data(), impulses.size()});
  anew += problem.shifted_velocity();
  EXPECT_LT((tracked - anew).norm(), 1e-11 * problem.free_velocity().norm());
}

}  // namespace
}  // namespace stiction::test
