// Velocities that follow the impulses one change at a time equal those computed anew.

#include "stiction/contact/velocity_tracker.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "stiction/core/random.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

Eigen::VectorXd anew(const ContactProblem& problem, const std::vector<double>& impulse) {
  Eigen::VectorXd w(problem.row_count());
  problem.multiply(impulse, {w.data(), impulse.size()});
  return w + problem.shifted_velocity();
}

Eigen::VectorXd all(const VelocityTracker& tracker, const ContactProblem& problem) {
  Eigen::VectorXd w(problem.row_count());
  tracker.read_all({w.data(), static_cast<std::size_t>(w.size())});
  return w;
}

/// Changes every block in one of the ways there are, and compares.
template <DelassusStorage storage>
void expect_in_step(const ContactProblem& problem) {
  Random random(5);
  std::vector<double> impulse(static_cast<std::size_t>(problem.row_count()));
  for (double& value : impulse) value = random.normal();
  VelocityTracker tracker;
  tracker.start(problem, impulse);
  const double size = 1e-13 * anew(problem, impulse).norm() * problem.block_count();
  EXPECT_LT((all(tracker, problem) - anew(problem, impulse)).norm(), size);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    double change[max_block_rows];
    for (int r = 0; r < block.rows; ++r) {
      change[r] = random.normal();
      impulse[static_cast<std::size_t>(block.row + r)] += change[r];
    }
    if (block.kind == BlockKind::contact) {
      tracker.apply_contact<storage>(i, {change[0], change[1], change[2]});
    } else if (block.kind == BlockKind::lock) {
      tracker.apply(i, change);
    } else {
      tracker.apply_row<storage>(i, 0, change[0]);
    }
  }
  const Eigen::VectorXd expected = anew(problem, impulse);
  EXPECT_LT((all(tracker, problem) - expected).norm(), size);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    double w[max_block_rows];
    tracker.read(i, w);
    for (int r = 0; r < block.rows; ++r) {
      EXPECT_NEAR(w[r], expected[block.row + r], size);
      EXPECT_EQ(tracker.read_row<storage>(i, r), w[r]);
    }
    if (block.kind != BlockKind::contact) continue;
    EXPECT_EQ(tracker.read_contact<storage>(i).x, w[0]);
    EXPECT_EQ(tracker.read_contact<storage>(i).y, w[1]);
    EXPECT_EQ(tracker.read_contact<storage>(i).z, w[2]);
  }
  tracker.refresh(impulse);
  EXPECT_LT((all(tracker, problem) - expected).norm(), size);
}

TEST(VelocityTracker, StaysInStepWithARobot) {
  for (int contacts = 1; contacts < 6; ++contacts) {
    expect_in_step<DelassusStorage::dense>(
        robot_problem(1, {.contacts = contacts, .limits = 2, .joint_frictions = 1, .locks = 2}));
  }
}

TEST(VelocityTracker, StaysInStepWithManyBlocksThatFewOthersTouch) {
  expect_in_step<DelassusStorage::dense>(dense_copy(row_of_balls(61)));
  expect_in_step<DelassusStorage::dense>(dense_copy(
      body_problem(2, 40, {.contacts = 50, .limits = 10, .joint_frictions = 10, .locks = 10})));
}

TEST(VelocityTracker, StaysInStepWithBodies) {
  expect_in_step<DelassusStorage::bodies>(row_of_balls(61));
  expect_in_step<DelassusStorage::bodies>(
      body_problem(3, 4, {.contacts = 8, .limits = 3, .joint_frictions = 3, .locks = 3}));
}

TEST(VelocityTracker, MayBeStartedOnOneProblemAfterAnother) {
  const ContactProblem large = dense_copy(row_of_balls(61)), small = robot_problem(4),
                       bodies = row_of_balls(7);
  VelocityTracker tracker;
  for (const ContactProblem* problem : {&large, &small, &bodies, &large, &bodies, &small}) {
    const std::vector<double> impulse(static_cast<std::size_t>(problem->row_count()), 0.3);
    tracker.start(*problem, impulse);
    EXPECT_LT((all(tracker, *problem) - anew(*problem, impulse)).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace stiction::test
