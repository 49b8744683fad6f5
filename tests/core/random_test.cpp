#include "stiction/core/random.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace stiction {
namespace {

TEST(Random, GivesTheNumbersOfThePublishedGenerator) {
  // xoshiro256++ from state 1, 2, 3, 4: first words of the authors' reference code.
  Random random;
  random.set_state({1, 2, 3, 4});
  EXPECT_EQ(random.bits(), 41943041U);
  EXPECT_EQ(random.bits(), 58720359U);
  EXPECT_EQ(random.bits(), 3588806011781223U);
  EXPECT_EQ(random.bits(), 3591011842654386U);
}

TEST(Random, SameSeedSameNumbersOtherSeedOtherNumbers) {
  Random a(42);
  Random b(42);
  Random c(43);
  bool all_equal = true;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = a.bits();
    EXPECT_EQ(word, b.bits());
    all_equal = all_equal && word == c.bits();
  }
  EXPECT_FALSE(all_equal);
}

TEST(Random, GoesOnFromAStoredState) {
  Random random(7);
  for (int i = 0; i < 17; ++i) random.normal();
  const auto state = random.state();
  std::vector<double> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(random.normal());
  Random restored(1);
  restored.set_state(state);
  for (const double value : expected) EXPECT_EQ(restored.normal(), value);
}

TEST(Random, UniformFillsItsRangeEvenly) {
  const std::uint64_t seed = 3;
  SCOPED_TRACE(seed);
  Random random(seed);
  constexpr int bins = 20;
  constexpr int count = 200000;
  std::vector<int> filled(bins, 0);
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++filled[static_cast<std::size_t>(u * bins)];
  }
  double chi2 = 0.0;
  for (const int n : filled) {
    const double expected = static_cast<double>(count) / bins;
    chi2 += (n - expected) * (n - expected) / expected;
  }
  EXPECT_LT(chi2, 43.8);  // 19 degrees of freedom: passed by 99.9 % of fair generators
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(-3.0, 5.0);
    EXPECT_GE(x, -3.0);
    EXPECT_LT(x, 5.0);
  }
}

TEST(Random, IndexHitsEveryNumberBelowItsCountAndNoOther) {
  Random random(5);
  std::vector<int> hits(7, 0);
  for (int i = 0; i < 7000; ++i) {
    const int k = random.index(7);
    ASSERT_GE(k, 0);
    ASSERT_LT(k, 7);
    ++hits[static_cast<std::size_t>(k)];
  }
  for (const int n : hits) EXPECT_NEAR(n, 1000, 150);  // five deviations
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  Random random(6);
  constexpr int count = 200000;
  double sum = 0.0;
  double squares = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Five deviations of each estimate.
  EXPECT_NEAR(sum / count, 0.0, 5.0 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0, 5.0 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth / count, 3.0, 5.0 * std::sqrt(96.0 / count));
}

}  // namespace
}  // namespace stiction
