// Per-contact iteration: analytic answers, all laws and one-contact methods, both storages.

#include "stiction/solver/per_contact.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>

#include "support/contact_problems.hpp"
#include "support/hard_problems.hpp"
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
    // g (sin α − µ cos α) h, 1.9e-4 m/s² of it; the convex law lifts the block as well and rubs
    // with more.
    const double slides = 9.81 * h * (std::sin(26.566 * degree) - 0.5 * std::cos(26.566 * degree));
    const double share = law == Law::convex ? 1.0 / (1.0 + 0.5 * 0.5) : 1.0;
    EXPECT_NEAR(above.velocity[0], share * slides, 1e-7 * h);
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

TEST(PerContact, BlocksThatRestAreWokenBeforeTheEnd) {
  int rested = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ContactProblem problem = body_problem(seed, 12, {.contacts = 30});
    SolverOptions options;
    const SolverRun all = run_solver("per_contact", problem, options);
    options.per_contact.rest_fraction = 1.0;
    const SolverRun some = run_solver("per_contact", problem, options);
    EXPECT_EQ(all.certified(), some.certified()) << "seed " << seed << " " << some.message;
    EXPECT_NE(some.status, SolverStatus::stalled) << "seed " << seed;
    rested += all.impulse != some.impulse ? 1 : 0;
  }
  EXPECT_GT(rested, 15) << "else the option does nothing";
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

/// Solves with one option set to each of the wrong values; the message must name the option.
void expect_refused(std::string_view option, const std::function<void(SolverOptions&, double)>& set,
                    std::initializer_list<double> wrong) {
  for (const char* solver : {"per_contact", "hybrid"}) {
    for (const double value : wrong) {
      SolverOptions options;
      set(options, value);
      const SolverRun run = run_solver(solver, robot_problem(1), options);
      EXPECT_EQ(run.status, SolverStatus::invalid_problem) << option << " = " << value;
      EXPECT_NE(run.message.find(option), std::string::npos) << run.message;
      EXPECT_TRUE(fault_of(options, "lcp").empty());  // which does not use it
    }
  }
}

TEST(PerContact, NamesTheOptionThatIsOutOfItsRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Options = SolverOptions;
  expect_refused("per_contact.relaxation",
                 [](Options& o, double x) { o.per_contact.relaxation = x; },
                 {0.0, -1.0, 1.5, 1e300, nan});
  expect_refused("relaxation_decay",
                 [](Options& o, double x) { o.per_contact.relaxation_decay = x; },
                 {0.0, -1.0, 1.5, nan});
  expect_refused("relaxation_floor",
                 [](Options& o, double x) { o.per_contact.relaxation_floor = x; },
                 {0.0, -1.0, 1.5, nan});
  expect_refused("rest_fraction", [](Options& o, double x) { o.per_contact.rest_fraction = x; },
                 {-0.1, 1.1, nan});
  expect_refused("one_contact.tolerance",
                 [](Options& o, double x) { o.per_contact.one_contact.tolerance = x; },
                 {0.0, -1.0, 1.0, nan});
  expect_refused("beta1", [](Options& o, double x) { o.per_contact.one_contact.beta1 = x; },
                 {0.0, -1.0, 1e-300, 1e300, nan});
  expect_refused("beta2", [](Options& o, double x) { o.per_contact.one_contact.beta2 = x; },
                 {0.0, 1.0, 2.0, nan});
  expect_refused("beta3", [](Options& o, double x) { o.per_contact.one_contact.beta3 = x; },
                 {0.0, 0.5, 1e300, nan});
}

TEST(PerContact, TakesALawByTheMethodsThatKnowIt) {
  for (const Law law : all_laws) {
    for (const SlipMethod method : all_methods) {
      SolverOptions options{.law = law};
      options.per_contact.one_contact.method = method;
      for (const char* solver : {"per_contact", "hybrid"}) {
        const SolverRun run = run_solver(solver, robot_problem(1), options);
        EXPECT_EQ(run.status == SolverStatus::invalid_problem, !supports(law, method)) << solver;
        if (!supports(law, method)) {
          EXPECT_NE(run.message.find("newton"), std::string::npos);
        }
      }
    }
  }
}

TEST(PerContact, CertifiesAContactThatHardlyMovesInOneDirection) {
  // Condition 1e12 and huge friction: the exact answer to rounded velocities is off by about 1e-4,
  // along a direction in which that moves nothing.
  Eigen::Matrix3d A;
  A << 1.0, 0.3, 0.2, 0.1, 1.0, 0.4, 0.5, 0.2, 1.0;
  const Eigen::Matrix3d Q = Eigen::HouseholderQR<Eigen::Matrix3d>(A).householderQ();
  const Eigen::Matrix3d W = Q * Eigen::Vector3d(1.0, 1e-6, 1e-12).asDiagonal() * Q.transpose();
  ContactProblem problem;
  problem.add_contact(1e8);
  problem.use_dense();
  problem.edit_delassus() = 0.5 * (W + W.transpose());
  problem.edit_free_velocity() << 0.3, -0.4, -1.0;
  problem.prepare();
  const SolverRun run = run_solver("per_contact", problem);
  EXPECT_EQ(run.status, SolverStatus::certified) << run.message;
  EXPECT_LT(run.iterations, 1000);
}

/// A start with every impulse of this size, by turns of either sign if asked for.
Eigen::VectorXd absurd_start(const ContactProblem& problem, double size, bool mixed) {
  Eigen::VectorXd start = Eigen::VectorXd::Constant(problem.row_count(), size);
  for (Eigen::Index row = 0; mixed && row < start.size(); row += 2) start[row] = -size;
  return start;
}

TEST(SweepingSolvers, EndAsFromZeroAfterAnAbsurdWarmStart) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    for (const auto& problem : {robot_problem(seed), robot_problem(seed, every_kind),
                                body_problem(seed, 4, every_kind)}) {
      for (const char* solver : {"per_contact", "pgs", "convex"}) {
        SolverOptions options;
        if (std::string_view(solver) == "convex") options.law = Law::convex;
        const SolverRun cold = run_solver(solver, problem, options);
        for (const double size : {1e300, 1e150, 1e25}) {
          for (const bool mixed : {false, true}) {
            const SolverRun warm =
                run_solver(solver, problem, options, absurd_start(problem, size, mixed));
            EXPECT_EQ(warm.status, cold.status)
                << solver << " " << size << " seed " << seed << ": " << to_string(warm.status);
          }
        }
      }
    }
  }
}

TEST(SweepingSolvers, NeverLoseACertifiedWarmStart) {
  int solved = 0;
  for (int index = 0; index < hard_problem_count; index += 10) {
    const ContactProblem problem = hard_problem(index);
    for (const char* solver : {"per_contact", "pgs", "implicit_complementarity", "convex"}) {
      SolverOptions options;
      if (std::string_view(solver) == "convex") options.law = Law::convex;
      const SolverRun answer = run_solver("hybrid", problem, options);
      if (!answer.certified()) continue;
      ++solved;
      options.max_iterations = 1;
      const SolverRun warm = run_solver(solver, problem, options, answer.impulse);
      EXPECT_TRUE(warm.certified())
          << solver << " on " << index << ": " << answer.certificate.residual() << " became "
          << warm.certificate.residual();
    }
  }
  EXPECT_GT(solved, 60);
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

/// A contact that separates slowly while it slides fast slips under the convex law.
TEST(PerContact, ConvexLawClosesSlidingContactsThatSeparateInBothStorages) {
  for (const bool bodies : {false, true}) {
    ContactProblem problem;
    problem.add_contact(0.5);
    if (bodies) {
      problem.use_bodies(1);
      problem.set_inverse_mass(0, ContactProblem::Matrix6::Identity());
      ContactProblem::Jacobian J(3, 6);
      J.setZero();
      J.leftCols(3).setIdentity();
      problem.couple(0, 0, J);
    } else {
      problem.use_dense();
      problem.edit_delassus().setIdentity();
    }
    problem.edit_free_velocity() << 2.0, 0.0, 0.1;
    problem.prepare();
    const SolverRun run = run_solver("per_contact", problem, {.law = Law::convex});
    EXPECT_EQ(run.status, SolverStatus::certified) << (bodies ? "bodies" : "dense");
    // The projection of (-2, -0.1) on the cone |t| = 0.5 n: the direction (-0.5, 1)/1.25.
    EXPECT_NEAR(run.impulse[0], -0.36, 1e-9);
    EXPECT_NEAR(run.impulse[2], 0.72, 1e-9);
  }
}

}  // namespace
}  // namespace stiction::test
