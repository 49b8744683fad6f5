// The Delassus matrix as a plain matrix: the same as the products that the problem itself makes.

#include "stiction/contact/dense_delassus.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "support/contact_problems.hpp"

namespace stiction {
namespace {

TEST(DenseDelassus, ColumnsAreTheVelocitiesOfUnitImpulses) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ContactProblem dense = test::robot_problem(seed, test::every_kind);
    const ContactProblem bodies = test::body_problem(seed, 4, test::every_kind);
    for (const ContactProblem* problem : {&dense, &bodies}) {
      const int rows = problem->row_count();
      Eigen::MatrixXd G = Eigen::MatrixXd::Constant(rows, rows, 7.0);  // all of it is overwritten
      copy_delassus(*problem, G);
      std::vector<double> unit(index(rows), 0.0), velocity(index(rows));
      for (int column = 0; column < rows; ++column) {
        unit[index(column)] = 1.0;
        problem->multiply(unit, velocity);
        unit[index(column)] = 0.0;
        const Eigen::Map<const Eigen::VectorXd> expected(velocity.data(), rows);
        EXPECT_LE((G.col(column) - expected).cwiseAbs().maxCoeff(), 1e-13 * G.cwiseAbs().maxCoeff())
            << "seed " << seed << " column " << column;
      }
    }
  }
}

TEST(DenseDelassus, SomeBlocksAloneHaveTheBitsOfTheWhole) {
  for (const ContactProblem& problem :
       {test::robot_problem(3, test::every_kind), test::body_problem(3, 4, test::every_kind)}) {
    Eigen::MatrixXd whole(problem.row_count(), problem.row_count());
    copy_delassus(problem, whole);
    const std::vector<int> chosen{5, 0, 3};
    int rows = 0;
    for (const int i : chosen) rows += problem.blocks()[index(i)].rows;
    Eigen::MatrixXd part(rows, rows);
    copy_delassus(problem, chosen, part);
    int row = 0;
    for (const int i : chosen) {
      const Block& a = problem.blocks()[index(i)];
      int column = 0;
      for (const int k : chosen) {
        const Block& b = problem.blocks()[index(k)];
        EXPECT_EQ(part.block(row, column, a.rows, b.rows),
                  whole.block(a.row, b.row, a.rows, b.rows));
        column += b.rows;
      }
      row += a.rows;
    }
  }
}

}  // namespace
}  // namespace stiction
