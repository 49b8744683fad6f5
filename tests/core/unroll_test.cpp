#include "stiction/core/unroll.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace stiction {
namespace {

TEST(Unroll, RunsInOrderWithConstants) {
  std::vector<std::size_t> seen;
  unroll<5>([&](auto i) {
    constexpr std::size_t constant = i;
    static_assert(constant < 5);
    seen.push_back(constant);
  });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Unroll, OfNoRoundsDoesNothing) {
  int rounds = 0;
  unroll<0>([&](auto) { ++rounds; });
  EXPECT_EQ(rounds, 0);
}

}  // namespace
}  // namespace stiction
