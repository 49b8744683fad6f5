// The judge itself: each residual of each block kind against numbers worked out by hand.

#include "stiction/contact/certificate.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-14;

/// One contact of a particle of 1 kg, µ = 0.5.
ContactProblem particle(const Eigen::Vector3d& free_velocity, double normal_target = 0.0) {
  ContactProblem problem;
  problem.add_contact(0.5, normal_target);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_free_velocity() = free_velocity;
  problem.prepare();
  return problem;
}

/// One block that was added already, with its matrix and free velocity.
void fill(ContactProblem& problem, const Eigen::MatrixXd& G, const Eigen::VectorXd& v) {
  problem.use_dense();
  problem.edit_delassus() = G;
  problem.edit_free_velocity() = v;
  problem.prepare();
}

Certificate examine(const ContactProblem& problem, const std::vector<double>& impulse,
                    Law law = Law::coulomb) {
  Judge judge;
  judge.open(problem);
  return judge.examine(law, impulse);
}

TEST(Certificate, IsCleanForAParticleThatIsStopped) {
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    const Certificate c = examine(particle({0.0, 0.0, -2.0}), {0.0, 0.0, 2.0}, law);
    EXPECT_EQ(c.signorini, 0.0);
    EXPECT_EQ(c.cone, 0.0);
    EXPECT_EQ(c.dissipation, 0.0);
    EXPECT_EQ(c.penetration_rate, 0.0);
    EXPECT_NEAR(c.residual(), 0.0, rounding);
    EXPECT_EQ(c.work, -2.0);  // all of ½ m v²
    EXPECT_EQ(c.scales.velocity, 2.0);
    EXPECT_EQ(c.scales.impulse, 2.0);
    EXPECT_TRUE(c.certified(1e-12));
  }
}

/// A particle between two walls that come nearer: no impulse keeps it out of both, and huge ones on
/// both sides have small residuals.
TEST(Certificate, RefusesHugeImpulsesThatDoNotHelp) {
  ContactProblem problem;
  for (int side = 0; side < 2; ++side) problem.add_contact(0.0);
  Eigen::MatrixXd G = Eigen::MatrixXd::Identity(6, 6);
  G.topRightCorner(3, 3) = G.bottomLeftCorner(3, 3) = -Eigen::Matrix3d::Identity();
  fill(problem, G, (Eigen::VectorXd(6) << 0.0, 0.0, -1.0, 0.0, 0.0, -1.0).finished());
  const Certificate c = examine(problem, {0.0, 0.0, 1e12, 0.0, 0.0, 1e12});
  EXPECT_LT(c.residual(), 1e-11);
  EXPECT_DOUBLE_EQ(c.closing, 1.0);
  EXPECT_FALSE(c.certified(1e-8));
}

TEST(Certificate, MeasuresPenetrationWithoutAnyImpulse) {
  const Certificate c = examine(particle({0.0, 0.0, -2.0}), {0.0, 0.0, 0.0});
  EXPECT_DOUBLE_EQ(c.scales.impulse, 2.0 / 3.0);  // by the velocity: 2 m/s over tr G = 3
  EXPECT_DOUBLE_EQ(c.signorini, 1.0);
  EXPECT_DOUBLE_EQ(c.penetration_rate, 2.0);
  EXPECT_DOUBLE_EQ(c.law_residual, 3.0);  // 2 N·s are missing
  EXPECT_DOUBLE_EQ(c.natural_residual, 3.0);
  EXPECT_EQ(c.cone, 0.0);
  EXPECT_EQ(c.worst_block, 0);
  EXPECT_FALSE(c.certified(1.0));
}

TEST(Certificate, MeasuresAnImpulseOnAContactThatOpens) {
  const Certificate c = examine(particle({0.0, 0.0, 1.0}), {0.0, 0.0, 2.0});  // w_n = 3
  EXPECT_DOUBLE_EQ(c.signorini, 1.0);
  EXPECT_DOUBLE_EQ(c.law_residual, 1.0);
  EXPECT_DOUBLE_EQ(c.natural_residual, 1.0);  // λ − ρw = −1 goes to 0
  EXPECT_DOUBLE_EQ(c.work, 4.0);              // ½ · 2 · (3 + 1)
}

TEST(Certificate, KnowsCoulombsAnswerForASlider) {
  const Certificate right = examine(particle({3.0, 0.0, -2.0}), {-1.0, 0.0, 2.0});
  EXPECT_NEAR(right.residual(), 0.0, rounding);
  EXPECT_NEAR(right.dissipation, 0.0, rounding);
  EXPECT_EQ(right.cone, 0.0);
  const Certificate wrong = examine(particle({3.0, 0.0, -2.0}), {1.0, 0.0, 2.0});  // w = (4, 0, 0)
  EXPECT_DOUBLE_EQ(wrong.dissipation, 8.0);
  EXPECT_NEAR(wrong.law_residual, 1.0, rounding);
  // λ − (w + µ|v_T|n) = (−3, 0, 0) is projected to (−0.6, 0, 1.2); |(1.6, 0, 0.8)| / 2.
  EXPECT_NEAR(wrong.natural_residual, std::sqrt(1.6 * 1.6 + 0.8 * 0.8) / 2.0, rounding);
  EXPECT_EQ(wrong.cone, 0.0);
}

TEST(Certificate, MeasuresTheCone) {
  EXPECT_DOUBLE_EQ(examine(particle({0.0, 0.0, -2.0}), {2.0, 0.0, 2.0}).cone, 0.5);
  EXPECT_DOUBLE_EQ(examine(particle({0.0, 0.0, -2.0}), {0.0, 0.0, -4.0}).cone, 1.0);
}

TEST(Certificate, NeverPassesAConeViolation) {
  Certificate c;
  EXPECT_TRUE(c.certified(1e-9));
  c.cone = 2e-12;
  EXPECT_FALSE(c.certified(1e-9));
}

TEST(Certificate, KnowsThatTheConvexLawLiftsASlider) {
  // The projection of −v* onto the cone; w = (1.6, 0, 0.8), so w_n = µ|w_T|.
  const std::vector<double> impulse = {-1.4, 0.0, 2.8};
  const ContactProblem problem = particle({3.0, 0.0, -2.0});
  EXPECT_NEAR(examine(problem, impulse, Law::convex).residual(), 0.0, 1e-12);
  const Certificate coulomb = examine(problem, impulse, Law::coulomb);
  EXPECT_NEAR(coulomb.signorini, 0.8 / 3.0, rounding);
  EXPECT_GT(coulomb.law_residual, 0.1);
  EXPECT_GT(coulomb.natural_residual, 0.1);
  EXPECT_EQ(examine(problem, impulse, Law::max_dissipation).natural_residual, 0.0);
  EXPECT_GT(examine(problem, impulse, Law::max_dissipation).law_residual, 0.1);
}

TEST(Certificate, TellsTheSlipLawsApart) {
  // e ≠ 0 through W_nx: friction at an angle to d. Both answers must fit their own law alone.
  ContactProblem problem;
  problem.add_contact(0.5);
  Eigen::Matrix3d W;
  W << 2.0, 0.0, 0.6, 0.0, 1.0, 0.0, 0.6, 0.0, 1.0;
  fill(problem, W, Eigen::Vector3d(1.0, 3.0, -1.0));
  const ContactFactor<double> factor = factorize_contact(problem.contact_matrix(0), 0.5);
  const std::array laws{Law::coulomb, Law::max_dissipation, Law::convex};
  for (const Law of : laws) {
    const Vector3<double> l = exact_answer(of, factor, {1.0, 3.0, -1.0}, {}).impulse;
    for (const Law by : laws) {
      const double residual = examine(problem, {l.x, l.y, l.z}, by).law_residual;
      if (of == by) {
        EXPECT_LT(residual, 1e-10) << to_string(of);
      } else {
        EXPECT_GT(residual, 1e-3) << to_string(of) << " by " << to_string(by);
      }
    }
  }
}

TEST(Certificate, TakesTargetsOutOfTheVelocity) {
  const Certificate c = examine(particle({0.0, 0.0, -2.0}, -1.0), {0.0, 0.0, 1.0});
  EXPECT_NEAR(c.residual(), 0.0, rounding);
  EXPECT_EQ(c.signorini, 0.0);
  EXPECT_DOUBLE_EQ(c.work, -1.5);  // by the velocity itself: from −2 to −1
}

TEST(Certificate, ExaminesALimit) {
  ContactProblem problem;
  problem.add_limit();
  fill(problem, Eigen::MatrixXd::Constant(1, 1, 2.0), Eigen::VectorXd::Constant(1, -3.0));
  EXPECT_EQ(examine(problem, {1.5}).residual(), 0.0);
  const Certificate none = examine(problem, {0.0});  // impulse scale 3/2
  EXPECT_DOUBLE_EQ(none.law_residual, 1.0);
  EXPECT_DOUBLE_EQ(none.signorini, 1.0);
  EXPECT_DOUBLE_EQ(none.penetration_rate, 3.0);
  EXPECT_DOUBLE_EQ(examine(problem, {-3.0}).cone, 1.0);
  EXPECT_DOUBLE_EQ(examine(problem, {3.0}).law_residual, 0.5);
}

TEST(Certificate, ExaminesJointFriction) {
  ContactProblem problem;
  problem.add_joint_friction(0.5);
  fill(problem, Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, 2.0));
  EXPECT_EQ(examine(problem, {-0.5}).residual(), 0.0);
  EXPECT_DOUBLE_EQ(examine(problem, {0.0}).law_residual, 0.25);  // 0.5 of the scale 2
  EXPECT_DOUBLE_EQ(examine(problem, {1.0}).cone, 0.25);
  EXPECT_EQ(examine(problem, {0.0}).penetration_rate, 0.0);
  fill(problem, Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, 0.25));
  EXPECT_EQ(examine(problem, {-0.25}).residual(), 0.0);  // it can hold the joint
}

TEST(Certificate, ExaminesALock) {
  ContactProblem problem;
  problem.add_lock(2);
  fill(problem, Eigen::Vector2d(1.0, 2.0).asDiagonal(), Eigen::Vector2d(1.0, 2.0));
  EXPECT_NEAR(examine(problem, {-1.0, -1.0}).residual(), 0.0, rounding);
  const Certificate none = examine(problem, {0.0, 0.0});  // scales 2 m/s, 2/3 N·s; misses (1, 1)
  EXPECT_NEAR(none.law_residual, 1.5 * std::sqrt(2.0), rounding);
  EXPECT_DOUBLE_EQ(none.natural_residual, 1.0);
}

TEST(Certificate, ForgivesRedundantRowsOfALockButNotContradictions) {
  ContactProblem problem;
  problem.add_lock(2);
  fill(problem, Eigen::Matrix2d::Ones(), Eigen::Vector2d(1.0, 1.0));
  EXPECT_NEAR(examine(problem, {-0.5, -0.5}).residual(), 0.0, rounding);
  EXPECT_NEAR(examine(problem, {-1.0, 0.0}).residual(), 0.0, rounding);
  fill(problem, Eigen::Matrix2d::Ones(), Eigen::Vector2d(1.0, -1.0));
  EXPECT_DOUBLE_EQ(examine(problem, {0.0, 0.0}).natural_residual, 1.0);
}

TEST(Certificate, IsInfinitelyBadForNumbersThatAreNone) {
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
    const Certificate c = examine(particle({0.0, 0.0, -2.0}), {0.0, wrong, 2.0});
    EXPECT_EQ(c.residual(), infinity);
    EXPECT_EQ(c.cone, infinity);
    EXPECT_FALSE(c.certified(1e300));
  }
  // Finite impulses whose velocities overflow.
  EXPECT_FALSE(examine(particle({0.0, 0.0, -2.0}), {1e308, 1e308, 1e308}).certified(1e-6));
}

TEST(Certificate, SkipsAPointThatCannotMoveAlongItsNormal) {
  ContactProblem problem;
  problem.add_contact(0.5);
  fill(problem, Eigen::Vector3d(1.0, 1.0, 0.0).asDiagonal(), Eigen::Vector3d(0.0, 0.0, -1.0));
  EXPECT_TRUE(examine(problem, {0.0, 0.0, 0.0}).certified(1e-12));
}

/// A contact that moves and one block of one row that cannot.
ContactProblem beside_an_immovable_row(BlockKind kind) {
  ContactProblem problem;
  problem.add_contact(0.5);
  if (kind == BlockKind::limit) problem.add_limit();
  if (kind == BlockKind::joint_friction) problem.add_joint_friction(0.1);
  if (kind == BlockKind::lock) problem.add_lock(1);
  Eigen::Matrix4d G = Eigen::Matrix4d::Identity();
  G(3, 3) = 0.0;
  fill(problem, G, Eigen::Vector4d(0.1, 0.0, -1.0, kind == BlockKind::lock ? 0.0 : -5.0));
  return problem;
}

TEST(Certificate, IsNotFooledByTheImpulseOfAContactThatCannotMove) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_contact(0.5);
  Eigen::MatrixXd G = Eigen::MatrixXd::Identity(6, 6);
  G.bottomRightCorner(3, 3).setZero();
  fill(problem, G, (Eigen::VectorXd(6) << 0.1, 0.0, -1.0, 0.2, 0.0, -1.0).finished());
  const Certificate outside = examine(problem, {0.0, 0.0, 0.0, 1e20, -1e20, -1e20});
  EXPECT_EQ(outside.scales.impulse, 1.0 / 3.0);
  EXPECT_GT(outside.cone, 1e20);
  EXPECT_GT(outside.law_residual, 1e20);
  EXPECT_EQ(outside.worst_block, 1);
  const Certificate inside = examine(problem, {-0.1, 0.0, 1.0, 0.0, 0.0, 1e-3});
  EXPECT_DOUBLE_EQ(inside.law_residual, 1e-3);
  EXPECT_FALSE(inside.certified(1e-8));
  EXPECT_TRUE(examine(problem, {-0.1, 0.0, 1.0, 0.0, 0.0, 0.0}).certified(1e-8));
}

TEST(Certificate, IsNotFooledByTheImpulseOfARowThatCannotMove) {
  for (const BlockKind kind : {BlockKind::limit, BlockKind::joint_friction, BlockKind::lock}) {
    const ContactProblem problem = beside_an_immovable_row(kind);
    for (const double huge : {1e20, -1e20}) {
      const Certificate c = examine(problem, {0.0, 0.0, 0.0, huge});
      EXPECT_EQ(c.scales.impulse, (kind == BlockKind::lock ? 1.0 : 5.0) / 3.0) << to_string(kind);
      EXPECT_GT(c.law_residual, 1e19) << to_string(kind);
      EXPECT_FALSE(c.certified(1e-8)) << to_string(kind);
    }
    EXPECT_FALSE(examine(problem, {0.0, 0.0, 0.0, 0.0}).certified(1e-8)) << to_string(kind);
    EXPECT_TRUE(examine(problem, {-0.1, 0.0, 1.0, 0.0}).certified(1e-8)) << to_string(kind);
  }
}

TEST(Certificate, TellsHowFastASkippedBlockCloses) {
  EXPECT_EQ(
      examine(beside_an_immovable_row(BlockKind::limit), {-0.1, 0.0, 1.0, 0.0}).penetration_rate,
      5.0);
  ContactProblem problem;
  problem.add_contact(0.5);
  fill(problem, Eigen::Vector3d(1.0, 1.0, 0.0).asDiagonal(), Eigen::Vector3d(0.0, 0.0, -3.0));
  EXPECT_EQ(examine(problem, {0.0, 0.0, 0.0}).penetration_rate, 3.0);
}

TEST(Judge, CountsEverySkippedBlock) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_limit();
  problem.add_joint_friction(1.0);
  problem.add_lock(2);
  fill(problem, Eigen::MatrixXd::Zero(7, 7), Eigen::VectorXd::Zero(7));
  Judge judge;
  judge.open(problem);
  EXPECT_EQ(judge.skipped_count(), 4);
  problem.edit_delassus().diagonal().setOnes();
  problem.prepare();
  judge.open(problem);
  EXPECT_EQ(judge.skipped_count(), 0);
}

TEST(Certificate, HasScalesThatAreNeverZero) {
  const Certificate c = examine(particle(Eigen::Vector3d::Zero()), {0.0, 0.0, 0.0});
  EXPECT_EQ(c.scales.velocity, 1e-9);
  EXPECT_GT(c.scales.impulse, 0.0);
  EXPECT_TRUE(c.certified(1e-12));
  ContactProblem immovable;
  immovable.add_contact(0.5);
  fill(immovable, Eigen::Matrix3d::Zero(), Eigen::Vector3d::Zero());
  EXPECT_GT(examine(immovable, {0.0, 0.0, 0.0}).scales.impulse, 0.0);
}

TEST(Certificate, DoesNotDependOnUnits) {
  for (const double unit : {1e-100, 1e-3, 1e6, 1e100}) {  // of mass, so of impulses
    ContactProblem problem = particle({3.0, 0.0, -2.0});
    problem.edit_delassus() /= unit;
    problem.prepare();
    const Certificate c = examine(problem, {1.0 * unit, 0.0, 2.0 * unit});
    EXPECT_NEAR(c.law_residual, 1.0, 1e-12) << unit;
    EXPECT_NEAR(c.natural_residual, std::sqrt(3.2) / 2.0, 1e-12) << unit;
    EXPECT_NEAR(examine(problem, {2.0 * unit, 0.0, 2.0 * unit}).cone, 0.5, 1e-12) << unit;
  }
}

TEST(Certificate, KnowsFrictionAtAnyScale) {
  Eigen::Matrix3d A;
  A << 1.0, 0.3, 0.2, 0.1, 1.0, 0.4, 0.5, 0.2, 1.0;
  const Eigen::Matrix3d square = A * A.transpose();
  const Eigen::Matrix3d W = 0.5 * (square + square.transpose());
  const Eigen::Vector3d v(2.0, -1.5, -1.0);
  const ContactFactor<double> factor =
      factorize_contact<double>({W(0, 0), W(0, 1), W(0, 2), W(1, 1), W(1, 2), W(2, 2)}, 0.3);
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    const Vector3<double> l = exact_answer(law, factor, {v.x(), v.y(), v.z()}, {}).impulse;
    for (const int exponent : {0, 250, 465, 512, 530, 660, 900, -250, -512, -660, -900}) {
      const double unit = std::ldexp(1.0, exponent);
      for (const bool heavy : {false, true}) {  // large impulses by large velocities or masses
        ContactProblem problem;
        problem.add_contact(0.3);
        if (heavy) {
          fill(problem, W / unit, v);
        } else {
          if (exponent < 0) continue;  // below the least velocity scale
          fill(problem, W, unit * v);
        }
        const std::string where = std::string(to_string(law)) + " " + std::to_string(exponent);
        EXPECT_LT(examine(problem, {unit * l.x, unit * l.y, unit * l.z}, law).residual(), 1e-12)
            << where;
        const double frictionless = unit / W(2, 2);
        EXPECT_GT(examine(problem, {0.0, 0.0, frictionless}, law).residual(), 0.1) << where;
      }
    }
  }
}

TEST(Certificate, NamesTheWorstBlock) {
  ContactProblem problem;
  problem.add_limit();
  problem.add_limit();
  problem.add_limit();
  fill(problem, Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, -3.0, -2.0));
  EXPECT_EQ(examine(problem, {0.0, 0.0, 0.0}).worst_block, 1);
  EXPECT_EQ(examine(problem, {0.0, 3.0, 0.0}).worst_block, 2);
  EXPECT_EQ(examine(problem, {1.0, 3.0, 2.0}).worst_block, -1);
}

TEST(Judge, GivesTheSameAnswerFromKnownVelocities) {
  const ContactProblem problem = robot_problem(3, every_kind);
  const std::vector<double> impulse(static_cast<std::size_t>(problem.row_count()), 0.1);
  Judge judge;
  judge.open(problem);
  const Certificate a = judge.examine(Law::coulomb, impulse);
  const std::vector<double> velocity(judge.velocity().begin(), judge.velocity().end());
  const Certificate b = judge.examine(Law::coulomb, impulse, velocity);
  EXPECT_EQ(a.law_residual, b.law_residual);
  EXPECT_EQ(a.natural_residual, b.natural_residual);
  EXPECT_EQ(a.signorini, b.signorini);
  EXPECT_EQ(a.work, b.work);
}

TEST(Judge, RemembersNothingOfAnotherProblemOrLaw) {
  const std::vector<double> impulse = {-1.4, 0.0, 2.8};
  const ContactProblem slider = particle({3.0, 0.0, -2.0});
  const ContactProblem open = particle({0.0, 0.0, 2.0});
  Judge judge;
  judge.open(slider);
  EXPECT_LT(judge.examine(Law::convex, impulse).residual(), 1e-12);
  EXPECT_LT(judge.examine(Law::convex, impulse).residual(), 1e-12);
  EXPECT_GT(judge.examine(Law::coulomb, impulse).residual(), 0.1);
  judge.open(open);
  EXPECT_GT(judge.examine(Law::coulomb, impulse).residual(), 0.5);
  EXPECT_GT(judge.examine(Law::convex, impulse).residual(), 0.5);
}

/// A fingertip moves through two hinges only, and bears little beside another contact. What the
/// tolerance of the other one leaves of its velocity, along the direction that moves nothing, is no
/// miss of its law; a velocity that counts beside the impulses is.
TEST(Judge, DoesNotDivideRoundingByAMobilityOfNothing) {
  const Eigen::Vector3d a(0.3, 0.2, 1.0);
  const Eigen::Vector3d b(1.0, -0.5, 0.1);
  const Eigen::Vector3d still = a.cross(b).normalized();
  Eigen::MatrixXd G = Eigen::MatrixXd::Identity(6, 6);
  G.topLeftCorner<3, 3>() = a * a.transpose() + b * b.transpose();
  Eigen::VectorXd impulse(6);
  impulse << 1e-4, 0.0, 3e-3, 0.0, 0.0, 1.0;
  for (const double speed : {1e-13, 1e-12, 1e-11, 1e-9}) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(6);
    w.head<3>() = speed * still;
    ContactProblem problem;
    problem.add_contact(0.5);
    problem.add_contact(0.5);
    fill(problem, G, w - G * impulse);
    const Certificate c = examine(problem, {impulse.data(), impulse.data() + 6});
    EXPECT_EQ(c.certified(1e-8), speed < 1e-10) << speed << ": " << c.residual();
  }
}

TEST(Judge, KnowsTheModeOfEachKind) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_limit();
  problem.add_joint_friction(1.0);
  problem.add_lock(1);
  fill(problem, Eigen::MatrixXd::Identity(6, 6), Eigen::VectorXd::Ones(6));
  Judge judge;
  judge.open(problem);
  const std::vector<double> moving = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> still(6, 0.0);
  const auto mode = [&](int block, std::vector<double> impulse, const std::vector<double>& w) {
    return judge.mode(block, impulse, w);
  };
  EXPECT_EQ(mode(0, {0, 0, 0, 0, 0, 0}, moving), ContactMode::open);
  EXPECT_EQ(mode(0, {-0.5, 0, 1, 0, 0, 0}, moving), ContactMode::slip);
  EXPECT_EQ(mode(0, {-0.5, 0, 1, 0, 0, 0}, still), ContactMode::stick);
  EXPECT_EQ(mode(0, {-0.4, 0, 1, 0, 0, 0}, still), ContactMode::stick);
  EXPECT_EQ(mode(1, {0, 0, 0, 0, 0, 0}, still), ContactMode::open);
  EXPECT_EQ(mode(1, {0, 0, 0, 1, 0, 0}, still), ContactMode::stick);
  EXPECT_EQ(mode(2, {0, 0, 0, 0, 0.5, 0}, still), ContactMode::stick);
  EXPECT_EQ(mode(2, {0, 0, 0, 0, -1, 0}, still), ContactMode::slip);
  EXPECT_EQ(mode(3, {0, 0, 0, 0, 0, 0}, still), ContactMode::stick);
}

}  // namespace
}  // namespace stiction::test
