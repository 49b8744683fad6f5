#include "stiction/solver/lu_factor.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "stiction/core/random.hpp"

namespace stiction {
namespace {

Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows) {
  Eigen::MatrixXd A(rows, rows);
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = random.normal();
  return A;
}

/// ‖Ax − b‖ relative to ‖A‖‖x‖: 1e-13 is some hundred units of rounding.
void expect_solves(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b) {
  EXPECT_LE((A * x - b).norm(), 1e-13 * A.norm() * x.norm()) << A.rows() << " rows";
}

TEST(LuFactor, SolvesEverySize) {
  Random random(7);
  LuFactor lu;
  for (const Eigen::Index rows : {1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 100, 203}) {
    const Eigen::MatrixXd A = random_matrix(random, rows);
    const Eigen::VectorXd b = random_matrix(random, rows).col(0);
    lu.matrix(rows) = A;
    ASSERT_TRUE(lu.compute());
    Eigen::VectorXd x = b;
    lu.solve(x);
    expect_solves(A, x, b);
  }
}

TEST(LuFactor, NeedsItsPivots) {
  LuFactor lu;
  lu.matrix(2) << 0.0, 1.0, 1.0, 0.0;
  ASSERT_TRUE(lu.compute());
  Eigen::VectorXd x(2);
  x << 3.0, 5.0;
  lu.solve(x);
  EXPECT_EQ(x[0], 5.0);
  EXPECT_EQ(x[1], 3.0);
}

TEST(LuFactor, SingularMatricesAreReported) {
  LuFactor lu;
  lu.matrix(2).setZero();
  EXPECT_FALSE(lu.compute());
  lu.matrix(2).setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(lu.compute());
}

}  // namespace
}  // namespace stiction
