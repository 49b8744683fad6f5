#include "stiction/contact/islands.hpp"

#include <gtest/gtest.h>

#include "support/contact_problems.hpp"

namespace stiction {
namespace {

TEST(Islands, FindsWhatHangsTogether) {
  ContactProblem problem;
  for (int i = 0; i < 5; ++i) problem.add_limit();
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_delassus()(0, 3) = problem.edit_delassus()(3, 0) = 0.5;
  problem.edit_delassus()(3, 4) = problem.edit_delassus()(4, 3) = 0.5;
  problem.prepare();
  Islands islands;
  islands.find(problem);
  ASSERT_EQ(islands.count(), 3);
  EXPECT_EQ(std::vector<int>(islands.blocks(0).begin(), islands.blocks(0).end()),
            (std::vector<int>{0, 3, 4}));
  EXPECT_EQ(islands.blocks(1).front(), 1);
  EXPECT_EQ(islands.blocks(2).front(), 2);
  EXPECT_EQ(islands.row_count(0), 3);
}

TEST(Islands, TheWorldJoinsNobody) {
  // Two bodies, each on the world alone; a body without inverse mass is the world, too.
  ContactProblem problem;
  for (int i = 0; i < 2; ++i) problem.add_contact(0.5);
  problem.use_bodies(3);
  ContactProblem::Jacobian jacobian = ContactProblem::Jacobian::Zero(3, 6);
  jacobian.leftCols(3).setIdentity();
  for (int body = 0; body < 2; ++body) {
    problem.set_inverse_mass(body, ContactProblem::Matrix6::Identity());
    problem.couple(body, body, jacobian);
    problem.couple(body, 2, -jacobian);
  }
  problem.prepare();
  Islands islands;
  islands.find(problem);
  EXPECT_EQ(islands.count(), 2);
}

TEST(Islands, ExtractedFromBothStoragesAlike) {
  for (int seed = 0; seed < 20; ++seed) {
    const ContactProblem bodies =
        test::body_problem(static_cast<std::uint64_t>(seed), 5, test::every_kind);
    const ContactProblem dense = test::dense_copy(bodies);
    Islands of_bodies;
    Islands of_dense;
    of_bodies.find(bodies);
    of_dense.find(dense);
    ASSERT_EQ(of_bodies.count(), of_dense.count()) << "seed " << seed;
    ContactProblem a;
    ContactProblem b;
    for (int island = 0; island < of_bodies.count(); ++island) {
      of_bodies.extract(island, a);
      of_dense.extract(island, b);
      ASSERT_EQ(a.row_count(), b.row_count());
      EXPECT_LE((a.delassus() - b.delassus()).cwiseAbs().maxCoeff(), 1e-12 * b.largest_trace());
      EXPECT_EQ(a.shifted_velocity(), b.shifted_velocity());
      std::vector<double> whole(static_cast<std::size_t>(dense.row_count()), 1.0);
      std::vector<double> part(static_cast<std::size_t>(a.row_count()), 2.0);
      of_dense.scatter(island, part, whole);
      EXPECT_EQ(std::ranges::count(whole, 2.0), a.row_count());
      of_dense.gather(island, whole, part);
      EXPECT_EQ(std::ranges::count(part, 2.0), a.row_count());
    }
  }
}

}  // namespace
}  // namespace stiction
