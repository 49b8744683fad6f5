// ADMM, and the two tools that it brings along: Anderson's mixing and the tiled Cholesky factor.

#include "stiction/solver/admm.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/io/fclib.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/contact_problems.hpp"
#include "support/hyperstatic_box.hpp"

namespace stiction::test {
namespace {

using Impulses = std::vector<double>;

Impulses zeros(const ContactProblem& problem) {
  return Impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
}

TEST(Admm, CertifiesRandomRobotsOfOneToTwentyContacts) {
  AdmmSolver solver;
  for (int contacts = 1; contacts <= 20; ++contacts) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const ContactProblem problem = robot_problem(seed, {.contacts = contacts});
      Impulses impulses = zeros(problem);
      const SolverReport report = solver.solve(problem, {}, impulses);
      EXPECT_TRUE(report.certified())
          << contacts << " contacts, seed " << seed << ": " << report.certificate.residual();
    }
  }
}

TEST(Admm, TakesEveryKindOfBlockInBothStorages) {
  AdmmSolver solver;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem dense = robot_problem(seed, every_kind);
    const ContactProblem bodies = body_problem(seed, 5, every_kind);
    for (const ContactProblem* problem : {&dense, &bodies}) {
      Impulses impulses = zeros(*problem);
      const SolverReport report = solver.solve(*problem, {}, impulses);
      EXPECT_TRUE(report.certified())
          << "seed " << seed << ", storage " << static_cast<int>(problem->storage()) << ": "
          << report.certificate.residual();
    }
  }
}

TEST(Admm, CertifiesTheConvexLawWhereASliderLiftsOff) {
  AdmmSolver solver;
  SolverOptions options;
  options.law = Law::convex;
  options.tolerance = 1e-11;
  const double friction = 0.3;
  const ContactProblem problem = incline_problem(0.7, friction);
  Impulses impulses = zeros(problem);
  ASSERT_TRUE(solver.solve(problem, options, impulses).certified());
  Impulses velocity(3);
  problem.multiply(impulses, velocity);
  for (std::size_t k = 0; k < 3; ++k) {
    velocity[k] += problem.free_velocity()[static_cast<Eigen::Index>(k)];
  }
  const double slip = std::hypot(velocity[0], velocity[1]);
  EXPECT_GT(slip, 1e-3);
  EXPECT_NEAR(velocity[2], friction * slip, 1e-10 * slip);
}

TEST(Admm, NamesTheOptionThatIsOutOfItsRange) {
  AdmmSolver solver;
  const ContactProblem problem = robot_problem(1);
  for (const double wrong : {-1.0, 1e10, std::nan(""), HUGE_VAL}) {
    Impulses impulses = zeros(problem);
    SolverOptions options;
    options.admm.proximal = wrong;
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::invalid_problem) << wrong;
    EXPECT_NE(report.message.find("admm.proximal"), std::string_view::npos) << report.message;
  }
}

TEST(Admm, RefusesWhatItDoesNotTake) {
  AdmmSolver solver;
  SolverOptions options;
  options.law = Law::max_dissipation;
  EXPECT_EQ(solver.refusal(robot_problem(1), options), "supports the laws coulomb and convex only");
  const ContactProblem large = row_of_balls(1001);
  EXPECT_NE(solver.refusal(large, {}).find("3000 rows"), std::string_view::npos);
  Impulses impulses = zeros(large);
  EXPECT_EQ(solver.solve(large, {.check = CheckLevel::finite}, impulses).status,
            SolverStatus::unsupported);
}

TEST(Admm, CertifiesABoxOnMoreContactsThanItHasFreedoms) {
  AdmmSolver solver;
  for (const double push : {0.0, 0.002, 0.05}) {
    const ContactProblem problem = hyperstatic_box(push);
    Impulses impulses = zeros(problem);
    EXPECT_TRUE(solver.solve(problem, {}, impulses).certified()) << push;
  }
}

TEST(Admm, LeavesImpulsesAloneThatSolveTheProblem) {
  AdmmSolver solver;
  SolverOptions options;
  const ContactProblem problem = robot_problem(7, every_kind);
  Impulses impulses = zeros(problem);
  ASSERT_GT(solver.solve(problem, options, impulses).iterations, 1);
  const Impulses before = impulses;
  options.warm_start = true;
  const SolverReport warm = solver.solve(problem, options, impulses);
  EXPECT_TRUE(warm.certified());
  EXPECT_EQ(warm.iterations, 0);
  EXPECT_EQ(impulses, before);
}

TEST(Admm, NeedsFewerIterationsFromImpulsesNearTheSolution) {
  AdmmSolver solver;
  SolverOptions options;
  Random random(8);
  int cold = 0, warm = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = robot_problem(seed, every_kind);
    Impulses impulses = zeros(problem);
    options.warm_start = false;
    cold += solver.solve(problem, options, impulses).iterations;
    for (double& value : impulses) value *= 1.0 + 1e-4 * random.normal();
    options.warm_start = true;
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_TRUE(report.certified()) << seed;
    warm += report.iterations;
  }
  EXPECT_LT(warm, 0.7 * cold) << warm << " of " << cold;
}

TEST(Admm, CertifiesThePublishedProblems) {
  AdmmSolver solver;
  int files = 0;
  const std::filesystem::path folder = std::filesystem::path(STICTION_REFERENCE_DIR) / "problems";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const ContactProblem problem = load_fclib(entry.path());
    Impulses impulses = zeros(problem);
    const SolverReport report = solver.solve(problem, {}, impulses);
    EXPECT_TRUE(report.certified()) << entry.path() << ": " << report.certificate.residual();
    ++files;
  }
  EXPECT_EQ(files, 12);
}

TEST(Admm, AllocatesNothingAtASizeSeenBefore) {
  AdmmSolver solver;
  const ContactProblem large = body_problem(3, 30, {.contacts = 50});
  const ContactProblem small = robot_problem(3, every_kind);
  const SolverOptions options{.check = CheckLevel::finite};
  Impulses large_impulses = zeros(large), small_impulses = zeros(small);
  solver.solve(large, options, large_impulses);
  solver.solve(small, options, small_impulses);
  const AllocationCounter counter;
  solver.solve(large, options, large_impulses);
  solver.solve(small, options, small_impulses);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(Admm, DoesNotBeginAFactorizationForWhichThereIsNoTime) {
  AdmmSolver solver;
  const ContactProblem problem = row_of_balls(900);
  Impulses impulses = zeros(problem);
  SolverOptions options;
  options.time_limit = 0.05;
  const SolverReport report = solver.solve(problem, options, impulses);
  EXPECT_EQ(report.status, SolverStatus::time_limit) << to_string(report.status);
  EXPECT_LT(report.seconds, 2.0 * options.time_limit);
}

TEST(Admm, EndsInTimeWhenTheToleranceCannotBeMet) {
  AdmmSolver solver;
  SolverOptions options;
  options.tolerance = 1e-30;
  options.time_limit = 0.05;
  const ContactProblem problem = robot_problem(4, {.contacts = 20});
  Impulses impulses = zeros(problem);
  const SolverReport report = solver.solve(problem, options, impulses);
  EXPECT_TRUE(report.status == SolverStatus::time_limit || report.status == SolverStatus::stalled);
  EXPECT_LT(report.seconds, 0.5);
  EXPECT_LT(report.certificate.residual(), 1e-8);
}

TEST(AndersonMixing, SolvesALinearFixedPointInAsManyStepsAsThereAreUnknowns) {
  constexpr Eigen::Index n = 6;
  Random random(5);
  Eigen::MatrixXd A(n, n);
  Eigen::VectorXd b(n);
  for (double& value : A.reshaped()) value = random.uniform(-0.2, 0.2);
  for (double& value : b) value = random.normal();
  const Eigen::VectorXd expected = (Eigen::MatrixXd::Identity(n, n) - A).partialPivLu().solve(b);
  AndersonMixing mixing;
  mixing.resize(n);
  WorkVector x, image;
  x.resize(n);
  image.resize(n);
  x.setZero();
  for (int k = 0; k <= n + 1; ++k) {
    image = A * x + b;
    mixing.mix(x, image, x);
  }
  // The ridge of the least squares leaves a little.
  EXPECT_LT((x - expected).norm(), 1e-6 * expected.norm());
}

TEST(TiledCholesky, AgreesWithEigenAtAllSizesAroundATile) {
  Random random(6);
  for (const Eigen::Index n : {1, 5, 63, 64, 65, 128, 200}) {
    Eigen::MatrixXd B(n, n);
    for (double& value : B.reshaped()) value = random.normal();
    const Eigen::MatrixXd A = B * B.transpose();
    const Eigen::VectorXd shift = Eigen::VectorXd::Constant(n, 0.5);
    Eigen::VectorXd x(n);
    for (double& value : x) value = random.normal();
    const Eigen::MatrixXd shifted = A + Eigen::MatrixXd(shift.asDiagonal());
    const Eigen::VectorXd expected = shifted.llt().solve(x);
    TiledCholesky factor;
    ASSERT_TRUE(factor.factorize(A, shift)) << n;
    factor.solve_in_place(x);
    EXPECT_LT((x - expected).norm(), 1e-9 * expected.norm()) << n;
  }
}

TEST(TiledCholesky, SeesThatAMatrixIsIndefinite) {
  for (const Eigen::Index n : {3, 100}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
    A(n - 1, n - 1) = -1.0;
    TiledCholesky factor;
    EXPECT_FALSE(factor.factorize(A, Eigen::VectorXd::Zero(n)));
    EXPECT_TRUE(factor.factorize(A, Eigen::VectorXd::Constant(n, 2.0)));
  }
}

}  // namespace
}  // namespace stiction::test
