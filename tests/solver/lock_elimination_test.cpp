// Locks that are eliminated: redundant rows, and the same answer as by iteration.

#include "stiction/solver/lock_elimination.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"
#include "support/hyperstatic_box.hpp"

namespace stiction::test {
namespace {

/// Two contacts, a limit, and locks of 3, 6 and 1 rows. `rank` of the rows of the locks are
/// independent; the others repeat them. Free velocities are those of a motion.
ContactProblem redundant_problem(std::uint64_t seed, int rank) {
  Random random(seed);
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_lock(3);
  problem.add_limit();
  problem.add_lock(6);
  problem.add_contact(0.8);
  problem.add_lock(1);
  problem.use_dense();
  constexpr int freedoms = 20;
  Eigen::MatrixXd J(problem.row_count(), freedoms);
  for (double& number : J.reshaped()) number = random.uniform(-1.0, 1.0);
  std::vector<int> locked;
  for (const Block& block : problem.blocks()) {
    if (block.kind != BlockKind::lock) continue;
    for (int k = 0; k < block.rows; ++k) locked.push_back(block.row + k);
  }
  for (std::size_t i = static_cast<std::size_t>(rank); i < locked.size(); ++i) {
    J.row(locked[i]).setZero();
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) {
      J.row(locked[i]) += random.uniform(-1.0, 1.0) * J.row(locked[k]);
    }
  }
  Eigen::VectorXd inverse_mass(freedoms);
  for (double& number : inverse_mass) number = random.uniform(0.1, 10.0);
  Eigen::VectorXd motion(freedoms);
  for (double& number : motion) number = random.uniform(-1.0, 1.0);
  const Eigen::MatrixXd G = J * inverse_mass.asDiagonal() * J.transpose();
  problem.edit_delassus() = 0.5 * (G + G.transpose());
  problem.edit_free_velocity() = J * motion;
  problem.prepare();
  return problem;
}

std::vector<double> solve(const ContactProblem& problem, const char* solver, double tolerance) {
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = solver == std::string("hybrid") ? 0 : 200000;
  const SolverReport report = make_solver(solver)->solve(problem, options, impulses);
  EXPECT_TRUE(report.certified()) << solver << ": " << report.message;
  return impulses;
}

std::vector<double> velocities(const ContactProblem& problem, const std::vector<double>& impulses) {
  std::vector<double> v(impulses.size());
  problem.multiply(impulses, v);
  for (std::size_t row = 0; row < v.size(); ++row) {
    v[row] += problem.free_velocity()[static_cast<Eigen::Index>(row)];
  }
  return v;
}

TEST(LockFactor, FindsTheRankAndReproducesTheMatrix) {
  for (const int rank : {2, 5, 10}) {
    const ContactProblem problem = redundant_problem(1, rank);
    ASSERT_TRUE(LockFactor::suits(problem));
    LockFactor factor;
    factor.factorize(problem);
    EXPECT_EQ(factor.rank(), rank);
    const auto rows = factor.rows();
    ASSERT_EQ(rows.size(), 10U);
    for (int i = 0; i < 10; ++i) {
      for (int k = 0; k < 10; ++k) {
        double sum = 0.0;
        for (int j = 0; j < rank; ++j) sum += factor.entry(i, j) * factor.entry(k, j);
        const double expected = factor.scale(i) * factor.scale(k) *
                                problem.delassus()(rows[static_cast<std::size_t>(i)],
                                                   rows[static_cast<std::size_t>(k)]);
        EXPECT_NEAR(sum, expected, 1e-13);
      }
    }
  }
}

TEST(LockElimination, RedundantLocksAreSolvedAtOnce) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const ContactProblem problem = redundant_problem(seed, 2 + static_cast<int>(seed % 9));
    const std::vector<double> v = velocities(problem, solve(problem, "hybrid", 1e-11));
    for (const Block& block : problem.blocks()) {
      if (block.kind != BlockKind::lock) continue;
      for (int k = 0; k < block.rows; ++k) {
        EXPECT_LT(std::abs(v[static_cast<std::size_t>(block.row + k)]), 1e-11);
      }
    }
  }
}

TEST(LockElimination, GivesTheVelocitiesOfIteration) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const ContactProblem problem = redundant_problem(seed, 3);
    const std::vector<double> direct = velocities(problem, solve(problem, "hybrid", 1e-11));
    const std::vector<double> swept = velocities(problem, solve(problem, "per_contact", 1e-10));
    for (std::size_t row = 0; row < direct.size(); ++row) {
      EXPECT_NEAR(direct[row], swept[row], 1e-7);
    }
  }
}

/// The same problem with its blocks in another order.
ContactProblem reordered(const ContactProblem& problem, const std::vector<int>& order,
                         std::vector<int>& rows) {
  ContactProblem other;
  rows.clear();
  for (const int i : order) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    other.add_block(block);
    for (int k = 0; k < block.rows; ++k) rows.push_back(block.row + k);
  }
  other.use_dense();
  Eigen::MatrixXd G;
  problem.to_dense(G);
  const int count = problem.row_count();
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(i);
    other.edit_free_velocity()[i] = problem.free_velocity()[rows[from]];
    other.edit_target()[i] = problem.target()[rows[from]];
    for (int k = 0; k < count; ++k) {
      other.edit_delassus()(i, k) = G(rows[from], rows[static_cast<std::size_t>(k)]);
    }
  }
  other.prepare();
  return other;
}

/// Friction of a box that sticks is the same at all corners: of all certified impulses, the least.
TEST(LoadSharing, FrictionOfAStickingBoxIsEven) {
  constexpr double push = 0.003;
  const std::vector<double> impulses = solve(dense_copy(hyperstatic_box(push)), "hybrid", 1e-8);
  for (std::size_t row = 0; row < 12; row += 3) EXPECT_NEAR(impulses[row], -push / 4.0, 1e-8);
}

/// Loads of a face do not depend on the order of its points: at rest, and sliding.
TEST(LoadSharing, DoesNotDependOnTheOrderOfContacts) {
  for (const double push : {0.0, 0.02}) {
    SCOPED_TRACE(push);
    const ContactProblem box = dense_copy(hyperstatic_box(push));
    std::vector<int> order{0, 1, 2, 3};
    const std::vector<double> first = solve(box, "hybrid", 1e-8);
    do {
      std::vector<int> rows;
      const ContactProblem other = reordered(box, order, rows);
      const std::vector<double> impulses = solve(other, "hybrid", 1e-8);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        EXPECT_NEAR(impulses[row], first[static_cast<std::size_t>(rows[row])], 1e-9);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace
}  // namespace stiction::test
