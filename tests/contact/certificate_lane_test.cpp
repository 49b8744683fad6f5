// Four contacts judged side by side get the bits of one after the other, whatever their impulses.

#include "stiction/contact/certificate_lane.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/solver/per_contact.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

/// The same contacts and a limit that nothing can move: a judge who skips one block takes the
/// others one by one.
ContactProblem with_immovable(const ContactProblem& problem) {
  ContactProblem copy;
  const int rows = problem.row_count();
  for (const Block& block : problem.blocks()) copy.add_contact(block.friction);
  copy.add_limit();
  copy.use_dense();
  copy.edit_delassus().setZero();
  copy.edit_delassus().topLeftCorner(rows, rows) = problem.delassus();
  copy.edit_free_velocity().setZero();
  copy.edit_free_velocity().head(rows) = problem.free_velocity();
  copy.edit_target().setZero();
  copy.edit_target().head(rows) = problem.target();
  copy.prepare();
  return copy;
}

/// Velocities are given, for products of matrices of different size may be rounded differently.
Certificate judge_at(const ContactProblem& problem, std::vector<double> impulses,
                     std::vector<double> velocities) {
  Judge judge;
  judge.open(problem);
  impulses.resize(static_cast<std::size_t>(problem.row_count()), 0.0);
  velocities.resize(impulses.size(), 0.0);
  return judge.examine(Law::coulomb, impulses, velocities);
}

std::vector<double> velocities_of(const ContactProblem& problem,
                                  const std::vector<double>& impulses) {
  std::vector<double> w(impulses.size());
  problem.multiply(impulses, w);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] += problem.shifted_velocity()[k];
  return w;
}

void expect_same_bits(double a, double b, const char* what, const std::string& where) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a + 0.0), std::bit_cast<std::uint64_t>(b + 0.0))
      << what << ' ' << a << " and " << b << ", " << where;
}

void expect_same(const ContactProblem& problem, const std::vector<double>& impulses,
                 const std::string& where) {
  const std::vector<double> w = velocities_of(problem, impulses);
  const Certificate lanes = judge_at(problem, impulses, w);
  const Certificate one = judge_at(with_immovable(problem), impulses, w);
  expect_same_bits(lanes.scales.impulse, one.scales.impulse, "impulse scale", where);
  expect_same_bits(lanes.scales.velocity, one.scales.velocity, "velocity scale", where);
  expect_same_bits(lanes.signorini, one.signorini, "signorini", where);
  expect_same_bits(lanes.cone, one.cone, "cone", where);
  expect_same_bits(lanes.dissipation, one.dissipation, "dissipation", where);
  expect_same_bits(lanes.penetration_rate, one.penetration_rate, "penetration", where);
  expect_same_bits(lanes.closing, one.closing, "closing", where);
  expect_same_bits(lanes.law_residual, one.law_residual, "law", where);
  expect_same_bits(lanes.natural_residual, one.natural_residual, "natural", where);
  expect_same_bits(lanes.work, one.work, "work", where);
  EXPECT_EQ(lanes.worst_block, one.worst_block) << where;
}

ContactProblem feet(std::uint64_t seed, int contacts) {
  ProblemMix mix;
  mix.contacts = contacts;
  mix.least_friction = 0.0;
  return robot_problem(seed, mix);
}

/// Four contacts that do not act on each other, each pressed down and aside.
ContactProblem four_points(double coupling) {
  ContactProblem problem;
  for (int i = 0; i < 4; ++i) problem.add_contact(1.0);
  problem.use_dense();
  Eigen::Matrix3d G = Eigen::Matrix3d::Identity();
  G(0, 2) = G(2, 0) = coupling;
  for (int i = 0; i < 4; ++i) {
    problem.edit_delassus().block<3, 3>(3 * i, 3 * i) = G;
    problem.edit_free_velocity().segment<3>(3 * i) << 0.1 * i, 0.3, -1.0;
  }
  problem.prepare();
  return problem;
}

std::vector<double> solution(const ContactProblem& problem) {
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  PerContactSolver solver;
  const SolverReport report = solver.solve(problem, {}, impulses);
  EXPECT_TRUE(report.certified());
  return impulses;
}

TEST(CertificateLane, HasTheBitsOfOneContactAfterTheOther) {
  Random random(17);
  for (int contacts = 2; contacts <= 9; ++contacts) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const ContactProblem problem = feet(seed, contacts);
      const std::vector<double> answer = solution(problem);
      for (const double disturbance : {0.0, 1e-15, 1e-10, 1e-7, 1e-5, 1e-2, 1.0, 100.0}) {
        std::vector<double> impulses = answer;
        for (double& value : impulses) value += disturbance * random.normal();
        expect_same(problem, impulses,
                    "contacts " + std::to_string(contacts) + " seed " + std::to_string(seed) +
                        " disturbance " + std::to_string(disturbance));
      }
    }
  }
}

TEST(CertificateLane, HasTheSameBitsForOddImpulses) {
  const double odd[] = {0.0,
                        -0.0,
                        -1.0,
                        1e-300,
                        1e-320,
                        1e150,
                        1e300,
                        -1e300,
                        std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ContactProblem problem = feet(seed, 6);
    const std::vector<double> answer = solution(problem);
    for (const double value : odd) {
      for (std::size_t row = 0; row < answer.size(); ++row) {
        std::vector<double> impulses = answer;
        impulses[row] = value;
        expect_same(problem, impulses,
                    "row " + std::to_string(row) + " is " + std::to_string(value));
      }
      expect_same(problem, std::vector<double>(answer.size(), value), std::to_string(value));
    }
  }
}

/// Two, three and four contacts: spare slots repeat the last one.
TEST(CertificateLane, FactorsAreThoseOfOneContactAfterTheOther) {
  for (const int count : {2, 3, 4}) {
    ContactProblem all = four_points(0.5);
    ContactProblem problem;
    for (int i = 0; i < count; ++i) problem.add_contact(0.2 * (i + 1));
    problem.use_dense();
    problem.edit_delassus() = all.delassus().topLeftCorner(3 * count, 3 * count);
    for (int row = 0; row < 3 * count; ++row) problem.edit_delassus()(row, row) *= 1.0 + 0.1 * row;
    problem.prepare();
    Judge judge;
    judge.open(problem);
    for (int i = 0; i < count; ++i) {
      const ContactFactor<double> alone =
          factorize_contact(problem.contact_matrix(i), problem.blocks()[index(i)].friction);
      const auto numbers = [](const ContactFactor<double>& factor) {
        std::array<double, sizeof(factor) / sizeof(double)> result;
        std::memcpy(result.data(), &factor, sizeof(factor));
        return result;
      };
      const auto found = numbers(judge.factor(i));
      const auto expected = numbers(alone);
      for (std::size_t k = 0; k < found.size(); ++k) {
        expect_same_bits(found[k], expected[k], "factor", "contact " + std::to_string(i));
      }
    }
  }
}

/// Else the comparisons above would compare one road with itself. Far from the answer Coulomb's law
/// may have others where the normal is coupled to the tangents strongly enough.
TEST(CertificateLane, LeavesToACloserLookOnlyWhatMayHaveOtherAnswers) {
  if (!judges_in_lanes) GTEST_SKIP() << "this build has no lanes of four";
  for (const double coupling : {0.0, 0.9}) {
    const ContactProblem problem = four_points(coupling);
    std::vector<double> impulses = solution(problem);
    Judge judge;
    judge.open(problem);
    std::vector<ContactFactor<double>> factors;
    for (int i = 0; i < 4; ++i) factors.push_back(judge.factor(i));
    const auto judged = [&](Certificate& certificate) {
      certificate.scales = judge.scales(impulses);
      const std::vector<double> w = velocities_of(problem, impulses);
      return examine_in_lane(problem, factors, 0, 4, impulses, w, certificate);
    };
    Certificate near;
    EXPECT_TRUE(judged(near));
    EXPECT_TRUE(near.certified(1e-8));
    for (double& value : impulses) value *= 1.1;
    expect_same(problem, impulses, "coupling " + std::to_string(coupling));
    Certificate far;
    EXPECT_EQ(judged(far), coupling == 0.0);
    EXPECT_EQ(far.law_residual > 0.01, coupling == 0.0);
    EXPECT_EQ(far.work != 0.0, coupling == 0.0);
  }
}

}  // namespace
}  // namespace stiction::test
