// The solver of quadratic programs against an oracle that tries every active set, published
// programs with known answers, and programs that no x solves.

#include "stiction/control/quadratic_program.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "stiction/core/random.hpp"

namespace stiction::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Owns the data of a program.
struct Data {
  MatrixXd H, A{0, 0}, C{0, 0};
  VectorXd g, b{0}, lower{0}, upper{0}, least{0}, largest{0};
  [[nodiscard]] QuadraticProgram program() const {
    return {H, g, A, b, C, lower, upper, least, largest};
  }
};

/// All one-sided rows of a program: n · x >= side.
struct Side {
  VectorXd normal;
  double side = 0.0;
  int constraint = 0;  ///< both sides of a row have the same
};

std::vector<Side> sides_of(const Data& data) {
  std::vector<Side> sides;
  int constraint = 0;
  const auto add = [&](const VectorXd& normal, double low, double high) {
    if (std::isfinite(low)) sides.push_back({normal, low, constraint});
    if (std::isfinite(high)) sides.push_back({-normal, -high, constraint});
    ++constraint;
  };
  for (int i = 0; i < data.C.rows(); ++i) {
    add(data.C.row(i).transpose(), data.lower[i], data.upper[i]);
  }
  for (int i = 0; i < data.least.size(); ++i) {
    add(VectorXd::Unit(data.g.size(), i), data.least[i], data.largest[i]);
  }
  return sides;
}

/// The minimum with these sides as equalities, if it meets all others and no multiplier is
/// negative.
std::optional<VectorXd> minimum_with(const Data& data, const std::vector<Side>& sides,
                                     unsigned chosen) {
  const Eigen::Index n = data.g.size();
  Eigen::Index rows = data.A.rows();
  for (std::size_t i = 0; i < sides.size(); ++i) rows += (chosen >> i) & 1U;
  if (rows > n) return std::nullopt;
  // In long double, because rows that nearly repeat each other lead to large multipliers.
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Long K = Long::Zero(n + rows, n + rows);
  Long right(n + rows, 1);
  K.topLeftCorner(n, n) = data.H.cast<long double>();
  right.topRows(n) = -data.g.cast<long double>();
  Eigen::Index row = n;
  const auto add = [&](const VectorXd& normal, double side) {
    K.row(row).head(n) = normal.transpose().cast<long double>();
    K.col(row).head(n) = -normal.cast<long double>();
    right(row++, 0) = side;
  };
  for (int i = 0; i < data.A.rows(); ++i) add(data.A.row(i).transpose(), data.b[i]);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if ((chosen >> i) & 1U) add(sides[i].normal, sides[i].side);
  }
  const Eigen::FullPivLU<Long> factors(K);
  if (!factors.isInvertible()) return std::nullopt;
  const VectorXd solution = Long(factors.solve(right)).cast<double>();
  for (Eigen::Index i = n + data.A.rows(); i < n + rows; ++i) {
    if (solution[i] < -1e-9) return std::nullopt;
  }
  for (const Side& side : sides) {
    if (side.normal.dot(solution.head(n)) < side.side - 1e-9) return std::nullopt;
  }
  return solution.head(n);
}

/// Tries every active set. Empty: no x meets the constraints.
std::optional<VectorXd> oracle(const Data& data) {
  const std::vector<Side> sides = sides_of(data);
  for (unsigned chosen = 0; chosen < (1U << sides.size()); ++chosen) {
    if (const auto x = minimum_with(data, sides, chosen)) return x;
  }
  return std::nullopt;
}

double uniform(Random& random) { return random.uniform(-1.0, 1.0); }

MatrixXd random_matrix(Random& random, int rows, int columns) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

Data random_program(Random& random) {
  const int n = 1 + static_cast<int>(random.uniform(0.0, 3.999));
  const int equalities = std::min(n - 1, static_cast<int>(random.uniform(0.0, 2.999)));
  const int rows = static_cast<int>(random.uniform(0.0, 3.999));
  Data data;
  const MatrixXd root = random_matrix(random, n, n);
  data.H = root * root.transpose() + 0.05 * MatrixXd::Identity(n, n);
  data.g = 3.0 * random_matrix(random, n, 1);
  data.A = random_matrix(random, equalities, n);
  data.b = random_matrix(random, equalities, 1);
  data.C = random_matrix(random, rows, n);
  data.lower = random_matrix(random, rows, 1);
  data.upper = data.lower + random_matrix(random, rows, 1).cwiseAbs();
  for (int i = 0; i < rows; ++i) {
    if (uniform(random) > 0.5) data.lower[i] = -infinity;
    if (uniform(random) > 0.5) data.upper[i] = infinity;
  }
  if (uniform(random) > 0.3) {
    data.least = random_matrix(random, n, 1).array() - 1.0;
    data.largest = random_matrix(random, n, 1).array() + 1.0;
  }
  return data;
}

/// How far the solver's answer is from the conditions for a minimum.
double optimality_error(const Data& data, const QuadraticProgramSolver& solver) {
  VectorXd gradient = data.H * solver.x() + data.g;
  if (data.A.rows() > 0) gradient -= data.A.transpose() * solver.equality_multipliers();
  if (data.C.rows() > 0) gradient -= data.C.transpose() * solver.inequality_multipliers();
  if (data.least.size() > 0) gradient -= solver.bound_multipliers();
  return gradient.cwiseAbs().maxCoeff();
}

TEST(QuadraticProgram, EqualsTheOracleOnAThousandRandomPrograms) {
  constexpr std::uint64_t seed = 32;
  SCOPED_TRACE(seed);
  Random random(seed);
  QuadraticProgramSolver solver;
  int infeasible = 0;
  int constrained = 0;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    const Data data = random_program(random);
    const auto expected = oracle(data);
    const ProgramStatus status = solver.solve(data.program());
    if (!expected) {
      ++infeasible;
      ASSERT_EQ(status, ProgramStatus::infeasible);
      continue;
    }
    ASSERT_EQ(status, ProgramStatus::solved);
    constrained += solver.active().size() > static_cast<std::size_t>(data.A.rows()) ? 1 : 0;
    // Both sides solve systems of condition up to about 1e6; rows that nearly repeat each other
    // lead far away.
    const double size = 1.0 + expected->cwiseAbs().maxCoeff();
    ASSERT_LT((solver.x() - *expected).cwiseAbs().maxCoeff(), 1e-9 * size);
    ASSERT_LT(optimality_error(data, solver), 1e-9 * size);
  }
  // The set is worth something only if it has all kinds.
  EXPECT_GT(infeasible, 100);
  EXPECT_GT(constrained, 300);
}

TEST(QuadraticProgram, WarmStartChangesNothingButRounding) {
  Random random(7);
  QuadraticProgramSolver warm;
  QuadraticProgramSolver cold;
  for (int i = 0; i < 200; ++i) {
    Data data = random_program(random);
    for (int k = 0; k < 5; ++k) {
      data.g += 0.1 * random_matrix(random, static_cast<int>(data.g.size()), 1);
      cold.forget();
      const ProgramStatus status = cold.solve(data.program());
      ASSERT_EQ(warm.solve(data.program()), status);
      if (status != ProgramStatus::solved) continue;
      ASSERT_LT((warm.x() - cold.x()).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + cold.x().norm()));
    }
  }
}

TEST(QuadraticProgram, SolvesWhereConstraintsRepeatAndMeetInOnePoint) {
  Random random(11);
  QuadraticProgramSolver solver;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    // All rows go through one point, several are the same, and the minimum is near it.
    constexpr int n = 3;
    Data data;
    const MatrixXd root = random_matrix(random, n, n);
    data.H = root * root.transpose() + 0.1 * MatrixXd::Identity(n, n);
    const VectorXd point = random_matrix(random, n, 1);
    data.A = random_matrix(random, 2, n);
    data.A.row(1) = 2.0 * data.A.row(0);
    data.b = data.A * point;
    data.C = random_matrix(random, 6, n);
    data.C.row(1) = data.C.row(0);
    data.C.row(2) = -3.0 * data.C.row(0);
    data.lower = data.C * point;
    data.upper = VectorXd::Constant(6, infinity);
    data.upper[2] = data.lower[2] + 1.0;
    data.g = -data.H * (point - 0.1 * data.C.row(3).transpose());
    ASSERT_EQ(solver.solve(data.program()), ProgramStatus::solved);
    Data independent = data;
    independent.A = data.A.topRows(1);
    independent.b = data.b.head(1);
    const auto expected = oracle(independent);
    ASSERT_TRUE(expected);
    ASSERT_LT((solver.x() - *expected).cwiseAbs().maxCoeff(), 1e-8);
    ASSERT_LT(optimality_error(data, solver), 1e-8);
  }
}

/// Goldfarb and Idnani's own example has three variables and three rows.
TEST(QuadraticProgram, SolvesTheExampleOfGoldfarbAndIdnani) {
  Data data;
  data.H = MatrixXd::Identity(3, 3);
  data.g = VectorXd{{0.0, -5.0, 0.0}};
  data.C = MatrixXd{{-4.0, -3.0, 0.0}, {2.0, 1.0, 0.0}, {0.0, -2.0, 1.0}};
  data.lower = VectorXd{{-8.0, 2.0, 0.0}};
  data.upper = VectorXd::Constant(3, infinity);
  QuadraticProgramSolver solver;
  ASSERT_EQ(solver.solve(data.program()), ProgramStatus::solved);
  // As in the manual of the R package quadprog, whose example this is.
  EXPECT_NEAR(solver.x()[0], 0.4761905, 1e-7);
  EXPECT_NEAR(solver.x()[1], 1.0476190, 1e-7);
  EXPECT_NEAR(solver.x()[2], 2.0952381, 1e-7);
  EXPECT_NEAR(solver.objective(), -2.380952, 1e-6);
}

/// Hock and Schittkowski's convex programs; `constant` is the part of f that x does not enter. A
/// Hessian without full rank gets `shift` on its diagonal, which moves x by about as much.
struct Published {
  const char* name;
  Data data;
  VectorXd x;
  double objective;
  double constant;
  double tolerance;
};

Data with_shift(Data data, double shift) {
  data.H.diagonal().array() += shift;
  return data;
}

std::vector<Published> hock_schittkowski() {
  std::vector<Published> all;
  Data d;
  d.H = VectorXd{{0.02, 2.0}}.asDiagonal();
  d.g = VectorXd::Zero(2);
  d.C = MatrixXd{{10.0, -1.0}};
  d.lower = VectorXd{{10.0}};
  d.upper = VectorXd{{infinity}};
  d.least = VectorXd{{2.0, -50.0}};
  d.largest = VectorXd{{50.0, 50.0}};
  all.push_back({"HS21", d, VectorXd{{2.0, 0.0}}, -99.96, -100.0, 1e-12});

  d = {};
  d.H = MatrixXd{{2.0, 2.0, 0.0}, {2.0, 4.0, 2.0}, {0.0, 2.0, 2.0}};
  d.g = VectorXd::Zero(3);
  d.A = MatrixXd{{1.0, 2.0, 3.0}};
  d.b = VectorXd{{1.0}};
  all.push_back({"HS28", with_shift(d, 1e-9), VectorXd{{0.5, -0.5, 0.5}}, 0.0, 0.0, 1e-8});

  d = {};
  d.H = MatrixXd{{4.0, 2.0, 2.0}, {2.0, 4.0, 0.0}, {2.0, 0.0, 2.0}};
  d.g = VectorXd{{-8.0, -6.0, -4.0}};
  d.C = MatrixXd{{1.0, 1.0, 2.0}};
  d.lower = VectorXd{{-infinity}};
  d.upper = VectorXd{{3.0}};
  d.least = VectorXd::Zero(3);
  d.largest = VectorXd::Constant(3, infinity);
  all.push_back({"HS35", d, VectorXd{{4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0}}, 1.0 / 9.0, 9.0, 1e-12});

  // (x1 − x2)² + (x2 + x3 − 2)² + (x4 − 1)² + (x5 − 1)²
  d = {};
  d.H = MatrixXd{
      {2, -2, 0, 0, 0}, {-2, 4, 2, 0, 0}, {0, 2, 2, 0, 0}, {0, 0, 0, 2, 0}, {0, 0, 0, 0, 2}};
  d.g = VectorXd{{0.0, -4.0, -4.0, -2.0, -2.0}};
  d.A = MatrixXd{{1, 3, 0, 0, 0}, {0, 0, 1, 1, -2}, {0, 1, 0, 0, -1}};
  d.b = VectorXd{{4.0, 0.0, 0.0}};
  all.push_back({"HS51", with_shift(d, 1e-9), VectorXd::Ones(5), 0.0, 6.0, 1e-8});

  d = {};
  d.H = MatrixXd{{2, 0, -1, 0}, {0, 1, 0, 0}, {-1, 0, 2, 1}, {0, 0, 1, 1}};
  d.g = VectorXd{{-1.0, -3.0, 1.0, -1.0}};
  d.C = MatrixXd{{1, 2, 1, 1}, {3, 1, 2, -1}, {0, 1, 4, 0}};
  d.lower = VectorXd{{-infinity, -infinity, 1.5}};
  d.upper = VectorXd{{5.0, 4.0, infinity}};
  d.least = VectorXd::Zero(4);
  d.largest = VectorXd::Constant(4, infinity);
  all.push_back(
      {"HS76", d, VectorXd{{3.0 / 11, 23.0 / 11, 0, 6.0 / 11}}, -4.681818181818, 0.0, 1e-10});
  return all;
}

TEST(QuadraticProgram, SolvesTheConvexProgramsOfHockAndSchittkowski) {
  QuadraticProgramSolver solver;
  for (const Published& published : hock_schittkowski()) {
    SCOPED_TRACE(published.name);
    ASSERT_EQ(solver.solve(published.data.program()), ProgramStatus::solved);
    EXPECT_LT((solver.x() - published.x).cwiseAbs().maxCoeff(), published.tolerance);
    EXPECT_NEAR(solver.objective() + published.constant, published.objective, 1e-8);
  }
}

Data unit_program(int n) {
  Data data;
  data.H = MatrixXd::Identity(n, n);
  data.g = VectorXd::Zero(n);
  return data;
}

TEST(QuadraticProgram, NamesTheRowsThatContradictEachOther) {
  Data data = unit_program(3);
  data.C = MatrixXd{{0.0, 0.0, 1.0}, {1.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  data.lower = VectorXd{{1.0, 4.0, -infinity, -infinity}};
  data.upper = VectorXd{{2.0, infinity, 1.0, 1.0}};
  QuadraticProgramSolver solver;
  ASSERT_EQ(solver.solve(data.program()), ProgramStatus::infeasible);
  std::vector<int> rows{solver.violated().row};
  for (const ProgramRow& row : solver.conflict()) rows.push_back(row.row);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<int>{1, 2, 3}));  // row 0 has nothing to do with it
}

TEST(QuadraticProgram, NamesEqualitiesThatContradictEachOther) {
  Data data = unit_program(3);
  data.A = MatrixXd{{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}, {0.0, 2.0, 2.0}};
  data.b = VectorXd{{1.0, 1.0, 3.0}};
  QuadraticProgramSolver solver;
  ASSERT_EQ(solver.solve(data.program()), ProgramStatus::infeasible);
  EXPECT_EQ(solver.violated(), (ProgramRow{ProgramRow::Kind::equality, 2, false}));
  ASSERT_EQ(solver.conflict().size(), 1U);
  EXPECT_EQ(solver.conflict()[0].row, 1);
  EXPECT_EQ(to_string(solver.violated()), "equality 2");
}

TEST(QuadraticProgram, NamesARowWhoseBoundsAreSwapped) {
  Data data = unit_program(2);
  data.least = VectorXd{{0.0, 2.0}};
  data.largest = VectorXd{{1.0, 1.0}};
  QuadraticProgramSolver solver;
  ASSERT_EQ(solver.solve(data.program()), ProgramStatus::infeasible);
  EXPECT_EQ(to_string(solver.violated()), "lower bound of x[1]");
}

TEST(QuadraticProgram, SaysThatAHessianIsNotPositiveDefinite) {
  Data data = unit_program(2);
  data.H << 1.0, 1.0, 1.0, 1.0;
  QuadraticProgramSolver solver;
  EXPECT_EQ(solver.solve(data.program()), ProgramStatus::not_convex);
  data.H << 1.0, 2.0, 2.0, 1.0;
  EXPECT_EQ(solver.solve(data.program()), ProgramStatus::not_convex);
}

std::string refusal(const Data& data) {
  QuadraticProgramSolver solver;
  try {
    solver.solve(data.program());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(QuadraticProgram, RefusesWrongSizesAndNumbers) {
  Data data = unit_program(2);
  data.g = VectorXd::Zero(3);
  EXPECT_EQ(refusal(data), "quadratic program: rows of H: expected 3, found 2");
  data = unit_program(2);
  data.C = MatrixXd::Ones(1, 3);
  data.lower = data.upper = VectorXd::Ones(1);
  EXPECT_EQ(refusal(data), "quadratic program: columns of C: expected 2, found 3");
  data = unit_program(2);
  data.H(1, 1) = std::nan("");
  EXPECT_EQ(refusal(data), "quadratic program: H contains NaN or infinity in column 1");
  data = unit_program(2);
  data.least = data.largest = VectorXd{{0.0, std::nan("")}};
  EXPECT_EQ(refusal(data), "quadratic program: bounds of entry 1 are [nan, nan]");
}

}  // namespace
}  // namespace stiction::test
