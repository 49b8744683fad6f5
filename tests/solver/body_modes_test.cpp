// Newton's method with guessed modes through bodies, alone; and the equations that it shares with
// the proximal points, against dense ones.

#include "stiction/solver/body_modes.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/solver/per_contact.hpp"
#include "support/contact_problems.hpp"
#include "support/packed_balls.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"

namespace stiction::test {
namespace {

using Stiffness = BodyEquations::Stiffness;
constexpr double tolerance = 1e-8;
constexpr int patience = 40;

std::vector<double> swept(const ContactProblem& problem, const Judge& judge, int sweeps) {
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverOptions options;
  PerContactSweeps method;
  method.start(problem, judge, options, impulses);
  for (int k = 0; k < sweeps; ++k) method.sweep(1.0);
  return impulses;
}

struct Trial {
  bool certified = false;
  int steps = 0;
  std::vector<double> impulses;
};

struct Method {
  BodyEquations equations;
  BodyModes modes;
};

/// From impulses after ten sweeps, or from given ones.
Trial solve(Method& method, const ContactProblem& problem, int most_steps,
            const std::vector<double>* start = nullptr) {
  Judge judge;
  judge.open(problem);
  method.equations.start(problem, judge);
  method.modes.start(method.equations, start != nullptr ? *start : swept(problem, judge, 10),
                     patience);
  Trial trial;
  bool goes_on = true;
  while (goes_on && trial.steps < most_steps && !trial.certified) {
    goes_on = method.modes.step();
    ++trial.steps;
    const auto impulses = method.modes.impulses();
    trial.impulses.assign(impulses.begin(), impulses.end());
    trial.certified = judge.examine(Law::coulomb, trial.impulses).certified(tolerance);
  }
  return trial;
}

TEST(BodyModes, BallsInACornerAreCertifiedInAFewSteps) {
  Method method;
  int steps = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Trial trial = solve(method, packed_balls(seed, 3, 1e-3, 0.0), 200);
    EXPECT_TRUE(trial.certified) << "seed " << seed;
    steps += trial.steps;
  }
  EXPECT_LE(steps, 8 * 20);
}

TEST(BodyModes, LimitsFrictionAndLocksOfFreeBodiesAreSolved) {
  Method method;
  int certified = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    certified += solve(method, body_problem(seed, 6, every_kind), 200).certified ? 1 : 0;
  }
  EXPECT_GE(certified, 18);  // the proximal points solve the others
}

TEST(BodyModes, ASolutionIsFoundAgainInAStep) {
  Method method;
  const ContactProblem problem = packed_balls(1, 3, 1e-3, 0.0);
  const Trial first = solve(method, problem, 200);
  ASSERT_TRUE(first.certified);
  const Trial again = solve(method, problem, 200, &first.impulses);
  EXPECT_TRUE(again.certified);
  EXPECT_LE(again.steps, 2);
}

TEST(BodyModes, EarlierProblemsDoNotChangeABit) {
  const ContactProblem problem = packed_balls(2, 3, 1e-3, 1e-7);
  Method fresh, used;
  static_cast<void>(solve(used, packed_balls(5, 2, 1e-2, 0.0), 100));
  static_cast<void>(solve(used, body_problem(3, 9, every_kind), 100));
  static_cast<void>(solve(used, packed_balls(7, 3, 1e-3, 1e-7), 100));
  const Trial a = solve(fresh, problem, 60);
  const Trial b = solve(used, problem, 60);
  ASSERT_EQ(a.impulses.size(), b.impulses.size());
  for (std::size_t k = 0; k < a.impulses.size(); ++k) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.impulses[k]),
              std::bit_cast<std::uint64_t>(b.impulses[k]));
  }
}

TEST(BodyModes, AProblemOfASizeSeenBeforeAllocatesNothing) {
  const ContactProblem problem = packed_balls(3, 3, 1e-3, 1e-7);
  Judge judge;
  judge.open(problem);
  const std::vector<double> start = swept(problem, judge, 10);
  Method method;
  const auto run = [&] {
    method.equations.start(problem, judge);
    method.modes.start(method.equations, start, patience);
    for (int k = 0; k < 20; ++k) {
      static_cast<void>(method.modes.step());
      static_cast<void>(method.modes.impulses());
    }
  };
  run();
  const AllocationCounter counter;
  run();
  EXPECT_EQ(counter.count(), 0u);
}

/// Any stiffness that the block can have; many have none.
Stiffness random_stiffness(const BodyEquations::Part& part, Random& random,
                           std::vector<double>& rows) {
  Stiffness K;
  K.k = random.uniform(0.1, 100.0);
  K.friction = part.friction;
  const double angle = random.uniform(0.0, 6.28);
  K.x = std::cos(angle);
  K.y = std::sin(angle);
  K.across = random.uniform(0.0, K.k);
  const double kind = random.uniform(0.0, 4.0);
  if (kind < 1.0) return {};
  if (!part.cone) {
    K.kind = Stiffness::Kind::rows;
    for (int row = part.row; row < part.row + part.rows; ++row) {
      rows[static_cast<std::size_t>(row)] = random.uniform(0.0, 10.0);
    }
  } else {
    K.kind = kind < 2.5 ? Stiffness::Kind::stick : Stiffness::Kind::slip;
  }
  return K;
}

TEST(BodyEquations, SolveWhatDenseOnesDo) {
  BodyEquations equations;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ContactProblem problem = body_problem(seed, 9, every_kind);
    Judge judge;
    judge.open(problem);
    equations.start(problem, judge);
    const auto n = static_cast<Eigen::Index>(equations.unknowns());
    const auto m = static_cast<Eigen::Index>(equations.rows());
    Eigen::MatrixXd transposed(n, m);  // J̃ᵀ
    std::vector<double> unit(equations.rows(), 0.0);
    std::vector<double> z(equations.unknowns());
    for (Eigen::Index k = 0; k < m; ++k) {
      unit[static_cast<std::size_t>(k)] = 1.0;
      equations.apply(unit, z);
      transposed.col(k) = Eigen::Map<Eigen::VectorXd>(z.data(), n);
      unit[static_cast<std::size_t>(k)] = 0.0;
    }
    Random random(seed);
    // More blocks act from time to time than in the solve before.
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<double> rows(equations.rows(), 0.0);
      std::vector<Stiffness> stiffness;
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(m, m);
      for (const BodyEquations::Part& part : equations.parts()) {
        stiffness.push_back(random_stiffness(part, random, rows));
        for (int column = 0; column < part.rows; ++column) {
          double dw[max_block_rows] = {};
          double impulse[max_block_rows] = {};
          dw[column] = 1.0;
          BodyEquations::respond(part, stiffness.back(), &rows[static_cast<std::size_t>(part.row)],
                                 dw, impulse);
          for (int row = 0; row < part.rows; ++row) {
            K(part.row + row, part.row + column) = -impulse[row];
          }
        }
      }
      for (double& x : z) x = random.uniform(-1.0, 1.0);
      const Eigen::VectorXd right = Eigen::Map<Eigen::VectorXd>(z.data(), n);
      const Eigen::MatrixXd A =
          Eigen::MatrixXd::Identity(n, n) + transposed * K * transposed.transpose();
      const Eigen::VectorXd expected = A.partialPivLu().solve(right);
      ASSERT_TRUE(equations.solve(stiffness, rows, z));
      const double error = (Eigen::Map<Eigen::VectorXd>(z.data(), n) - expected).norm();
      EXPECT_LE(error, 1e-10 * expected.norm()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace stiction::test
