// Contacts and limits that open are left out of a problem, and join again if they close.

#include "stiction/solver/active_blocks.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {
namespace {

/// A body of 1 kg over a floor: the first contact is pressed, the second opens, the third is pulled
/// open by the first; a limit that opens, joint friction, and a spin of the last two contacts.
ContactProblem mixed_problem() {
  ContactProblem problem;
  for (int i = 0; i < 3; ++i) problem.add_contact(0.5);
  problem.add_limit();
  problem.add_joint_friction(0.1);
  problem.add_spin(1, 0.02, 2);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_free_velocity().setZero();
  problem.edit_free_velocity()[2] = -1.0;
  problem.edit_free_velocity()[5] = 2.0;
  problem.edit_free_velocity()[8] = 0.5;
  problem.edit_free_velocity()[9] = 3.0;
  problem.prepare();
  return problem;
}

std::vector<double> velocities_of(const ContactProblem& problem) {
  const double* first = problem.shifted_velocity().data();
  return {first, first + problem.row_count()};
}

TEST(ActiveBlocks, LeavesOutWhatOpensAndKeepsItsOrder) {
  const ContactProblem problem = mixed_problem();
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  std::vector<double> velocity = velocities_of(problem);
  ActiveBlocks active;
  active.choose(problem, impulses, velocity, 1e-6);
  EXPECT_EQ(active.left_out_rows(), 3 + 3 + 1 + 1);
  const ContactProblem& part = active.extract();
  ASSERT_EQ(part.block_count(), 2);
  EXPECT_EQ(part.blocks()[0].kind, BlockKind::contact);
  EXPECT_EQ(part.blocks()[1].kind, BlockKind::joint_friction);
  EXPECT_EQ(part.free_velocity()[2], -1.0);

  // The third contact closes: it joins with the spin, which then has one contact of its own.
  velocity[8] = -0.1;
  EXPECT_TRUE(active.add_closing(velocity));
  const ContactProblem& more = active.extract();
  ASSERT_EQ(more.block_count(), 4);
  EXPECT_EQ(more.blocks()[3].kind, BlockKind::spin);
  EXPECT_EQ(more.blocks()[3].contact, 1);
  EXPECT_EQ(more.blocks()[3].contacts, 1);
  EXPECT_FALSE(active.add_closing(velocity));

  std::vector<double> some;
  for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i] = static_cast<double>(i + 1);
  active.gather(impulses, some);
  EXPECT_EQ(some, (std::vector<double>{1, 2, 3, 7, 8, 9, 11, 12}));
  active.scatter(some, impulses);
  EXPECT_EQ(impulses, (std::vector<double>{1, 2, 3, 0, 0, 0, 7, 8, 9, 0, 11, 12}));
}

/// An impulse keeps a block in, also one whose contact opens by it.
TEST(ActiveBlocks, KeepsWhatActs) {
  const ContactProblem problem = mixed_problem();
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  impulses[5] = 1.0;
  ActiveBlocks active;
  active.choose(problem, impulses, velocities_of(problem), 1e-6);
  EXPECT_EQ(active.extract().block_count(), 4);  // two contacts, joint friction, the spin
}

}  // namespace
}  // namespace stiction::test
