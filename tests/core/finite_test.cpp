#include "stiction/core/finite.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace stiction {
namespace {

TEST(AllFinite, FindsInfinitiesAndNaNAtEveryPlace) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t count = 0; count <= 9 * lane_width + 1; ++count) {
    std::vector<double> values(count, std::numeric_limits<double>::max());
    EXPECT_TRUE(all_finite(values));
    for (std::size_t at = 0; at < count; ++at) {
      for (const double fault : {infinity, -infinity, nan, -nan}) {
        std::vector<double> spoilt = values;
        spoilt[at] = fault;
        EXPECT_FALSE(all_finite(spoilt)) << fault << " at " << at << " of " << count;
      }
    }
  }
}

TEST(AllFinite, TakesTheLargestSmallestAndNegativeNumbers) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const std::vector<double> values{largest, -largest, smallest, -smallest, 0.0,
                                   -0.0,    1.0,      -1.0,     largest};
  for (std::size_t count = 0; count <= values.size(); ++count) {
    EXPECT_TRUE(all_finite(std::span(values).first(count)));
  }
}

}  // namespace
}  // namespace stiction
