// The sparse factorization of 6×6 blocks against Eigen's dense one, and the order of elimination.

#include "stiction/solver/block_lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "stiction/core/random.hpp"

namespace stiction::test {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

EliminationOrder order_of(int nodes, const Pairs& pairs) {
  EliminationOrder order;
  order.start(nodes);
  for (const auto& [a, b] : pairs) order.join(a, b);
  order.eliminate();
  return order;
}

Pairs random_pairs(Random& random, int nodes, int count) {
  Pairs pairs;
  for (int i = 0; i < count; ++i) {
    const auto draw = [&] { return static_cast<int>(random.uniform(0.0, 0.999) * nodes); };
    const int a = draw();
    const int b = draw();
    if (a != b) pairs.emplace_back(a, b);
  }
  return pairs;
}

/// Fills both with the same random blocks, unsymmetric, with a heavy diagonal.
Eigen::MatrixXd fill(Random& random, int nodes, const Pairs& pairs, BlockLu& lu) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6 * nodes, 6 * nodes);
  const auto add = [&](int row, int column, double diagonal) {
    BlockLu::Matrix block;
    for (double& entry : block.reshaped()) entry = random.uniform(-1.0, 1.0);
    block.diagonal().array() += diagonal;
    A.block<6, 6>(6 * row, 6 * column) += block;
    BlockLu::Block(lu.block(row, column)) += block;
  };
  for (int node = 0; node < nodes; ++node) add(node, node, 12.0);
  for (const auto& [a, b] : pairs) {
    add(a, b, 0.0);
    add(b, a, 0.0);
  }
  return A;
}

TEST(BlockLu, SolvesWhatTheDenseFactorizationSolves) {
  Random random(3);
  BlockLu lu;
  for (const int nodes : {1, 2, 7, 20, 70}) {
    const Pairs pairs = random_pairs(random, nodes, 2 * nodes);
    const EliminationOrder order = order_of(nodes, pairs);
    lu.start(order);
    const Eigen::MatrixXd A = fill(random, nodes, pairs, lu);
    std::vector<double> x(static_cast<std::size_t>(6 * nodes));
    for (double& entry : x) entry = random.uniform(-1.0, 1.0);
    const Eigen::VectorXd b = Eigen::Map<Eigen::VectorXd>(x.data(), 6 * nodes);
    ASSERT_TRUE(lu.compute());
    lu.solve(x);
    const Eigen::VectorXd expected = A.partialPivLu().solve(b);
    const Eigen::Map<Eigen::VectorXd> found(x.data(), 6 * nodes);
    EXPECT_LE((found - expected).norm(), 1e-11 * expected.norm()) << nodes;
  }
}

TEST(BlockLu, ASingularOrInfinitePivotIsRefused) {
  const EliminationOrder order = order_of(2, {{0, 1}});
  BlockLu lu;
  lu.start(order);
  EXPECT_FALSE(lu.compute());
  lu.start(order);
  for (int node = 0; node < 2; ++node) BlockLu::Block(lu.block(node, node)).setIdentity();
  lu.block(0, 0)[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.compute());
}

TEST(EliminationOrder, EveryNodeHasOnePlaceAndEveryPairABlock) {
  Random random(5);
  for (const int nodes : {1, 5, 64, 65, 150}) {
    const Pairs pairs = random_pairs(random, nodes, 3 * nodes);
    const EliminationOrder order = order_of(nodes, pairs);
    std::vector<int> places;
    for (int node = 0; node < nodes; ++node) places.push_back(order.position(node));
    for (const auto& [a, b] : pairs) {
      const auto [first, last] = std::minmax({order.position(a), order.position(b)});
      EXPECT_TRUE(std::ranges::binary_search(order.later(first), last));
    }
    std::ranges::sort(places);
    for (int k = 0; k < nodes; ++k) EXPECT_EQ(places[static_cast<std::size_t>(k)], k);
  }
}

TEST(EliminationOrder, TreesFillNothingIn) {
  Pairs chain, star;
  for (int k = 1; k < 100; ++k) {
    chain.emplace_back(k - 1, k);
    star.emplace_back(0, k);
  }
  EXPECT_EQ(order_of(100, chain).fill(), chain.size());
  EXPECT_EQ(order_of(100, star).fill(), star.size());
}

}  // namespace
}  // namespace stiction::test
