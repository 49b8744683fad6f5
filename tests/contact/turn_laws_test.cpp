// Torsional and rolling friction: the answer of one block, and what the certificate says of it.

#include "stiction/contact/turn_laws.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/islands.hpp"
#include "stiction/core/random.hpp"

namespace stiction {
namespace {

const Block spin{.kind = BlockKind::spin, .rows = 1, .contact = 0, .friction = 0.1};
const Block roll{.kind = BlockKind::roll, .rows = 2, .contact = 0, .friction = 0.1};

ContactProblem::Matrix6 matrix(double xx, double xy, double yy) {
  ContactProblem::Matrix6 G = ContactProblem::Matrix6::Zero();
  G(0, 0) = xx;
  G(0, 1) = G(1, 0) = xy;
  G(1, 1) = yy;
  return G;
}

TurnPair velocity(const ContactProblem::Matrix6& G, const TurnPair& c, const TurnPair& lambda) {
  return {c.x + G(0, 0) * lambda.x + G(0, 1) * lambda.y,
          c.y + G(0, 1) * lambda.x + G(1, 1) * lambda.y};
}

/// At rest inside the disc; on its edge exactly against the velocity.
void expect_law(const ContactProblem::Matrix6& G, const TurnPair& c, double bound,
                const TurnPair& answer) {
  const TurnPair w = velocity(G, c, answer);
  EXPECT_LE(answer.size(), bound * (1.0 + 1e-15));
  if (answer.size() < bound * (1.0 - 1e-12)) {
    EXPECT_LT(w.size(), 1e-12 * c.size());
    return;
  }
  EXPECT_NEAR(answer.x * w.x + answer.y * w.y, -bound * w.size(), 1e-13 * bound * c.size());
}

TEST(TurnAnswer, KeepsItsLawOnRandomBlocks) {
  Random random(7);
  int sticking = 0;
  for (int k = 0; k < 20000; ++k) {
    const double a = std::exp(random.uniform(-7.0, 7.0));
    const double b = std::exp(random.uniform(-7.0, 7.0));
    const double angle = random.uniform(0.0, 3.2);
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    const auto G = matrix(a * x * x + b * y * y, (a - b) * x * y, a * y * y + b * x * x);
    const TurnPair c{random.normal(), random.normal()};
    const double bound = std::exp(random.uniform(-9.0, 9.0));
    const TurnPair answer = turn_answer(roll, G, c, bound);
    ASSERT_TRUE(std::isfinite(answer.x) && std::isfinite(answer.y));
    expect_law(G, c, bound, answer);
    sticking += answer.size() < bound * (1.0 - 1e-12) ? 1 : 0;
  }
  EXPECT_GT(sticking, 2000);
  EXPECT_LT(sticking, 18000);
}

TEST(TurnAnswer, NeedsNoFullRank) {
  const auto G = matrix(2.0, 2.0, 2.0);  // nothing resists along (1, -1)
  expect_law(G, {1.0, -1.0}, 0.5, turn_answer(roll, G, {1.0, -1.0}, 0.5));
  expect_law(G, {3.0, -1.0}, 0.5, turn_answer(roll, G, {3.0, -1.0}, 0.5));
  const TurnPair along = turn_answer(roll, G, {1.0, 1.0}, 5.0);
  EXPECT_NEAR(along.x, -0.25, 1e-15);
  EXPECT_NEAR(along.y, -0.25, 1e-15);
}

TEST(TurnAnswer, ASpinStopsOrSlips) {
  const auto G = matrix(2.0, 0.0, 0.0);
  EXPECT_EQ(turn_answer(spin, G, {1.0, 0.0}, 0.6).x, -0.5);
  EXPECT_EQ(turn_answer(spin, G, {1.0, 0.0}, 0.4).x, -0.4);
  EXPECT_EQ(turn_answer(spin, G, {-1.0, 0.0}, 0.4).x, 0.4);
  EXPECT_EQ(turn_answer(spin, G, {1.0, 0.0}, 0.0).x, 0.0);
}

/// A contact that bears 2 N·s, with a roll (bound 0.2) and a spin (bound 0.4).
ContactProblem pressed_contact(double roll_speed, double spin_speed) {
  ContactProblem problem;
  const int contact = problem.add_contact(0.5);
  problem.add_roll(contact, 0.1);
  problem.add_spin(contact, 0.2);
  problem.use_dense();
  problem.edit_delassus().diagonal().setOnes();
  problem.edit_free_velocity() << 0.0, 0.0, -2.0, roll_speed, 0.0, spin_speed;
  problem.prepare();
  return problem;
}

Certificate examine(const ContactProblem& problem, const std::vector<double>& impulse) {
  Judge judge;
  judge.open(problem);
  return judge.examine(Law::coulomb, impulse);
}

TEST(TurnCertificate, AcceptsWhatTheLawRequires) {
  EXPECT_TRUE(examine(pressed_contact(0.1, 0.3), {0, 0, 2, -0.1, 0, -0.3}).certified(1e-12));
  EXPECT_TRUE(examine(pressed_contact(5.0, -7.0), {0, 0, 2, -0.2, 0, 0.4}).certified(1e-12));
}

TEST(TurnCertificate, RefusesEachViolation) {
  struct Case {
    const char* what;
    double roll_speed;
    double spin_speed;
    std::vector<double> impulse;
    int worst;
  };
  const Case cases[] = {
      {"roll creeps inside its bound", 0.15, 0.0, {0, 0, 2, -0.1, 0, 0}, 1},
      {"roll is too strong", 0.3, 0.0, {0, 0, 2, -0.3, 0, 0}, 1},
      {"roll pulls sideways", 5.0, 0.0, {0, 0, 2, -0.199, 0.02, 0}, 1},
      {"spin pushes", 0.0, 1.0, {0, 0, 2, 0, 0, 0.4}, 2},
      {"spin is too weak", 0.0, 1.0, {0, 0, 2, 0, 0, -0.3}, 2},
      {"spin without load", 0.0, 0.3, {0, 0, 0, 0, 0, -0.3}, 0},
  };
  for (const Case& one : cases) {
    const Certificate certificate =
        examine(pressed_contact(one.roll_speed, one.spin_speed), one.impulse);
    EXPECT_FALSE(certificate.certified(1e-3)) << one.what;
    EXPECT_EQ(certificate.worst_block, one.worst) << one.what;
  }
  // The bound is as strict as a friction cone.
  EXPECT_GT(examine(pressed_contact(5.0, 0.0), {0, 0, 2, -0.2 - 1e-10, 0, 0}).cone, 1e-11);
}

TEST(TurnCertificate, CountsDissipationAndWork) {
  const Certificate slips = examine(pressed_contact(5.0, 0.0), {0, 0, 2, -0.2, 0, 0});
  EXPECT_NEAR(slips.dissipation, 0.0, 1e-15);
  EXPECT_NEAR(slips.work, -2.0 - 0.5 * 0.2 * (4.8 + 5.0), 1e-12);
  const Certificate lags = examine(pressed_contact(5.0, 0.0), {0, 0, 2, -0.1, 0, 0});
  EXPECT_NEAR(lags.dissipation, 0.1 * 4.9, 1e-12);
}

TEST(TurnCertificate, KnowsTheModes) {
  const ContactProblem problem = pressed_contact(5.0, 0.3);
  Judge judge;
  judge.open(problem);
  const std::vector<double> impulse{0, 0, 2, -0.2, 0, -0.3};
  (void)judge.examine(Law::coulomb, impulse);
  EXPECT_EQ(judge.mode(1, impulse, judge.velocity()), ContactMode::slip);
  EXPECT_EQ(judge.mode(2, impulse, judge.velocity()), ContactMode::stick);
  const std::vector<double> none(6, 0.0);
  EXPECT_EQ(judge.mode(1, none, judge.velocity()), ContactMode::open);
}

TEST(TurnBlocks, NeedAContactThatWasAddedBefore) {
  ContactProblem problem;
  problem.add_limit();
  EXPECT_EQ(problem.add_spin(0, 0.1), -1);
  const ProblemFault fault = problem.check(CheckLevel::finite);
  EXPECT_NE(fault.what.find("not a contact"), std::string::npos) << fault.what;
  problem.clear();
  EXPECT_EQ(problem.add_roll(0, 0.1), -1);
  EXPECT_TRUE(problem.check(CheckLevel::finite));
  problem.clear();
  EXPECT_EQ(problem.add_contact(1.0), 0);
  EXPECT_FALSE(problem.has_turns());
  EXPECT_EQ(problem.add_roll(0, 0.1), 1);
  EXPECT_TRUE(problem.has_turns());
  problem.clear();
  EXPECT_FALSE(problem.has_turns());
}

TEST(TurnBlocks, HaveCoefficientsThatAreNotNegative) {
  ContactProblem problem;
  problem.add_contact(1.0);
  problem.add_spin(0, -0.1);
  problem.use_dense();
  problem.edit_delassus().diagonal().setOnes();
  problem.prepare();
  const ProblemFault fault = problem.check(CheckLevel::finite);
  EXPECT_EQ(fault.block, 1);
  EXPECT_NE(fault.what.find("spin"), std::string::npos) << fault.what;
}

/// Bounds couple blocks that no matrix does, and an island numbers its blocks anew.
TEST(TurnBlocks, StayInTheIslandOfTheirContact) {
  ContactProblem problem;
  problem.add_contact(0.3);
  problem.add_contact(0.5);
  problem.add_spin(1, 0.1);
  problem.add_roll(0, 0.2);
  problem.use_dense();
  problem.edit_delassus().diagonal().setOnes();
  problem.prepare();
  Islands islands;
  islands.find(problem);
  ASSERT_EQ(islands.count(), 2);
  ContactProblem part;
  islands.extract(1, part);
  ASSERT_EQ(part.block_count(), 2);
  EXPECT_EQ(part.blocks()[1].kind, BlockKind::spin);
  EXPECT_EQ(part.blocks()[1].contact, 0);
  EXPECT_EQ(part.blocks()[1].friction, 0.1);
}

}  // namespace
}  // namespace stiction
