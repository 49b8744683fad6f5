// Newton's method on guessed modes alone: what it settles, what it leaves, and that it says which.

#include "stiction/solver/mode_newton.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/solver/per_contact.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

constexpr double tolerance = 1e-8;

struct Trial {
  bool settled = false;
  int steps = 0;
  std::vector<double> impulses;
  Certificate certificate;
  std::vector<ContactMode> modes;
};

/// From these impulses to a thousandth of what the certificate asks for, so that rounding alone is
/// left.
Trial try_from(const ContactProblem& problem, std::vector<double> impulses,
               const NewtonSettings& settings = {.steps = 20}) {
  Judge judge;
  judge.open(problem);
  VelocityTracker velocities;
  velocities.start(problem, impulses);
  ModeNewton newton;
  Trial trial;
  const double goal = 1e-3 * tolerance * judge.scales({}).impulse;
  trial.settled = newton.solve(problem, judge, velocities, goal, settings, impulses);
  trial.steps = newton.steps();
  trial.certificate = judge.examine(Law::coulomb, impulses);
  for (int i = 0; i < problem.block_count(); ++i) {
    trial.modes.push_back(judge.mode(i, impulses, judge.velocity()));
  }
  trial.impulses = std::move(impulses);
  return trial;
}

std::vector<double> zeros(const ContactProblem& problem) {
  return std::vector<double>(static_cast<std::size_t>(problem.row_count()), 0.0);
}

/// One sweep from zero, as the hybrid solver begins.
std::vector<double> swept(const ContactProblem& problem) {
  std::vector<double> impulses = zeros(problem);
  const SolverOptions options;
  Judge judge;
  judge.open(problem);
  PerContactSweeps sweeps;
  sweeps.start(problem, judge, options, impulses);
  sweeps.sweep(1.0);
  return impulses;
}

/// A cube of 1 kg and 1 m on `contacts` points of its lower face, four or eight of them, which
/// falls and slides at these speeds; G has rank 6.
ContactProblem cube(int contacts, double friction, double fall, double slide) {
  ContactProblem problem;
  for (int i = 0; i < contacts; ++i) problem.add_contact(friction);
  problem.use_dense();
  Eigen::MatrixXd J(problem.row_count(), 6);
  for (int i = 0; i < contacts; ++i) {
    const double size = i < 4 ? 0.5 : 0.3;
    const Eigen::Vector3d corner(i & 1 ? size : -size, i & 2 ? size : -size, -0.5);
    J.middleRows(3 * i, 3) << Eigen::Matrix3d::Identity(), -skew(corner);
  }
  Eigen::VectorXd inverse_mass(6);
  inverse_mass << 1.0, 1.0, 1.0, 6.0, 6.0, 6.0;
  const Eigen::MatrixXd G = J * inverse_mass.asDiagonal() * J.transpose();
  problem.edit_delassus() = 0.5 * (G + G.transpose());
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u[0] = slide;
  u[2] = -fall;
  problem.edit_free_velocity() = J * u;
  problem.prepare();
  return problem;
}

TEST(ModeNewton, FindsTheImpulsesThatHoldFeet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ProblemMix mix;
    mix.least_friction = mix.largest_friction = 0.8;
    ContactProblem problem = robot_problem(seed, mix);
    Random random(seed);
    Eigen::VectorXd answer(12);
    for (int i = 0; i < 4; ++i) {
      answer.segment(3 * i, 3) << random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 1.0;
    }
    problem.edit_target().setZero();
    problem.edit_free_velocity() = -Eigen::MatrixXd(problem.delassus()) * answer;
    problem.prepare();
    const Trial trial = try_from(problem, swept(problem));
    ASSERT_TRUE(trial.settled) << "seed " << seed;
    EXPECT_TRUE(trial.certificate.certified(tolerance)) << "seed " << seed;
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_EQ(trial.modes[k / 3], ContactMode::stick) << "seed " << seed;
      EXPECT_NEAR(trial.impulses[k], answer[static_cast<int>(k)], 1e-9) << "seed " << seed;
    }
  }
}

TEST(ModeNewton, FindsTheImpulseOfACubeThatSlides) {
  const Trial trial = try_from(cube(4, 0.1, 0.01, 1.0), zeros(cube(4, 0.1, 0.01, 1.0)));
  ASSERT_TRUE(trial.settled);
  EXPECT_TRUE(trial.certificate.certified(tolerance));
  double pressed = 0.0;
  double dragged = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trial.modes[i], ContactMode::slip);
    dragged += trial.impulses[3 * i];
    pressed += trial.impulses[3 * i + 2];
  }
  EXPECT_NEAR(pressed, 0.01, 1e-12);
  EXPECT_NEAR(dragged, -0.001, 1e-12);
}

TEST(ModeNewton, LeavesContactsThatOpenWithoutImpulse) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ContactProblem problem = robot_problem(seed);
    problem.edit_free_velocity()[5] = 20.0;
    problem.prepare();
    const Trial trial = try_from(problem, swept(problem));
    ASSERT_TRUE(trial.settled) << "seed " << seed;
    EXPECT_TRUE(trial.certificate.certified(tolerance)) << "seed " << seed;
    EXPECT_EQ(trial.modes[1], ContactMode::open) << "seed " << seed;
    for (std::size_t k = 3; k < 6; ++k) EXPECT_EQ(trial.impulses[k], 0.0) << "seed " << seed;
  }
}

TEST(ModeNewton, SharesTheLoadOfAHyperstaticFaceEvenlyFromZero) {
  for (const int contacts : {4, 8}) {
    const ContactProblem problem = cube(contacts, 0.5, 1.0, 0.0);
    const Trial trial = try_from(problem, zeros(problem));
    ASSERT_TRUE(trial.settled) << contacts;
    EXPECT_TRUE(trial.certificate.certified(tolerance)) << contacts;
    for (int i = 0; i < contacts; ++i) {
      EXPECT_EQ(trial.modes[static_cast<std::size_t>(i)], ContactMode::stick);
      EXPECT_NEAR(trial.impulses[static_cast<std::size_t>(3 * i + 2)], 1.0 / contacts, 1e-6);
    }
  }
}

/// One corner is higher than the others' plane: all four cannot hold.
TEST(ModeNewton, OpensACornerOfAFaceWhoseGapsContradictEachOther) {
  ContactProblem problem = cube(4, 0.5, 1.0, 0.0);
  problem.edit_target()[2] = -1e-3;
  problem.prepare();
  const NewtonSettings settings{.scaling = 2.0, .proximal = 1e-7, .steps = 20};
  const Trial trial = try_from(problem, zeros(problem), settings);
  ASSERT_TRUE(trial.settled);
  EXPECT_TRUE(trial.certificate.certified(tolerance));
  EXPECT_EQ(trial.modes[0], ContactMode::open);
}

TEST(ModeNewton, AgreesWithPerContactSweeps) {
  PerContactSolver sweeps;
  SolverOptions options;
  options.tolerance = 1e-13;
  int settled = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ContactProblem problem = robot_problem(seed, seed % 2 == 0 ? every_kind : contacts_only);
    ASSERT_TRUE(ModeNewton::suits(problem));
    const Trial trial = try_from(problem, swept(problem), {.steps = 10});
    if (!trial.settled) continue;
    ++settled;
    EXPECT_TRUE(trial.certificate.certified(tolerance)) << "seed " << seed;
    std::vector<double> expected = zeros(problem);
    if (sweeps.solve(problem, options, expected).certificate.residual() > 1e-12) continue;
    ++compared;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(trial.impulses[k], expected[k], tolerance * trial.certificate.scales.impulse)
          << "seed " << seed << " row " << k;
    }
  }
  EXPECT_GE(settled, 180);
  EXPECT_GE(compared, 150);
}

TEST(ModeNewton, LeavesOutBlocksThatNothingMoves) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_contact(0.5);
  problem.use_dense();
  problem.edit_delassus().setZero();
  problem.edit_delassus().topLeftCorner(3, 3).setIdentity();
  problem.edit_free_velocity() << 0.1, 0.0, -1.0, 0.1, 0.0, -1.0;
  problem.prepare();
  const Trial trial = try_from(problem, zeros(problem));
  ASSERT_TRUE(trial.settled);
  EXPECT_NEAR(trial.impulses[0], -0.1, 1e-12);
  EXPECT_NEAR(trial.impulses[2], 1.0, 1e-12);
  for (std::size_t k = 3; k < 6; ++k) EXPECT_EQ(trial.impulses[k], 0.0);
}

/// Two locks that ask the same mass for two velocities: there is no answer.
TEST(ModeNewton, SaysThatASingularProblemDoesNotSettle) {
  ContactProblem problem;
  problem.add_lock(1);
  problem.add_lock(1);
  problem.use_dense();
  problem.edit_delassus().setOnes();
  problem.edit_free_velocity() << 1.0, -1.0;
  problem.prepare();
  for (const double proximal : {0.0, 1e-9, 1e-5}) {
    const Trial trial = try_from(problem, {0.25, 0.5}, {.proximal = proximal, .steps = 30});
    EXPECT_FALSE(trial.settled) << proximal;
    EXPECT_EQ(trial.impulses, (std::vector<double>{0.25, 0.5})) << proximal;
  }
}

TEST(ModeNewton, SaysThatNumbersAreNoneAndKeepsTheStart) {
  const ContactProblem problem = robot_problem(3);
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t row = 0; row < 12; ++row) {
      std::vector<double> start(12, 0.1);
      start[row] = odd;
      const Trial trial = try_from(problem, start);
      EXPECT_FALSE(trial.settled) << odd << " in row " << row;
      for (std::size_t k = 0; k < start.size(); ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(trial.impulses[k]),
                  std::bit_cast<std::uint64_t>(start[k]));
      }
    }
  }
}

/// A guess from absurd impulses may still be right; what it must not do is say so wrongly.
TEST(ModeNewton, SettlesFromHugeImpulsesRightlyOrNotAtAll) {
  const ContactProblem problem = robot_problem(3);
  for (const double huge : {1e20, 1e100, 1e200, 1e308, -1e308}) {
    for (std::size_t row = 0; row < 12; ++row) {
      std::vector<double> start(12, 0.1);
      start[row] = huge;
      const Trial trial = try_from(problem, start);
      if (trial.settled) {
        EXPECT_TRUE(trial.certificate.certified(tolerance)) << huge << " in row " << row;
      } else {
        EXPECT_EQ(trial.impulses, start) << huge << " in row " << row;
      }
    }
  }
}

/// Four feet of a robot whose answer these impulses are.
ContactProblem problem_of(std::uint64_t seed, const Eigen::VectorXd& answer, double friction) {
  ProblemMix mix;
  mix.least_friction = mix.largest_friction = friction;
  ContactProblem problem = robot_problem(seed, mix);
  problem.edit_target().setZero();
  problem.edit_free_velocity() = -Eigen::MatrixXd(problem.delassus()) * answer;
  problem.prepare();
  return problem;
}

TEST(ModeNewton, OneLinearSystemHoldsFeetThatStick) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Eigen::VectorXd answer(12);
    for (int i = 0; i < 4; ++i) {
      answer.segment(3 * i, 3) << random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 1.0;
    }
    const ContactProblem problem = problem_of(seed, answer, 0.8);
    const Eigen::VectorXd start = 1.3 * answer;
    std::vector<double> impulses(start.begin(), start.end());
    ModeNewton newton;
    ASSERT_TRUE(newton.stick(problem, impulses)) << "seed " << seed;
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_NEAR(impulses[k], answer[static_cast<int>(k)], 1e-9) << "seed " << seed;
    }
    impulses.assign(start.begin(), start.end());
    SolverOptions options;
    options.warm_start = true;
    const SolverReport report = make_solver("hybrid")->solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::certified) << "seed " << seed;
    EXPECT_EQ(report.iterations, 1) << "seed " << seed;
  }
}

TEST(ModeNewton, FeetThatSlideOrWereOpenAreNotHeld) {
  Eigen::VectorXd answer(12);
  answer << 0.1, 0.0, 1.0, 0.0, 0.2, 1.0, -0.1, 0.0, 1.0, 0.0, 0.1, 1.0;
  std::vector<double> start(answer.begin(), answer.end());
  ModeNewton newton;
  const auto is_left_alone = [&](const ContactProblem& problem, const std::vector<double>& from) {
    std::vector<double> impulses = from;
    return !newton.stick(problem, impulses) && impulses == from;
  };
  Eigen::VectorXd slides = answer;
  slides[6] = -0.9;  // more than its friction of 0.8
  EXPECT_TRUE(is_left_alone(problem_of(1, slides, 0.8), start));
  Eigen::VectorXd pulls = answer;
  pulls[2] = -0.5;
  EXPECT_TRUE(is_left_alone(problem_of(1, pulls, 0.8), start));
  std::vector<double> was_open = start;
  std::fill_n(was_open.begin() + 3, 3, 0.0);
  EXPECT_TRUE(is_left_alone(problem_of(1, answer, 0.8), was_open));
  // Four points of one face bear the load in many ways.
  const ContactProblem face = cube(4, 0.8, 1.0, 0.0);
  EXPECT_TRUE(is_left_alone(face, {0.0, 0.0, 0.2, 0.0, 0.0, 0.3, 0.0, 0.0, 0.2, 0.0, 0.0, 0.3}));
}

/// Two points of one wheel share a load, and 1e-6 of their mobility tells how. A lenient goal and a
/// large proximal term leave the loads where they were; refining finds them at once.
TEST(ModeNewton, RefinesLoadsThatHardlyMoveEachOther) {
  constexpr double apart = 1e-6;
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_contact(0.5);
  problem.use_dense();
  ContactProblem::DenseMap G = problem.edit_delassus();
  G.setIdentity();
  G(2, 5) = G(5, 2) = 1.0 - apart;
  problem.edit_free_velocity() << 0.0, 0.0, -1.0, 0.0, 0.0, -1.0 - 0.2 * apart;
  problem.prepare();
  std::vector<double> impulses = {0.0, 0.0, 0.5, 0.0, 0.0, 0.5};
  Judge judge;
  judge.open(problem);
  VelocityTracker velocities;
  velocities.start(problem, impulses);
  ModeNewton newton;
  ASSERT_TRUE(newton.solve(problem, judge, velocities, 1e-5, {.proximal = 1e-5}, impulses));
  EXPECT_LT(impulses[5] - impulses[2], 0.15);
  ASSERT_TRUE(newton.refine(1e-12, impulses));
  EXPECT_NEAR(impulses[5] - impulses[2], 0.2, 1e-5);
}

TEST(ModeNewton, TakesNoMoreStepsThanItMay) {
  const ContactProblem problem = robot_problem(5);
  const Trial none = try_from(problem, zeros(problem), {.steps = 0});
  EXPECT_FALSE(none.settled);
  EXPECT_EQ(none.steps, 0);
  EXPECT_EQ(none.impulses, zeros(problem));
}

TEST(ModeNewton, GivesTheSameBitsTwice) {
  const ContactProblem problem = robot_problem(8, every_kind);
  EXPECT_EQ(try_from(problem, swept(problem)).impulses, try_from(problem, swept(problem)).impulses);
}

}  // namespace
}  // namespace stiction::test
