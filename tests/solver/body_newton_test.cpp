// The proximal point method through bodies, alone: that it certifies heaps whose contacts are
// redundant, and that its memory does not show in its results.

#include "stiction/solver/body_newton.hpp"

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

constexpr double tolerance = 1e-8;

struct Trial {
  bool certified = false;
  int steps = 0;
  std::vector<double> impulses;
  double residual = 0.0;
};

std::vector<double> swept(const ContactProblem& problem, const Judge& judge, int sweeps) {
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverOptions options;
  PerContactSweeps method;
  method.start(problem, judge, options, impulses);
  for (int k = 0; k < sweeps; ++k) method.sweep(1.0);
  return impulses;
}

/// From impulses after ten sweeps, or from given ones.
Trial solve(BodyNewton& newton, const ContactProblem& problem, int most_steps,
            const std::vector<double>* start = nullptr) {
  Judge judge;
  judge.open(problem);
  Trial trial;
  BodyEquations equations;
  equations.start(problem, judge);
  newton.start(equations, judge, start != nullptr ? *start : swept(problem, judge, 10));
  while (trial.steps < most_steps && !trial.certified) {
    const bool found = newton.advance();
    trial.steps += std::max(1, newton.steps());
    if (!found) continue;
    trial.impulses.assign(newton.impulses().begin(), newton.impulses().end());
    const Certificate certificate = judge.examine(Law::coulomb, trial.impulses);
    trial.residual = certificate.residual();
    trial.certified = certificate.certified(tolerance);
  }
  return trial;
}

TEST(BodyNewton, BallsInACornerAreCertifiedAlthoughTheirGapsContradict) {
  BodyNewton newton;
  for (const double error : {0.0, 1e-8, 1e-5}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Trial trial = solve(newton, packed_balls(seed, 3, 1e-3, error), 600);
      EXPECT_TRUE(trial.certified) << "seed " << seed << ", error " << error << ", residual "
                                   << trial.residual << " after " << trial.steps;
    }
  }
}

TEST(BodyNewton, LimitsFrictionAndLocksOfFreeBodiesAreSolved) {
  BodyNewton newton;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Trial trial = solve(newton, body_problem(seed, 6, every_kind), 300);
    EXPECT_TRUE(trial.certified) << "seed " << seed << ", residual " << trial.residual;
  }
}

TEST(BodyNewton, ASolutionIsFoundAgainInAFewSteps) {
  BodyNewton newton;
  const ContactProblem problem = packed_balls(1, 3, 1e-3, 0.0);
  const Trial first = solve(newton, problem, 600);
  ASSERT_TRUE(first.certified);
  const Trial again = solve(newton, problem, 600, &first.impulses);
  EXPECT_TRUE(again.certified);
  EXPECT_LE(again.steps, 6);
}

TEST(BodyNewton, EarlierProblemsDoNotChangeABit) {
  const ContactProblem problem = packed_balls(2, 3, 1e-3, 1e-7);
  BodyNewton fresh, used;
  static_cast<void>(solve(used, packed_balls(5, 2, 1e-2, 0.0), 100));
  static_cast<void>(solve(used, body_problem(3, 9, every_kind), 100));
  const Trial a = solve(fresh, problem, 600);
  const Trial b = solve(used, problem, 600);
  ASSERT_EQ(a.impulses.size(), b.impulses.size());
  for (std::size_t k = 0; k < a.impulses.size(); ++k) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.impulses[k]),
              std::bit_cast<std::uint64_t>(b.impulses[k]));
  }
}

TEST(BodyNewton, AProblemOfASizeSeenBeforeAllocatesNothing) {
  const ContactProblem problem = packed_balls(3, 3, 1e-3, 1e-7);
  Judge judge;
  judge.open(problem);
  const std::vector<double> start = swept(problem, judge, 10);
  BodyEquations equations;
  BodyNewton newton;
  const auto run = [&] {
    equations.start(problem, judge);
    newton.start(equations, judge, start);
    for (int k = 0; k < 20; ++k) static_cast<void>(newton.advance());
  };
  run();
  const AllocationCounter counter;
  run();
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace stiction::test
