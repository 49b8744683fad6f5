#include "stiction/collision/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "stiction/core/random.hpp"

namespace stiction {
namespace {

std::vector<BroadPair> sorted(std::span<const BroadPair> pairs) {
  std::vector<BroadPair> result(pairs.begin(), pairs.end());
  std::ranges::sort(result, {}, [](const BroadPair& pair) { return std::pair(pair.a, pair.b); });
  return result;
}

std::vector<BroadPair> by_brute_force(std::span<const BroadBox> boxes) {
  std::vector<BroadPair> result;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t k = i + 1; k < boxes.size(); ++k) {
      if (!overlap(boxes[i], boxes[k])) continue;
      result.push_back(
          {std::min(boxes[i].index, boxes[k].index), std::max(boxes[i].index, boxes[k].index)});
    }
  }
  return sorted(result);
}

/// `size_decades` powers of ten between the largest and the smallest box.
std::vector<BroadBox> random_boxes(Random& random, int count, double space, double size_decades) {
  std::vector<BroadBox> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3<double> center{random.uniform(-space, space), random.uniform(-space, space),
                                 random.uniform(-space, space)};
    const double size = std::pow(10.0, random.uniform(-size_decades, 0.0));
    const Vector3<double> half{size * random.uniform(0.1, 1.0), size * random.uniform(0.1, 1.0),
                               size * random.uniform(0.1, 1.0)};
    boxes.push_back(make_broad_box(i, center, half));
  }
  return boxes;
}

TEST(BroadPhase, FindsWhatBruteForceFinds) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  Random random(seed);
  BroadPhase broad;
  std::size_t found = 0;
  for (int scene = 0; scene < 120; ++scene) {
    const int count = 2 + static_cast<int>(random.uniform(0.0, 1.0) * 400.0);
    const double space = std::pow(10.0, random.uniform(-0.5, 2.0));
    const double decades = scene % 3 == 0 ? 0.0 : random.uniform(0.0, 4.0);
    const std::vector<BroadBox> boxes = random_boxes(random, count, space, decades);
    const std::vector<BroadPair> expected = by_brute_force(boxes);
    ASSERT_EQ(sorted(broad.find(boxes)), expected) << "scene " << scene;
    found += expected.size();
  }
  EXPECT_GT(found, 100'000U);
}

TEST(BroadPhase, TouchingBoxesOverlap) {
  // A lattice of cubes that share faces, edges and corners: each has up to 26 neighbours.
  BroadPhase broad;
  std::vector<BroadBox> boxes;
  for (int i = 0; i < 512; ++i) {
    const Vector3<double> center{0.2 * (i % 8), 0.2 * (i / 8 % 8), 0.2 * (i / 64)};
    boxes.push_back(make_broad_box(i, center, {0.1, 0.1, 0.1}));
  }
  // Pairs along faces 3·7·64, across edges 6·49·8, across corners 4·343.
  EXPECT_EQ(broad.find(boxes).size(), 3U * 7 * 64 + 6U * 49 * 8 + 4U * 343);
}

TEST(BroadPhase, BoxesRoundOutwards) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const double size = std::pow(10.0, random.uniform(-20.0, 6.0));
    const Vector3<double> center{size * random.normal(), size * random.normal(), 0.0};
    const double half = std::pow(10.0, random.uniform(-20.0, 2.0));
    const BroadBox box = make_broad_box(3, center, {half, half, 0.0});
    ASSERT_LE(static_cast<double>(box.low[0]), center.x - half);
    ASSERT_GE(static_cast<double>(box.high[1]), center.y + half);
    ASSERT_LE(static_cast<double>(box.low[2]), 0.0);
    ASSERT_EQ(box.index, 3);
  }
}

TEST(BroadPhase, HugeCoordinatesAndFugitivesAreFound) {
  Random random(7);
  BroadPhase broad;
  std::vector<BroadBox> boxes = random_boxes(random, 300, 2.0, 1.0);
  for (const double far : {1e4, 1e9, 1e30, 1e37}) {
    // Two that flew away together, and one in the other direction.
    boxes.push_back(make_broad_box(static_cast<int>(boxes.size()), {far, 0.0, -far}, {1, 1, 1}));
    boxes.push_back(make_broad_box(static_cast<int>(boxes.size()), {far, 0.5, -far}, {1, 1, 1}));
    boxes.push_back(make_broad_box(static_cast<int>(boxes.size()), {-far, 0.5, far}, {1, 1, 1}));
    ASSERT_EQ(sorted(broad.find(boxes)), by_brute_force(boxes)) << far;
  }
  for (const double offset : {1e3, 1e6, 1e12}) {
    std::vector<BroadBox> moved;
    for (int i = 0; i < 200; ++i) {
      const Vector3<double> center{offset + random.uniform(-3, 3), random.uniform(-3, 3) - offset,
                                   random.uniform(-3, 3)};
      moved.push_back(make_broad_box(i, center, {0.2, 0.2, 0.2}));
    }
    ASSERT_EQ(sorted(broad.find(moved)), by_brute_force(moved)) << offset;
  }
}

TEST(BroadPhase, InfiniteAndUndefinedBoxesEndInAnAnswer) {
  // The step refuses such states; the broad phase must come back all the same.
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  BroadPhase broad;
  for (const double bad : {infinite, -infinite, undefined, 1e308}) {
    std::vector<BroadBox> boxes;
    for (int i = 0; i < 40; ++i) {
      boxes.push_back(make_broad_box(i, {bad, 0.0, 1.0 * i}, {1.0, 1.0, 1.0}));
      boxes.push_back(make_broad_box(i + 40, {1.0 * i, 0.0, 0.0}, {bad, 1.0, 1.0}));
    }
    EXPECT_LE(broad.find(boxes).size(), 80U * 79 / 2);
  }
}

TEST(BroadPhase, ResultDependsOnTheBoxesAlone) {
  Random random(13);
  const std::vector<BroadBox> boxes = random_boxes(random, 500, 3.0, 2.0);
  BroadPhase fresh;
  BroadPhase used;
  for (int i = 0; i < 10; ++i) {
    (void)used.find(random_boxes(random, 100 * i, 1.0 + i, 0.3 * i));
  }
  const auto expected = fresh.find(boxes);
  const auto result = used.find(boxes);
  ASSERT_EQ(result.size(), expected.size());
  EXPECT_TRUE(std::ranges::equal(result, expected));
}

TEST(BroadPhase, NoneOrOneBoxHasNoPairs) {
  BroadPhase broad;
  EXPECT_TRUE(broad.find({}).empty());
  const std::vector<BroadBox> one{make_broad_box(0, {1, 2, 3}, {1, 1, 1})};
  EXPECT_TRUE(broad.find(one).empty());
  // Points at one place.
  std::vector<BroadBox> same(30, make_broad_box(0, {0, 0, 0}, {0, 0, 0}));
  for (int i = 0; i < 30; ++i) same[static_cast<std::size_t>(i)].index = i;
  EXPECT_EQ(broad.find(same).size(), 30U * 29 / 2);
}

}  // namespace
}  // namespace stiction
