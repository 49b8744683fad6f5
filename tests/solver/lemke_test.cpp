// Lemke's method and the semismooth Newton method on linear complementarity problems in general.

#include "stiction/solver/lemke.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/solver/lcp_newton.hpp"

namespace stiction::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr int many_steps = 100000;

LinearComplementarity make_problem(const Matrix& M, const Vector& q) {
  LinearComplementarity problem;
  problem.resize(static_cast<int>(q.size()));
  problem.M() = M;
  problem.q() = q;
  return problem;
}

struct Answer {
  Vector z;
  Vector w;
  double residual = 0.0;
  int steps = 0;
};

Answer judge(const LinearComplementarity& problem, const Vector& z, int steps) {
  Answer answer{z, Vector(z.size()), 0.0, steps};
  const auto n = static_cast<std::size_t>(z.size());
  problem.evaluate({z.data(), n}, {answer.w.data(), n});
  answer.residual = LinearComplementarity::residual({z.data(), n}, {answer.w.data(), n});
  return answer;
}

Lemke::State run_lemke(const LinearComplementarity& problem, Answer& answer) {
  Lemke lemke;
  lemke.start(problem);
  while (lemke.state() == Lemke::State::running && lemke.pivots() < many_steps) lemke.step();
  Vector z(problem.size());
  lemke.solution({z.data(), static_cast<std::size_t>(z.size())});
  answer = judge(problem, z, lemke.pivots());
  return lemke.state();
}

LcpNewton::State run_newton(const LinearComplementarity& problem, Answer& answer) {
  LcpNewton newton;
  const std::vector<double> start(static_cast<std::size_t>(problem.size()), 0.0);
  newton.start(problem, start, 1e-12);
  int steps = 0;
  for (; newton.state() == LcpNewton::State::running && steps < many_steps; ++steps) newton.step();
  const Vector z = Eigen::Map<const Vector>(newton.solution().data(), problem.size());
  answer = judge(problem, z, steps);
  return newton.state();
}

Matrix random_matrix(Random& random, int rows, int columns) {
  Matrix result(rows, columns);
  for (double& value : result.reshaped()) value = random.normal();
  return result;
}

/// Not symmetric and positive definite, so a P-matrix: exactly one solution for every q.
Matrix random_p_matrix(Random& random, int n) {
  const Matrix A = random_matrix(random, n, n);
  const Matrix B = random_matrix(random, n, n);
  return A * A.transpose() / n + 0.5 * (B - B.transpose()) + 0.05 * Matrix::Identity(n, n);
}

TEST(Lemke, FindsTheSolutionThatARandomPMatrixWasBuiltFor) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 1 + random.index(30);
    const Matrix M = random_p_matrix(random, n);
    Vector z = Vector::Zero(n), w = Vector::Zero(n);
    for (int i = 0; i < n; ++i) (random.uniform() < 0.5 ? z : w)[i] = random.uniform(0.1, 1.0);
    const LinearComplementarity problem = make_problem(M, w - M * z);
    Answer pivoting, newton;
    ASSERT_EQ(run_lemke(problem, pivoting), Lemke::State::solved) << "seed " << seed;
    ASSERT_EQ(run_newton(problem, newton), LcpNewton::State::solved) << "seed " << seed;
    // 1e-13 is rounding over at most 30 pivots; z follows by the condition, about 1e3 here.
    EXPECT_LE(pivoting.residual, 1e-13) << "seed " << seed;
    EXPECT_LE((pivoting.z - z).cwiseAbs().maxCoeff(), 1e-10) << "seed " << seed;
    EXPECT_LE((newton.z - z).cwiseAbs().maxCoeff(), 1e-8) << "seed " << seed;
  }
}

TEST(Lemke, SolvesStrictlyCopositiveProblems) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 2 + random.index(25);
    // No negative entry and a positive diagonal: strictly copositive, rarely definite.
    Matrix M = random_matrix(random, n, n).cwiseAbs();
    M.diagonal().array() += 0.1;
    Answer answer;
    const LinearComplementarity problem = make_problem(M, random_matrix(random, n, 1));
    ASSERT_EQ(run_lemke(problem, answer), Lemke::State::solved) << "seed " << seed;
    EXPECT_LE(answer.residual, 1e-12) << "seed " << seed;
  }
}

TEST(Lemke, DoesNotCycleWhereAllRatiosTie) {
  // Kostreva's example, on which the method cycles if the first row that ties leaves.
  Matrix M(3, 3);
  M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  const LinearComplementarity problem = make_problem(M, Vector::Constant(3, -1.0));
  Answer answer;
  ASSERT_EQ(run_lemke(problem, answer), Lemke::State::solved);
  EXPECT_LE((answer.z - Vector::Constant(3, 1.0 / 3.0)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE(answer.steps, 8);
  ASSERT_EQ(run_newton(problem, answer), LcpNewton::State::solved);
  EXPECT_LE((answer.z - Vector::Constant(3, 1.0 / 3.0)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Lemke, EndsOnDegenerateProblemsOfSmallIntegers) {
  // Integer entries and a q of −1, 0 and 1 make most ratio tests tie exactly.
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 2 + random.index(15);
    Matrix A(n, n);
    for (double& value : A.reshaped()) value = random.index(3) - 1;
    Vector q(n);
    for (double& value : q) value = random.index(3) - 1;
    Answer answer;
    // A Aᵀ is semidefinite and often singular; with q in its range there is a solution.
    const Matrix M = A * A.transpose();
    const LinearComplementarity problem = make_problem(M, A * q);
    ASSERT_EQ(run_lemke(problem, answer), Lemke::State::solved) << "seed " << seed;
    EXPECT_LE(answer.residual, 1e-11) << "seed " << seed;
    EXPECT_LE(answer.steps, 20 * n) << "seed " << seed;
  }
}

TEST(Lemke, SolvesMurtysTriangularProblem) {
  for (const int n : {2, 5, 10, 20}) {
    Matrix M = Matrix::Identity(n, n);
    M.triangularView<Eigen::StrictlyUpper>().setConstant(2.0);
    Vector expected = Vector::Zero(n);
    expected[n - 1] = 1.0;
    Answer answer;
    ASSERT_EQ(run_lemke(make_problem(M, Vector::Constant(n, -1.0)), answer), Lemke::State::solved);
    EXPECT_EQ(answer.z, expected) << n;
  }
}

TEST(Lemke, ReportsARayWhereNothingCanHelp) {
  Answer answer;
  EXPECT_EQ(
      run_lemke(make_problem(Matrix::Constant(1, 1, -1.0), Vector::Constant(1, -1.0)), answer),
      Lemke::State::ray);
  EXPECT_EQ(run_lemke(make_problem(Matrix::Zero(4, 4), Vector::Constant(4, -1.0)), answer),
            Lemke::State::ray);
  Matrix pinched(2, 2);
  pinched << 1, -1, -1, 1;
  EXPECT_EQ(run_lemke(make_problem(pinched, Vector::Constant(2, -1.0)), answer), Lemke::State::ray);
  EXPECT_EQ(run_newton(make_problem(pinched, Vector::Constant(2, -1.0)), answer),
            LcpNewton::State::stalled);
  EXPECT_TRUE(answer.z.allFinite());
}

TEST(Lemke, NeedsNoPivotWhereZeroIsTheSolution) {
  Answer answer;
  EXPECT_EQ(run_lemke(make_problem(-Matrix::Identity(3, 3), Vector::Constant(3, 0.0)), answer),
            Lemke::State::solved);
  EXPECT_EQ(answer.steps, 0);
  EXPECT_EQ(run_lemke(make_problem(Matrix(0, 0), Vector(0)), answer), Lemke::State::solved);
  EXPECT_EQ(run_newton(make_problem(Matrix(0, 0), Vector(0)), answer), LcpNewton::State::solved);
}

TEST(Lemke, StaysAccurateOverHundredsOfPivots) {
  Random random(4);
  const int n = 300;
  const Matrix M = random_p_matrix(random, n);
  Answer answer;
  ASSERT_EQ(run_lemke(make_problem(M, random_matrix(random, n, 1)), answer), Lemke::State::solved);
  EXPECT_GE(answer.steps, 100);
  EXPECT_LE(answer.residual, 1e-12);
}

TEST(LcpNewton, StartsAnewWhereTheFirstAttemptStalls) {
  // Not monotone: from zero the plain function often ends in a local minimum of its merit.
  int restarted = 0, solved = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 2 + random.index(10);
    Matrix M = random_matrix(random, n, n).cwiseAbs();
    M.diagonal().array() += 0.1;
    const LinearComplementarity problem = make_problem(M, random_matrix(random, n, 1));
    LcpNewton newton;
    newton.start(problem, std::vector<double>(static_cast<std::size_t>(n), 0.0), 1e-12);
    while (newton.state() == LcpNewton::State::running) newton.step();
    solved += newton.state() == LcpNewton::State::solved;
    restarted += newton.state() == LcpNewton::State::solved && newton.attempts() > 1;
  }
  EXPECT_GE(solved, 98);
  EXPECT_GE(restarted, 5);
}

}  // namespace
}  // namespace stiction::test
