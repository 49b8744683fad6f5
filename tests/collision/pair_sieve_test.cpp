#include "stiction/collision/pair_sieve.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "stiction/core/random.hpp"

namespace stiction {
namespace {

struct Ball {
  Vector3<double> center;
  double radius = 0.0;
};

Vector3<double> random_vector(Random& random) {
  return {random.normal(), random.normal(), random.normal()};
}

std::vector<std::pair<int, int>> random_pairs(Random& random, int count, double share) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (random.uniform() < share) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

std::vector<int> near_pairs(PairSieve& sieve) {
  std::vector<int> near;
  sieve.visit_near([&](int k) { near.push_back(k); });
  return near;
}

/// Everything that touches is found, and hardly anything else, also far from the origin.
TEST(PairSieve, KeepsTouchingSpheresAndFewOthers) {
  constexpr std::uint64_t seed = 31;
  Random random(seed);
  for (const int count : {2, 31, 32, 33, 70, 150}) {
    for (const double far : {0.0, 100.0, 1e5}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << count << " at " << far);
      const auto pairs = random_pairs(random, count, 0.6);
      PairSieve sieve;
      sieve.build(count, pairs);
      std::vector<Ball> balls;
      for (int i = 0; i < count; ++i) {
        const Vector3<double> offset{far, -far, 0.0};
        balls.push_back({offset + random_vector(random), random.uniform(0.05, 0.5)});
        sieve.set_sphere(i, balls.back().center, balls.back().radius);
      }
      const std::vector<int> near = near_pairs(sieve);
      EXPECT_TRUE(std::ranges::is_sorted(near));
      const std::set<int> found(near.begin(), near.end());
      // Single precision at this distance, and a little.
      const double coarse = 1e-5 * (1.0 + far);
      for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
        const Ball& a = balls[static_cast<std::size_t>(pairs[static_cast<std::size_t>(k)].first)];
        const Ball& b = balls[static_cast<std::size_t>(pairs[static_cast<std::size_t>(k)].second)];
        const double gap = norm(b.center - a.center) - a.radius - b.radius;
        if (gap <= 0.0) {
          EXPECT_TRUE(found.contains(k)) << "gap " << gap;
        }
        if (gap > coarse) {
          EXPECT_FALSE(found.contains(k)) << "gap " << gap;
        }
      }
    }
  }
}

TEST(PairSieve, KeepsSpheresThatReachAPlane) {
  constexpr std::uint64_t seed = 32;
  Random random(seed);
  constexpr int count = 80;
  for (const int plane : {0, 40, count - 1}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", plane " << plane);
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < count; ++i) {
      if (i != plane) pairs.push_back(std::minmax(i, plane));
    }
    std::ranges::sort(pairs);
    PairSieve sieve;
    sieve.build(count, pairs);
    const Vector3<double> raw = random_vector(random);
    const Vector3<double> normal = (1.0 / norm(raw)) * raw;
    const Vector3<double> point = random_vector(random);
    std::vector<Ball> balls(count);
    for (int i = 0; i < count; ++i) {
      Ball& ball = balls[static_cast<std::size_t>(i)];
      ball = {random_vector(random), random.uniform(0.05, 0.5)};
      if (i == plane) {
        sieve.set_plane(i, normal, point);
      } else {
        sieve.set_sphere(i, ball.center, ball.radius);
      }
    }
    const std::vector<int> near = near_pairs(sieve);
    const std::set<int> found(near.begin(), near.end());
    for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
      const auto [a, b] = pairs[static_cast<std::size_t>(k)];
      const Ball& ball = balls[static_cast<std::size_t>(a == plane ? b : a)];
      const double gap = dot(normal, ball.center - point) - ball.radius;
      if (gap <= 0.0) {
        EXPECT_TRUE(found.contains(k)) << "gap " << gap;
      }
      if (gap > 1e-4) {
        EXPECT_FALSE(found.contains(k)) << "gap " << gap;
      }
    }
  }
}

/// Numbers that are none prove nothing.
TEST(PairSieve, KeepsWhatHasNoPlace) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {0, 2}, {1, 2}};
  PairSieve sieve;
  sieve.build(3, pairs);
  sieve.set_sphere(0, {std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0}, 0.1);
  sieve.set_sphere(1, {5.0, 0.0, 0.0}, 0.1);
  sieve.set_sphere(2, {9.0, 0.0, 0.0}, 0.1);
  EXPECT_EQ(near_pairs(sieve), (std::vector<int>{0, 1}));
  sieve.set_sphere(0, {}, std::numeric_limits<double>::infinity());
  EXPECT_EQ(near_pairs(sieve), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace stiction
