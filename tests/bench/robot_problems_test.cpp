// What the problems of the solver benchmark are: reproducible, sound, and warm where they say so.

#include "bench/robot_problems.hpp"

#include <gtest/gtest.h>

#include "bench/statistics.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::bench {
namespace {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

TEST(RobotProblems, SameSeedSameNumbers) {
  const std::vector<RobotProblem> first = robot_problems(4, 8, 11);
  const std::vector<RobotProblem> second = robot_problems(4, 8, 11);
  const std::vector<RobotProblem> other = robot_problems(4, 8, 12);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(first[k].problem.delassus(), second[k].problem.delassus());
    EXPECT_EQ(first[k].problem.free_velocity(), second[k].problem.free_velocity());
    EXPECT_EQ(first[k].warm, second[k].warm);
    EXPECT_NE(first[k].problem.free_velocity(), other[k].problem.free_velocity());
  }
}

TEST(RobotProblems, AreSoundAndHaveContactsThatAreClosed) {
  const auto solver = make_solver("hybrid");
  for (const int contacts : {1, 4, 8}) {
    for (const RobotProblem& one : robot_problems(contacts, 16, 5)) {
      EXPECT_EQ(one.problem.contact_count(), contacts);
      EXPECT_FALSE(one.problem.check(CheckLevel::full));
      EXPECT_LE(3 * one.open_count(Law::coulomb), 2 * contacts);
      std::vector<double> impulses(static_cast<std::size_t>(one.problem.row_count()));
      EXPECT_TRUE(solver->solve(one.problem, {}, impulses).certified());
    }
  }
}

TEST(RobotProblems, WarmImpulsesAreNearerToTheAnswerThanNothing) {
  const auto solver = make_solver("hybrid");
  std::vector<double> apart;
  for (const RobotProblem& one : robot_problems(4, 80, 5)) {
    const std::vector<double>& warm = one.warm_impulses(Law::coulomb);
    std::vector<double> impulses(warm.size(), 0.0);
    if (one.impact) {
      EXPECT_EQ(warm, impulses);
      continue;
    }
    const std::vector<double> nothing = impulses;
    solver->solve(one.problem, {}, impulses);
    apart.push_back(distance(warm, impulses) / distance(nothing, impulses));
  }
  EXPECT_EQ(apart.size(), 70u);  // an eighth are impacts
  EXPECT_LT(median(apart), 0.5);
}

TEST(RobotProblems, OtherNumbersOfContactsAreRefused) {
  EXPECT_THROW(robot_problems(3, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace stiction::bench
