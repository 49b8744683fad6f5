// Linear-quadratic regulators against closed forms, against the cost that they promise, and against
// the algebraic Riccati equation.

#include "stiction/control/riccati.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/core/random.hpp"

namespace stiction::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix random_matrix(Random& random, int rows, int columns, double size = 1.0) {
  Matrix result(rows, columns);
  for (double& entry : result.reshaped()) entry = size * random.normal();
  return result;
}

Matrix positive(Random& random, int n) {
  const Matrix root = random_matrix(random, n, n);
  return root * root.transpose() + 0.1 * Matrix::Identity(n, n);
}

Matrix scalar(double value) { return Matrix::Constant(1, 1, value); }

// x⁺ = a x + b u: P is the positive root of b² P² + (r − a² r − b² q) P − q r = 0.
TEST(Lqr, OfOneNumberIsTheRootOfAQuadratic) {
  for (const double a : {-1.5, 0.3, 1.0, 2.5}) {
    for (const double b : {0.2, 3.0}) {
      const double q = 0.7;
      const double r = 1.3;
      const double half = 0.5 * (r - a * a * r - b * b * q);
      const double root = (-half + std::sqrt(half * half + b * b * q * r)) / (b * b);
      const StationaryLqr lqr =
          solve_stationary_lqr({scalar(a), scalar(b)}, {scalar(q), scalar(r), {}});
      EXPECT_NEAR(lqr.value(0, 0), root, 1e-13 * root) << a << ' ' << b;
      EXPECT_NEAR(lqr.gain(0, 0), a * b * root / (r + b * b * root), 1e-13) << a << ' ' << b;
    }
  }
}

/// A mass, pushed: exact for forces that are constant over a step.
LinearStep double_integrator(double h) {
  Matrix A(2, 2);
  A << 1.0, h, 0.0, 1.0;
  return {A, Vector::Map(std::array<double, 2>{0.5 * h * h, h}.data(), 2)};
}

LqrCost integrated_cost(double h) {
  return {h * Matrix::Identity(2, 2), scalar(h), Matrix::Zero(2, 2)};
}

// In continuous time the gain for unit costs is (1, √3).
TEST(Lqr, OfADoubleIntegratorTendsToItsClosedForm) {
  const Vector exact = Vector::Map(std::array<double, 2>{1.0, std::sqrt(3.0)}.data(), 2);
  const auto error = [&](double h) {
    const Matrix K = solve_stationary_lqr(double_integrator(h), integrated_cost(h)).gain;
    return (K.transpose() - exact).norm();
  };
  EXPECT_LT(error(1e-3), 2e-3);
  // First order in the time step.
  EXPECT_NEAR(error(1e-3) / error(5e-4), 2.0, 0.01);
  EXPECT_NEAR(error(5e-4) / error(2.5e-4), 2.0, 0.01);
}

TEST(Lqr, OfALongHorizonStartsAsTheStationaryOne) {
  const LinearStep step = double_integrator(0.05);
  const LqrCost cost = integrated_cost(0.05);
  const StationaryLqr stationary = solve_stationary_lqr(step, cost);
  const std::vector<LinearStep> steps(1000, step);
  const LqrSolution solution = solve_lqr(steps, cost);
  EXPECT_LT((solution.gains.front() - stationary.gain).norm(), 1e-12);
  EXPECT_LT((solution.values.front() - stationary.value).norm(), 1e-12 * stationary.value.norm());
  // Longer horizons cost more: P grows backwards from zero.
  for (const std::size_t k : {0U, 500U, 900U, 990U, 999U}) {
    const Matrix growth = solution.values[k] - solution.values[k + 1];
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(growth).eigenvalues().minCoeff(), -1e-14);
  }
}

// Rounding of P grows with its size: with few inputs and eigenvalues up to 5, P is up to 1e9 times
// Q. So the residual, relative to the terms of the equation, is bounded by rounding times |P| /
// |Q|.
TEST(Lqr, SolvesTheAlgebraicRiccatiEquationAndStabilises) {
  double worst = 0.0;
  double worst_scaled = 0.0;
  int unstable = 0;
  int refused = 0;
  for (const std::uint64_t seed : {7U, 8U, 9U}) {
    Random random(seed);
    for (int i = 0; i < 1000; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
      const int n = 1 + random.index(8);
      const int m = 1 + random.index(3);
      const LinearStep step{random_matrix(random, n, n), random_matrix(random, n, m)};
      const LqrCost cost{positive(random, n), positive(random, m), {}};
      const Matrix& A = step.A;
      const Matrix& B = step.B;
      unstable += A.eigenvalues().cwiseAbs().maxCoeff() > 1.0 ? 1 : 0;
      StationaryLqr lqr;
      try {
        lqr = solve_stationary_lqr(step, cost);
      } catch (const std::domain_error&) {
        ++refused;
        continue;
      }
      const Matrix& P = lqr.value;
      const Matrix PA = P * A;
      const Matrix inner = cost.input + B.transpose() * P * B;
      const Matrix residual = cost.state + A.transpose() * PA - P -
                              PA.transpose() * B * inner.llt().solve(B.transpose() * PA);
      const double error = residual.norm() / (P.norm() * (1.0 + A.squaredNorm()));
      worst = std::max(worst, error);
      worst_scaled = std::max(worst_scaled, error * cost.state.norm() / P.norm());
      EXPECT_LT((A - B * lqr.gain).eigenvalues().cwiseAbs().maxCoeff(), 1.0);
    }
  }
  std::printf(
      "Riccati equation: residual %.1e of its terms, %.1e |P| / |Q|; %d of 3000 unstable, %d "
      "refused\n",
      worst, worst_scaled, unstable, refused);
  EXPECT_GT(unstable, 1500);
  EXPECT_LT(worst_scaled, 1e-14);
  // All of these have a solution; what rounding hides may be refused, but never answered wrongly.
  EXPECT_LE(refused, 3);
}

/// A system that changes from step to step.
struct Changing {
  std::vector<LinearStep> steps;
  LqrCost cost;
  Vector start;

  explicit Changing(Random& random) {
    const int n = 2 + random.index(4);
    const int m = 1 + random.index(2);
    for (int k = 0; k < 12; ++k) {
      steps.push_back({random_matrix(random, n, n, 0.8), random_matrix(random, n, m)});
    }
    cost = {positive(random, n), positive(random, m), positive(random, n)};
    start = random_matrix(random, n, 1);
  }

  /// Cost of the feedback with `offsets` added to its inputs.
  [[nodiscard]] double run(const LqrSolution& lqr, const std::vector<Vector>& offsets) const {
    Vector x = start;
    double sum = 0.0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const Vector u = offsets[k] - lqr.gains[k] * x;
      sum += x.dot(cost.state * x) + u.dot(cost.input * u);
      x = steps[k].A * x + steps[k].B * u;
    }
    return sum + x.dot(cost.final_state * x);
  }
};

TEST(Lqr, CostsWhatItPromisesAndNoOtherInputCostsLess) {
  Random random(11);
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE("seed 11, case " + std::to_string(i));
    const Changing system(random);
    const LqrSolution lqr = solve_lqr(system.steps, system.cost);
    const Eigen::Index m = system.cost.input.rows();
    std::vector<Vector> offsets(system.steps.size(), Vector::Zero(m));
    const double best = system.run(lqr, offsets);
    EXPECT_NEAR(system.start.dot(lqr.values[0] * system.start), best, 1e-11 * best);
    for (int trial = 0; trial < 10; ++trial) {
      for (Vector& offset : offsets) offset = random_matrix(random, static_cast<int>(m), 1, 0.01);
      EXPECT_GT(system.run(lqr, offsets), best);
    }
  }
}

TEST(Lqr, RefusesWhatNoFeedbackStabilises) {
  const LqrCost unit{Matrix::Identity(2, 2), scalar(1.0), Matrix::Identity(2, 2)};
  Matrix A = Vector::Map(std::array<double, 2>{1.1, 0.5}.data(), 2).asDiagonal();
  const Matrix second = Vector::Unit(2, 1);
  // The input does not reach the unstable state.
  EXPECT_THROW((void)solve_stationary_lqr({A, second}, unit), std::domain_error);
  // The unstable state costs nothing, so nothing is done about it.
  LqrCost blind = unit;
  blind.state(0, 0) = 0.0;
  EXPECT_THROW((void)solve_stationary_lqr({A, Vector::Ones(2)}, blind), std::domain_error);
  // Both are fine where that state is stable.
  A(0, 0) = 0.9;
  EXPECT_NO_THROW((void)solve_stationary_lqr({A, second}, unit));
  EXPECT_NO_THROW((void)solve_stationary_lqr({A, Vector::Ones(2)}, blind));
}

TEST(Lqr, RefusesFreeInputsAndWrongSizes) {
  const LinearStep step = double_integrator(0.1);
  LqrCost cost = integrated_cost(0.1);
  cost.input(0, 0) = -1.0;
  const std::vector<LinearStep> steps{step};
  EXPECT_THROW((void)solve_lqr(steps, cost), std::domain_error);
  EXPECT_THROW((void)solve_stationary_lqr(step, cost), std::domain_error);
  cost = integrated_cost(0.1);
  cost.state = Matrix::Identity(3, 3);
  EXPECT_THROW((void)solve_stationary_lqr(step, cost), std::invalid_argument);
  cost = integrated_cost(0.1);
  cost.final_state = {};
  EXPECT_THROW((void)solve_lqr(steps, cost), std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
