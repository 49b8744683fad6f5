// Projected Gauss-Seidel: analytic answers, the exact solver's velocities, the paper's own stop.

#include "stiction/solver/pgs.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "support/contact_problems.hpp"
#include "support/solver_runs.hpp"

namespace stiction::test {
namespace {

constexpr double degree = 0.017453292519943295;
constexpr double h = 1e-3;

SolverOptions printed(double threshold) {
  SolverOptions options;
  options.pgs.stop = PgsOptions::Stop::printed;
  options.pgs.printed_threshold = threshold;
  return options;
}

TEST(Pgs, SlidesABlockDownAnInclineAsCoulombSays) {
  EXPECT_LT(run_solver("pgs", incline_problem(26.56 * degree, 0.5)).velocity.norm(), 1e-7 * h);
  const SolverRun run = run_solver("pgs", incline_problem(30.0 * degree, 0.5));
  EXPECT_TRUE(run.certified());
  EXPECT_NEAR(run.velocity[0] / h, 0.657145, 1e-6);
}

TEST(Pgs, AgreesWithTheExactAnswersOnRobots) {
  int agree = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ContactProblem problem = robot_problem(seed);
    const SolverRun a = run_solver("pgs", problem, {.tolerance = 1e-10});
    const SolverRun b = run_solver("per_contact", problem, {.tolerance = 1e-10});
    ASSERT_TRUE(a.certified()) << "seed " << seed << " " << a.message;
    ASSERT_TRUE(b.certified()) << "seed " << seed << " " << b.message;
    const double apart = (a.velocity - b.velocity).norm();
    agree += apart < 1e-6 * problem.free_velocity().norm() ? 1 : 0;
  }
  // Coulomb's law has several solutions on a few of them, such as seed 50.
  EXPECT_GE(agree, 97) << "of 100";
}

TEST(Pgs, IsCertifiedOnMixturesInBothStorages) {
  int certified = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ContactProblem bodies = body_problem(seed, 5, every_kind);
    const SolverRun a = run_solver("pgs", bodies);
    const SolverRun b = run_solver("pgs", dense_copy(bodies));
    EXPECT_EQ(a.status, b.status) << "seed " << seed;
    EXPECT_LT((a.impulse - b.impulse).norm(), 1e-6 * a.impulse.norm()) << "seed " << seed;
    certified += a.certified() ? 1 : 0;
    certified += run_solver("pgs", robot_problem(seed, every_kind)).certified() ? 1 : 0;
  }
  EXPECT_GE(certified, 95) << "of 100";
}

TEST(Pgs, EndsByThePrintedRuleOnRequest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ContactProblem problem = robot_problem(seed);
    const SolverRun loose = run_solver("pgs", problem, printed(1e-6));
    const SolverRun tight = run_solver("pgs", problem, printed(1e-12));
    EXPECT_EQ(loose.status, SolverStatus::solved) << to_string(loose.status);
    EXPECT_LT(loose.iterations, tight.iterations);
    EXPECT_LT(tight.certificate.residual(), 1e-9);
    EXPECT_LT(loose.certificate.residual(), 1e-3);
  }
}

TEST(Pgs, IgnoresTheCertificateWhereThePrintedRuleIsAskedFor) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SolverRun judged = run_solver("pgs", robot_problem(seed));
    const SolverRun run = run_solver("pgs", robot_problem(seed), printed(1e-300));
    EXPECT_TRUE(run.certified());  // says the judge at the end
    EXPECT_GT(run.iterations, judged.iterations + 20);
  }
}

TEST(Pgs, TakesCoulombsLawOnly) {
  for (const Law law : {Law::max_dissipation, Law::convex}) {
    const SolverRun run = run_solver("pgs", robot_problem(1), {.law = law});
    EXPECT_EQ(run.status, SolverStatus::unsupported);
    EXPECT_NE(run.message.find("Coulomb"), std::string::npos) << run.message;
  }
}

TEST(Pgs, NamesTheOptionThatIsOutOfItsRange) {
  for (const double wrong : {0.0, -1.0, 1e10, std::nan(""), HUGE_VAL}) {
    SolverOptions options;
    options.pgs.relaxation = wrong;
    SolverRun run = run_solver("pgs", robot_problem(1), options);
    EXPECT_EQ(run.status, SolverStatus::invalid_problem) << wrong;
    EXPECT_NE(run.message.find("pgs.relaxation"), std::string::npos) << run.message;
    run = run_solver("pgs", robot_problem(1), printed(wrong));
    EXPECT_EQ(run.status, SolverStatus::invalid_problem) << wrong;
    EXPECT_NE(run.message.find("pgs.printed_threshold"), std::string::npos) << run.message;
  }
}

TEST(Pgs, SkipsAPointThatCannotMoveAlongItsNormal) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_limit();
  problem.use_dense();
  problem.edit_delassus().diagonal() << 1.0, 1.0, 0.0, 1.0;
  problem.edit_delassus()(0, 3) = problem.edit_delassus()(3, 0) = 0.5;
  problem.edit_free_velocity() << 1.0, 0.0, -1.0, -1.0;
  problem.prepare();
  for (const char* name : {"pgs", "per_contact"}) {
    // A warm start that must be taken back, its effect on the limit included.
    const SolverRun run = run_solver(name, problem, {}, Eigen::Vector4d(5.0, 0.0, 5.0, 0.0));
    EXPECT_TRUE(run.certified()) << name;
    EXPECT_EQ(run.impulse.head(3).norm(), 0.0) << name;
    EXPECT_NEAR(run.impulse[3], 1.0, 1e-7) << name;
  }
}

}  // namespace
}  // namespace stiction::test
