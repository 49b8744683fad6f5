// Both storages of a problem say the same, and check() finds each fault.

#include "stiction/contact/contact_problem.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>

#include "stiction/core/random.hpp"
#include "support/allocation_counter.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Eigen::VectorXd random_impulses(Random& random, const ContactProblem& problem) {
  Eigen::VectorXd impulse(problem.row_count());
  for (double& value : impulse) value = random.normal();
  return impulse;
}

Eigen::VectorXd product(const ContactProblem& problem, const Eigen::VectorXd& impulse) {
  Eigen::VectorXd velocity(problem.row_count());
  problem.multiply({impulse.data(), static_cast<std::size_t>(impulse.size())},
                   {velocity.data(), static_cast<std::size_t>(velocity.size())});
  return velocity;
}

void expect_fault(const ContactProblem& problem, CheckLevel level, const std::string& word) {
  const ProblemFault fault = problem.check(level);
  EXPECT_TRUE(fault) << "expected: " << word;
  EXPECT_NE(fault.what.find(word), std::string::npos) << fault.what;
  EXPECT_FALSE(fault.remedy.empty());
}

TEST(ContactProblem, CountsRowsAndKinds) {
  ContactProblem problem;
  EXPECT_EQ(problem.add_contact(0.5, -1.0), 0);
  EXPECT_EQ(problem.add_lock(4), 1);
  EXPECT_EQ(problem.add_limit(-2.0), 2);
  EXPECT_EQ(problem.add_joint_friction(3.0), 3);
  problem.use_dense();
  problem.prepare();
  EXPECT_EQ(problem.row_count(), 9);
  EXPECT_EQ(problem.contact_count(), 1);
  EXPECT_EQ(problem.blocks()[2].row, 7);
  EXPECT_TRUE(problem.contains(BlockKind::lock));
  EXPECT_EQ(problem.target()[2], -1.0);
  EXPECT_EQ(problem.target()[7], -2.0);
  EXPECT_EQ(problem.target().cwiseAbs().sum(), 3.0);
  EXPECT_EQ(problem.blocks()[3].bound, 3.0);
}

TEST(ContactProblem, ForgetsEverythingWhenItIsCleared) {
  ContactProblem problem = robot_problem(1, every_kind);
  problem.clear();
  EXPECT_EQ(problem.row_count(), 0);
  problem.add_limit();
  problem.use_dense();
  EXPECT_EQ(problem.delassus().cwiseAbs().sum(), 0.0);
  EXPECT_EQ(problem.target().cwiseAbs().sum(), 0.0);
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full));
  EXPECT_EQ(problem.largest_trace(), 0.0);
}

TEST(ContactProblem, BodiesStorageEqualsDenseStorage) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ContactProblem bodies =
        body_problem(seed, 5, {.contacts = 6, .limits = 3, .joint_frictions = 3, .locks = 3});
    const ContactProblem dense = dense_copy(bodies);
    Random random(seed);
    const Eigen::VectorXd impulse = random_impulses(random, bodies);
    const Eigen::VectorXd expected = product(dense, impulse);
    EXPECT_LT((product(bodies, impulse) - expected).norm(), 1e-13 * expected.norm())
        << "seed " << seed;
    EXPECT_NEAR(bodies.largest_trace(), dense.largest_trace(), 1e-12 * dense.largest_trace());
    for (int i = 0; i < bodies.block_count(); ++i) {
      EXPECT_LT((bodies.diagonal_block(i) - dense.diagonal_block(i)).norm(),
                1e-13 * dense.largest_trace());
    }
    EXPECT_EQ(bodies.shifted_velocity(), dense.shifted_velocity());
    EXPECT_FALSE(bodies.check(CheckLevel::full)) << bodies.check(CheckLevel::full).what;
    EXPECT_FALSE(dense.check(CheckLevel::full)) << dense.check(CheckLevel::full).what;
  }
}

TEST(ContactProblem, VelocitiesOfSingleBlocksAreThoseOfTheProduct) {
  const ContactProblem problem =
      body_problem(3, 5, {.contacts = 6, .limits = 3, .joint_frictions = 3, .locks = 3});
  Random random(3);
  const Eigen::VectorXd impulse = random_impulses(random, problem);
  const Eigen::VectorXd expected = product(problem, impulse);
  problem.move_bodies({impulse.data(), static_cast<std::size_t>(impulse.size())});
  for (int i = problem.block_count() - 1; i >= 0; --i) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    std::array<double, max_block_rows> velocity{};
    problem.read_velocity(i, velocity.data());
    for (int k = 0; k < block.rows; ++k) {
      EXPECT_EQ(velocity[static_cast<std::size_t>(k)], expected[block.row + k]) << "block " << i;
    }
  }
}

TEST(ContactProblem, DensePaddingDoesNotShow) {
  for (int contacts = 1; contacts < 6; ++contacts) {
    const ContactProblem problem = robot_problem(9, {.contacts = contacts});
    Random random(1);
    const Eigen::VectorXd impulse = random_impulses(random, problem);
    const Eigen::MatrixXd G = problem.delassus();
    EXPECT_LT((product(problem, impulse) - G * impulse).norm(), 1e-13 * (G * impulse).norm());
    EXPECT_EQ(problem.contact_matrix(0).xz, G(0, 2));
    EXPECT_EQ(problem.contact_matrix(0).yz, G(1, 2));
    EXPECT_EQ(problem.contact_matrix(0).zz, G(2, 2));
  }
}

TEST(ContactProblem, KnowsWhoIsCoupledToWhom) {
  ContactProblem problem;
  for (int i = 0; i < 4; ++i) problem.add_contact(0.5);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_delassus()(0, 11) = problem.edit_delassus()(11, 0) = 0.1;
  problem.edit_delassus()(4, 11) = problem.edit_delassus()(11, 4) = 0.1;
  problem.prepare();
  const auto neighbours = [&](int i) {
    return std::vector<int>(problem.neighbours(i).begin(), problem.neighbours(i).end());
  };
  EXPECT_EQ(neighbours(0), std::vector<int>{3});
  EXPECT_EQ(neighbours(1), std::vector<int>{3});
  EXPECT_EQ(neighbours(2), std::vector<int>{});
  EXPECT_EQ(neighbours(3), (std::vector<int>{0, 1}));
}

TEST(ContactProblem, FindsNumbersThatAreNone) {
  for (const double wrong : {not_a_number, std::numeric_limits<double>::infinity()}) {
    ContactProblem problem = robot_problem(2);
    problem.edit_free_velocity()[5] = wrong;
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "free velocity");
    EXPECT_EQ(problem.check(CheckLevel::finite).block, 1);

    problem = robot_problem(2);
    problem.edit_target()[8] = wrong;
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "target");

    problem = robot_problem(2);
    problem.edit_delassus()(11, 11) = wrong;
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "block 3");

    problem = robot_problem(2);
    problem.edit_delassus()(11, 0) = wrong;
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "NaN or infinity");

    problem = body_problem(2, 3, contacts_only);
    ContactProblem::Matrix6 m = problem.inverse_mass(2);
    m(5, 1) = m(1, 5) = wrong;
    problem.set_inverse_mass(2, m);
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "NaN or infinity");
  }
}

TEST(ContactProblem, FindsWrongCoefficients) {
  for (const double wrong : {-1e-9, not_a_number, std::numeric_limits<double>::infinity()}) {
    ContactProblem problem;
    problem.add_contact(wrong);
    problem.use_dense();
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "friction coefficient");
    problem.clear();
    problem.add_joint_friction(wrong);
    problem.use_dense();
    problem.prepare();
    expect_fault(problem, CheckLevel::finite, "bound");
  }
}

TEST(ContactProblem, FindsAsymmetryAndIndefinitenessInFullChecksOnly) {
  ContactProblem problem = robot_problem(3);
  problem.edit_delassus()(2, 7) += 1e-3;
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::finite));
  expect_fault(problem, CheckLevel::full, "(2, 7)");

  problem = robot_problem(3);
  problem.edit_delassus().diagonal().array() -= 0.5 * problem.largest_trace();
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::finite));
  expect_fault(problem, CheckLevel::full, "indefinite");

  problem = body_problem(3, 3, contacts_only);
  ContactProblem::Matrix6 m = problem.inverse_mass(1);
  m(0, 3) += 0.1;
  problem.set_inverse_mass(1, m);
  problem.prepare();
  expect_fault(problem, CheckLevel::full, "body 1 is not symmetric");
  m(0, 3) -= 0.1;
  m(4, 4) = -1.0;
  problem.set_inverse_mass(1, m);
  problem.prepare();
  expect_fault(problem, CheckLevel::full, "body 1 is indefinite");
}

TEST(ContactProblem, AcceptsRoundingAndSingularMatrices) {
  ContactProblem problem = robot_problem(4);
  problem.edit_delassus()(2, 7) *= 1.0 + 1e-12;
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full)) << problem.check(CheckLevel::full).what;
  problem.edit_delassus().setOnes();  // rank 1
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full)) << problem.check(CheckLevel::full).what;
  problem.edit_delassus().setZero();
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full)) << problem.check(CheckLevel::full).what;
}

TEST(ContactProblem, FindsThatPrepareIsMissing) {
  ContactProblem problem = robot_problem(5);
  EXPECT_FALSE(problem.check(CheckLevel::full));
  problem.edit_free_velocity()[0] = 1.0;
  expect_fault(problem, CheckLevel::finite, "prepare");
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::finite));
}

TEST(ContactProblem, RefusesANegativeDiagonalEntryHoweverSmall) {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.use_dense();
  problem.edit_delassus().diagonal() << 1.0, 1.0, -5e-7;  // less than the shift of the Cholesky
  problem.prepare();
  expect_fault(problem, CheckLevel::full, "(2, 2)");
  problem.edit_delassus()(2, 2) = -1e-17;  // a zero, rounded
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full)) << problem.check(CheckLevel::full).what;
}

TEST(ContactProblem, AllocatesNothingInTheSecondFullCheck) {
  ContactProblem large;
  for (int i = 0; i < 100; ++i) large.add_contact(0.5);
  large.use_dense();
  large.edit_delassus().setOnes();
  large.edit_delassus().diagonal().array() += 1.0;
  large.prepare();
  const ContactProblem small = robot_problem(1), bodies = body_problem(1, 4, contacts_only);
  for (const ContactProblem* problem : {&std::as_const(large), &small, &bodies}) {
    EXPECT_FALSE(problem->check(CheckLevel::full));
    std::size_t count = 0;
    {
      const AllocationCounter counter;
      (void)problem->check(CheckLevel::full);
      count = counter.count();
    }
    EXPECT_EQ(count, 0u) << problem->row_count() << " rows";
  }
}

/// Builds a problem in a wrong way, then does all that a user would: nothing may be touched that
/// does not exist, and every level names the fault until clear().
template <class Build>
void expect_misuse(Build build, const std::string& word) {
  ContactProblem problem;
  build(problem);
  problem.edit_free_velocity().setOnes();
  problem.edit_target().setZero();
  problem.prepare();
  for (const CheckLevel level : {CheckLevel::finite, CheckLevel::full}) {
    expect_fault(problem, level, word);
  }
  problem.clear();
  problem.add_limit();
  problem.use_dense();
  problem.prepare();
  EXPECT_FALSE(problem.check(CheckLevel::full)) << problem.check(CheckLevel::full).what;
}

ContactProblem::Jacobian jacobian(int rows) { return ContactProblem::Jacobian::Ones(rows, 6); }

TEST(ContactProblem, NamesBlocksWithoutAMatrix) {
  expect_misuse([](ContactProblem& p) { p.add_contact(0.5); }, "no matrix");
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        EXPECT_EQ(p.edit_delassus().size(), 0);
        p.set_inverse_mass(0, ContactProblem::Matrix6::Identity());
        p.couple(0, 0, jacobian(3));
      },
      "no matrix");
}

TEST(ContactProblem, NamesBlocksAddedAfterTheMatrix) {
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        p.use_dense();
        for (int i = 0; i < 2000; ++i) EXPECT_EQ(p.add_contact(0.5), -1);
        EXPECT_EQ(p.edit_delassus().rows(), 3);
        EXPECT_EQ(p.edit_free_velocity().size(), 3);
      },
      "block 1 was added after");
}

TEST(ContactProblem, NamesLocksOfImpossibleSize) {
  for (const int rows : {-1, 0, 7, 1000}) {
    expect_misuse(
        [rows](ContactProblem& p) {
          p.add_contact(0.5);
          EXPECT_EQ(p.add_lock(rows), -1);
          p.use_dense();
          p.edit_delassus().setIdentity();
        },
        "lock of " + std::to_string(rows));
  }
}

TEST(ContactProblem, NamesBodiesAndBlocksThatDoNotExist) {
  const auto couple = [](int block, int body, int rows) {
    return [=](ContactProblem& p) {
      p.add_contact(0.5);
      p.use_bodies(2);
      p.couple(block, body, jacobian(rows));
    };
  };
  expect_misuse(couple(0, 900'000, 3), "body 900000 was used, but the problem has 2 bodies");
  expect_misuse(couple(0, -1, 3), "body -1 was used");
  expect_misuse(couple(1, 0, 3), "block 1 was coupled, but the problem has 1 blocks");
  expect_misuse(couple(-1, 0, 3), "block -1 was coupled");
  expect_misuse(couple(0, 0, 2), "Jacobian with 2 rows");
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        p.use_bodies(1);
        p.set_inverse_mass(1, ContactProblem::Matrix6::Identity());
      },
      "body 1 was used");
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        p.use_bodies(-3);
      },
      "body -3");
}

TEST(ContactProblem, NamesAThirdBody) {
  expect_misuse(
      [](ContactProblem& p) {
        p.add_limit();
        p.use_bodies(3);
        for (const int body : {0, 1, 1, 0, 2}) p.couple(0, body, jacobian(1));
      },
      "third body (2)");
}

TEST(ContactProblem, NamesTheWrongStorage) {
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        p.use_bodies(1);
        EXPECT_EQ(p.edit_delassus().size(), 0);
      },
      "other storage");
  expect_misuse(
      [](ContactProblem& p) {
        p.add_contact(0.5);
        p.use_dense();
        p.couple(0, 0, jacobian(3));
      },
      "other storage");
}

TEST(ContactProblem, NamesTheFirstMisuseOfSeveral) {
  expect_misuse(
      [](ContactProblem& p) {
        p.add_lock(9);
        p.use_bodies(1);
        p.couple(5, 5, jacobian(3));
      },
      "lock of 9");
}

}  // namespace
}  // namespace stiction::test
