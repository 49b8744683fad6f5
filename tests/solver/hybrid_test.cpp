#include "stiction/solver/hybrid.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <utility>
#include <vector>

#include "support/contact_problems.hpp"
#include "support/hard_problems.hpp"

namespace stiction {
namespace {

struct Solved {
  SolverReport report;
  std::vector<double> impulses;
};

Solved solve(std::string_view name, const ContactProblem& problem, const SolverOptions& options) {
  Solved result;
  result.impulses.resize(static_cast<std::size_t>(problem.row_count()));
  result.report = make_solver(name)->solve(problem, options, result.impulses);
  result.report.history = {};
  result.report.message = {};
  return result;
}

TEST(Hybrid, CertifiesTheHardSet) {
  int certified = 0;
  int certified_by_sweeps = 0;
  HybridSolver hybrid;
  PerContactSolver per_contact;
  std::vector<double> impulses;
  for (int i = 0; i < test::hard_problem_count; ++i) {
    const ContactProblem problem = test::hard_problem(i);
    impulses.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
    const SolverReport report = hybrid.solve(problem, {}, impulses);
    certified += report.certified() ? 1 : 0;
    if (!report.certified()) {
      std::cout << "problem " << i << ", " << test::hard_problem_family(i) << ": "
                << to_string(report.status) << ", residual " << report.certificate.residual()
                << '\n';
    }
    SolverOptions sweeps;
    sweeps.max_iterations = 2000;
    certified_by_sweeps += per_contact.solve(problem, sweeps, impulses).certified() ? 1 : 0;
  }
  std::cout << "hybrid certified " << certified << ", per_contact " << certified_by_sweeps << " of "
            << test::hard_problem_count << '\n';
  EXPECT_EQ(certified, test::hard_problem_count);
  EXPECT_LE(certified_by_sweeps, test::hard_problem_count / 2) << "the set is not hard";
}

TEST(Hybrid, WedgesOfTheHardSetHaveHyperbolas) {
  for (int i = 4 * test::hard_problems_per_family; i < test::hard_problem_count; ++i) {
    const ContactProblem problem = test::hard_problem(i);
    double largest = 0.0;
    for (int k = 0; k < problem.block_count(); ++k) {
      const Symmetric3<double> W = problem.contact_matrix(k);
      const double friction = problem.blocks()[static_cast<std::size_t>(k)].friction;
      largest = std::max(largest, friction * std::hypot(W.xz, W.yz) / W.zz);
    }
    EXPECT_GT(largest, 1.0) << "problem " << i;
  }
}

TEST(Hybrid, SolvesTheConvexLawOnTheHardSet) {
  SolverOptions options;
  options.law = Law::convex;
  for (int i = 0; i < test::hard_problem_count; i += 10) {
    const Solved solved = solve("hybrid", test::hard_problem(i), options);
    EXPECT_TRUE(solved.report.certified())
        << "problem " << i << ": " << to_string(solved.report.status) << ", residual "
        << solved.report.certificate.residual();
  }
}

TEST(Hybrid, EveryBlockKindInEveryStage) {
  for (int seed = 0; seed < 50; ++seed) {
    const ContactProblem problem =
        test::robot_problem(static_cast<std::uint64_t>(seed), test::every_kind);
    SolverOptions options;
    options.hybrid.sweeps = 1;  // so that the other stages have work
    const Solved all = solve("hybrid", problem, options);
    EXPECT_TRUE(all.report.certified()) << "seed " << seed;
    options.hybrid.newton_steps = 0;
    const Solved interior = solve("hybrid", problem, options);
    EXPECT_TRUE(interior.report.certified()) << "seed " << seed << ", without Newton: residual "
                                             << interior.report.certificate.residual();
  }
}

TEST(Hybrid, LargeIslandsAreSweptInsteadOfFactorized) {
  // 3000 rows in one island: a dense step would take seconds.
  SolverOptions options;
  options.time_limit = 8.0;  // of some half a second that it takes
  const Solved solved = solve("hybrid", test::row_of_balls(1000), options);
  EXPECT_TRUE(solved.report.certified()) << "residual " << solved.report.certificate.residual();
}

TEST(Hybrid, MaximumDissipationKeepsTheBestOfAllStages) {
  for (const int i : {85, 165}) {
    const ContactProblem problem = test::hard_problem(i);
    SolverOptions options;
    options.law = Law::max_dissipation;
    options.max_iterations = options.hybrid.sweeps;
    const double by_sweeps = solve("hybrid", problem, options).report.certificate.residual();
    for (int more = 1; more < 200; more *= 3) {
      options.max_iterations = options.hybrid.sweeps + more;
      EXPECT_LE(solve("hybrid", problem, options).report.certificate.residual(), by_sweeps)
          << "problem " << i << ", " << more << " more iterations";
    }
  }
}

TEST(Hybrid, HistoryGoesForwardUnderEveryLaw) {
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    SolverOptions options;
    options.law = law;
    options.keep_history = true;
    const ContactProblem problem = test::hard_problem(45);
    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
    HybridSolver solver;
    const SolverReport report = solver.solve(problem, options, impulses);
    ASSERT_GE(report.history.size(), 2u);
    for (std::size_t k = 1; k < report.history.size(); ++k) {
      EXPECT_GE(report.history[k].iteration, report.history[k - 1].iteration) << to_string(law);
      EXPECT_GE(report.history[k].seconds, report.history[k - 1].seconds) << to_string(law);
    }
    EXPECT_LE(report.history.back().iteration, report.iterations) << to_string(law);
  }
}

/// Two problems side by side that do not touch.
ContactProblem side_by_side(const ContactProblem& a, const ContactProblem& b) {
  ContactProblem both;
  for (const ContactProblem* part : {&a, &b}) {
    for (const Block& block : part->blocks()) both.add_contact(block.friction);
  }
  both.use_dense();
  both.edit_delassus().topLeftCorner(a.row_count(), a.row_count()) = a.delassus();
  both.edit_delassus().bottomRightCorner(b.row_count(), b.row_count()) = b.delassus();
  both.edit_free_velocity() << a.free_velocity(), b.free_velocity();
  both.prepare();
  return both;
}

/// Stacks, a table and wedges: what comes out of both at once solves each of them, for the work
/// that each of them takes. One dense step over both would cost up to eight times that of one. A
/// single pair may take more or less, because the sweeps over both end elsewhere.
TEST(Hybrid, IslandsAreSolvedLikeTheProblemsTheyAre) {
  std::vector<double> ratios;
  for (const auto& [first, second] : {std::pair{45, 161},
                                      {85, 46},
                                      {165, 60},
                                      {45, 45},
                                      {161, 165},
                                      {60, 85},
                                      {46, 161},
                                      {165, 45},
                                      {165, 46},
                                      {165, 85},
                                      {60, 46},
                                      {60, 161}}) {
    const ContactProblem a = test::hard_problem(first);
    const ContactProblem b = test::hard_problem(second);
    const ContactProblem both = side_by_side(a, b);
    Islands islands;
    islands.find(both);
    EXPECT_EQ(islands.count(), 2);
    const Solved solved = solve("hybrid", both, {});
    EXPECT_TRUE(solved.report.certified()) << first << ", " << second;
    const double alone = solve("hybrid", a, {}).report.work + solve("hybrid", b, {}).report.work;
    EXPECT_LT(solved.report.work, 2.5 * alone) << first << ", " << second;
    ratios.push_back(solved.report.work / alone);
    // The tolerance is relative to the larger impulses and velocities of the two.
    const std::span<const double> impulses(solved.impulses);
    const auto rows = static_cast<std::size_t>(a.row_count());
    const Scales together = solved.report.certificate.scales;
    for (const auto& [problem, part] :
         {std::pair{&a, impulses.first(rows)}, {&b, impulses.subspan(rows)}}) {
      Judge judge;
      judge.open(*problem);
      const Certificate certificate = judge.examine(Law::coulomb, part);
      const double larger = std::max(together.impulse / certificate.scales.impulse,
                                     together.velocity / certificate.scales.velocity);
      EXPECT_LE(certificate.residual(), 1e-8 * larger) << first << ", " << second;
    }
    if (first == second) {
      EXPECT_TRUE(std::ranges::equal(impulses.first(rows), impulses.last(rows)));
    }
  }
  // The median: where the sweeps end decides whether a hard problem needs one more stage, which
  // doubles its work or halves it.
  std::ranges::sort(ratios);
  EXPECT_LT(0.5 * (ratios[5] + ratios[6]), 1.05);
}

/// The stages share one limit, whichever of them reaches it.
TEST(Hybrid, NeverTakesMoreIterationsThanItMay) {
  const ContactProblem problem = test::robot_problem(13, {.contacts = 6});
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    for (int limit = 1; limit < 600; limit += 1 + limit / 8) {
      SolverOptions options;
      options.law = law;
      options.tolerance = 1e-17;
      options.max_iterations = limit;
      const SolverReport report = solve("hybrid", problem, options).report;
      EXPECT_LE(report.iterations, limit) << to_string(law);
      if (report.iterations < limit) {
        EXPECT_NE(report.status, SolverStatus::iteration_limit)
            << to_string(law) << ", limit " << limit;
      }
    }
  }
}

}  // namespace
}  // namespace stiction
