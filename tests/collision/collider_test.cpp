#include "stiction/collision/collider.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

#include "stiction/collision/shape_geometry.hpp"
#include "stiction/core/random.hpp"
#include "stiction/model/model_builder.hpp"
#include "stiction/spatial/rotation.hpp"
#include "tests/support/allocation_counter.hpp"

namespace stiction {
namespace {

using test::AllocationCounter;

Shape random_shape(Random& random, double scale) {
  Shape shape;
  const auto kind = random.uniform();
  const auto length = [&] { return scale * random.uniform(0.3, 1.0); };
  shape.kind = kind < 0.4 ? ShapeKind::sphere : kind < 0.7 ? ShapeKind::capsule : ShapeKind::box;
  shape.size = {length(), length(), length()};
  return shape;
}

struct SceneWishes {
  int bodies = 10;
  int shapes_per_body = 1;
  int world_solids = 0;
  double scale = 0.1;  ///< of the shapes [m]
  bool planes = true;
  bool groups = false;
  bool excludes = false;
  bool pairs = false;
  bool margins = false;
  bool kinematic = false;
};

/// Free bodies with random shapes, and a world of planes and solids.
Model random_model(Random& random, const SceneWishes& wishes) {
  ModelBuilder builder;
  std::vector<std::pair<int, int>> names;
  const auto dress = [&](Shape shape, int link, int number) {
    if (wishes.groups) {
      shape.collision_group = static_cast<int>(random.uniform(0.0, 4.0));
      shape.collision_mask = static_cast<int>(random.uniform(0.0, 4.0));
      shape.collides = random.uniform() < 0.95;
    }
    if (wishes.margins) shape.margin = 0.05 * random.uniform();
    names.emplace_back(link, number);
    return shape;
  };
  int world_shapes = 0;
  if (wishes.planes) {
    Shape plane;
    plane.kind = ShapeKind::plane;
    builder.add_world_shape(dress(plane, world_body, world_shapes++));
    plane.pose.translation().x() = -2.0;
    plane.pose.linear() = Eigen::AngleAxisd(1.5, Eigen::Vector3d::UnitY()).toRotationMatrix();
    builder.add_world_shape(dress(plane, world_body, world_shapes++));
  }
  for (int i = 0; i < wishes.world_solids; ++i) {
    Shape shape = random_shape(random, i == 0 ? 30.0 * wishes.scale : wishes.scale);
    shape.pose.translation() = Eigen::Vector3d(random.normal(), random.normal(), random.normal());
    builder.add_world_shape(dress(shape, world_body, world_shapes++));
  }
  for (int body = 0; body < wishes.bodies; ++body) {
    LinkSpec link;
    link.name = fmt::format("body{}", body);
    link.mass = 1.0;
    link.inertia = 0.01 * Eigen::Matrix3d::Identity();
    for (int i = 0; i < wishes.shapes_per_body; ++i) {
      Shape shape = random_shape(random, wishes.scale);
      shape.pose.translation() = wishes.scale * Eigen::Vector3d(random.normal(), 0.0, 1.0 * i);
      link.shapes.push_back(dress(shape, body, i));
    }
    builder.add_link(link);
    JointSpec joint;
    joint.name = fmt::format("joint{}", body);
    joint.kind = JointKind::floating;
    joint.child = body;
    joint.kinematic = wishes.kinematic && body % 3 == 0;
    builder.add_joint(joint);
  }
  const auto some_body = [&] { return static_cast<int>(random.uniform() * wishes.bodies); };
  for (int i = 0; wishes.excludes && i < wishes.bodies; ++i) {
    const int a = some_body();
    const int b = i % 5 == 0 ? world_body : some_body();
    if (a != b && i % 2 == 0) builder.exclude_collision(a, b);
    if (a != b && i % 2 == 1) builder.exclude_link_collision(a, b);
  }
  for (int i = 0; wishes.pairs && i < wishes.bodies; ++i) {
    const auto one =
        names[static_cast<std::size_t>(random.uniform() * static_cast<double>(names.size()))];
    const auto other =
        names[static_cast<std::size_t>(random.uniform() * static_cast<double>(names.size()))];
    if (one.first != other.first)
      builder.add_contact_pair(one, other, -1.0, 0.3 * random.uniform());
  }
  return builder.build();
}

void place_at_random(Random& random, Collider& collider, double space,
                     const Vector3<double>& middle = {}) {
  for (const int shape : collider.moving_shapes()) {
    const auto at = static_cast<std::size_t>(shape);
    Placement& placement = collider.placements()[at];
    placement.position =
        middle + Vector3<double>{random.uniform(-space, space), random.uniform(-space, space),
                                 random.uniform(-space, space)};
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
            .normalized();
    placement.rotation = from_eigen(turn.toRotationMatrix());
    collider.reaches()[at] = random.uniform() < 0.3 ? 0.05 * random.uniform() : 0.0;
  }
}

double margin_of(const Model& model, int a, int b) {
  const std::vector<Shape>& shapes = model.shapes();
  double margin =
      shapes[static_cast<std::size_t>(a)].margin + shapes[static_cast<std::size_t>(b)].margin;
  for (const ContactPair& pair : model.contact_pairs()) {
    if (std::minmax(pair.shape_a, pair.shape_b) == std::minmax(a, b)) {
      margin = std::max(margin, pair.margin);
    }
  }
  return margin;
}

/// Asks the Model about every pair, and the narrow phase about those that it allows.
std::vector<CollisionPoint> by_brute_force(const Model& model, Collider& collider, double margin) {
  std::vector<CollisionPoint> result;
  const int count = static_cast<int>(model.shapes().size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (!moves_freely(model, a) && !moves_freely(model, b)) continue;
      if (!model.may_collide(a, b)) continue;
      const auto at_a = static_cast<std::size_t>(a);
      const auto at_b = static_cast<std::size_t>(b);
      const std::span<const ShapeGeometry> shapes = collider.geometries();
      const auto function = narrow_function(shapes[at_a], shapes[at_b]);
      if (function == nullptr) continue;
      PointBuffer points;
      function(
          shapes[at_a], collider.placements()[at_a], shapes[at_b], collider.placements()[at_b],
          margin + margin_of(model, a, b) + collider.reaches()[at_a] + collider.reaches()[at_b],
          points);
      for (int i = 0; i < points.count(); ++i) {
        result.push_back(
            {a, b, points[i].feature, points[i].gap, points[i].point, points[i].normal});
      }
      std::ranges::stable_sort(result.end() - points.count(), result.end(), {},
                               &CollisionPoint::feature);
    }
  }
  return result;
}

auto numbers(const CollisionPoint& p) {
  return std::tuple(p.shape_a, p.shape_b, p.feature, p.gap, p.point.x, p.point.y, p.point.z,
                    p.normal.x, p.normal.y, p.normal.z);
}

void expect_same(std::span<const CollisionPoint> points, std::span<const CollisionPoint> expected) {
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(numbers(points[i]), numbers(expected[i])) << "point " << i;
  }
}

struct Case {
  std::string name;
  SceneWishes wishes;
  double space = 1.0;
};

class ColliderScenes : public testing::TestWithParam<Case> {};

TEST_P(ColliderScenes, FindsWhatBruteForceFindsInTheSameOrder) {
  constexpr std::uint64_t seed = 17;
  SCOPED_TRACE(seed);
  Random random(seed);
  std::size_t found = 0;
  for (int scene = 0; scene < 4; ++scene) {
    const Model model = random_model(random, GetParam().wishes);
    Collider collider(model);
    for (int time = 0; time < 5; ++time) {
      place_at_random(random, collider, GetParam().space);
      const double margin = time % 2 == 0 ? 0.0 : 0.01;
      const std::vector<CollisionPoint> expected = by_brute_force(model, collider, margin);
      const auto points = collider.find(margin);
      expect_same(points, expected);
      EXPECT_TRUE(std::ranges::is_sorted(points, {}, [](const CollisionPoint& point) {
        return std::tuple(point.shape_a, point.shape_b, point.feature);
      }));
      found += points.size();
      for (const CollisionPoint& point : points) {
        ASSERT_TRUE(std::isfinite(point.gap));
        ASSERT_NEAR(norm(point.normal), 1.0, 1e-12);
      }
    }
  }
  EXPECT_GT(found, 50U);
}

/// Everything at once.
constexpr SceneWishes all_sorts(int bodies, int world_solids) {
  return {.bodies = bodies,
          .shapes_per_body = 2,
          .world_solids = world_solids,
          .groups = true,
          .excludes = true,
          .pairs = true,
          .margins = true,
          .kinematic = true};
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ColliderScenes,
    testing::Values(
        Case{"Few", {.bodies = 12}, 0.4}, Case{"FewOfAllSorts", all_sorts(15, 4), 0.6},
        Case{"Many", {.bodies = 200}, 1.0},
        // Beyond 20,000 pairs there is a broad phase.
        Case{"VeryMany", {.bodies = 260}, 1.0}, Case{"VeryManyOfAllSorts", all_sorts(180, 20), 1.0},
        Case{"ManyWithoutPlanes", {.bodies = 150, .world_solids = 20, .planes = false}, 0.8},
        Case{"ManyOfAllSorts", all_sorts(120, 20), 0.8},
        Case{"ManyFarApart", {.bodies = 150, .margins = true}, 30.0},
        Case{"ManyWithExcludes", {.bodies = 100, .world_solids = 3, .excludes = true}, 0.6},
        Case{"ManyWithContactPairs", {.bodies = 100, .groups = true, .pairs = true}, 0.6}),
    [](const auto& info) { return info.param.name; });

TEST(Collider, HugeCoordinates) {
  Random random(23);
  for (const int bodies : {200, 260}) {
    const Model model = random_model(random, {.bodies = bodies, .planes = false});
    Collider collider(model);
    for (const double far : {1e3, 1e6}) {
      place_at_random(random, collider, 0.7, {far, -far, 0.5 * far});
      const std::vector<CollisionPoint> expected = by_brute_force(model, collider, 0.001);
      EXPECT_GT(expected.size(), 50U);
      expect_same(collider.find(0.001), expected);
    }
  }
}

/// Spheres that all lie in one place give up at a bound, not at the end of memory.
TEST(Collider, GivesUpWhereThousandsOfShapesCoincide) {
  Random random(29);
  const Model model = random_model(random, {.bodies = 4100, .planes = false});
  Collider collider(model);
  EXPECT_TRUE(collider.find(0.0).empty());  // all bodies at the origin
  EXPECT_TRUE(collider.overflowed());
  place_at_random(random, collider, 40.0);
  (void)collider.find(0.0);
  EXPECT_FALSE(collider.overflowed());
}

TEST(Collider, EmptyModelAndOneShapeHaveNoPoints) {
  Random random(3);
  const Model bare = random_model(random, {.bodies = 2, .shapes_per_body = 0, .planes = false});
  Collider none(bare);
  EXPECT_TRUE(none.find(1.0).empty());
  EXPECT_TRUE(none.moving_shapes().empty());
  const Model one = random_model(random, {.bodies = 1, .planes = false});
  Collider alone(one);
  EXPECT_TRUE(alone.find(1e9).empty());
  EXPECT_EQ(alone.moving_shapes().size(), 1U);
}

TEST(Collider, ReachOfAShapeWidensTheSearch) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) {
    LinkSpec link;
    link.name = fmt::format("ball{}", i);
    link.mass = 1.0;
    link.inertia = Eigen::Matrix3d::Identity();
    Shape ball;
    ball.size.x() = 0.1;
    link.shapes = {ball};
    builder.add_link(link);
    JointSpec joint;
    joint.name = fmt::format("joint{}", i);
    joint.kind = JointKind::floating;
    joint.child = i;
    builder.add_joint(joint);
  }
  const Model model = builder.build();
  Collider collider(model);
  collider.placements()[1].position = {0.5, 0.0, 0.0};  // gap 0.3
  EXPECT_TRUE(collider.find(0.2999).empty());
  EXPECT_EQ(collider.find(0.3001).size(), 1U);
  collider.reaches()[0] = 0.1;
  collider.reaches()[1] = 0.15;
  EXPECT_TRUE(collider.find(0.0499).empty());
  ASSERT_EQ(collider.find(0.0501).size(), 1U);
  const CollisionPoint point = collider.find(0.0501)[0];
  EXPECT_NEAR(point.gap, 0.3, 1e-15);
  EXPECT_NEAR(point.normal.x, 1.0, 1e-15);
  EXPECT_NEAR(point.point.x, 0.25, 1e-15);
}

TEST(Collider, ResultDoesNotDependOnWhatWasFoundBefore) {
  Random random(29);
  const Model model = random_model(random, {.bodies = 150, .world_solids = 5, .margins = true});
  Collider fresh(model);
  Collider used(model);
  for (int time = 0; time < 20; ++time) {
    place_at_random(random, used, 0.3 + 0.2 * time);
    (void)used.find(0.01 * time);
  }
  place_at_random(random, fresh, 0.8);
  std::ranges::copy(fresh.placements(), used.placements().begin());
  std::ranges::copy(fresh.reaches(), used.reaches().begin());
  const auto expected = fresh.find(0.005);
  EXPECT_GT(expected.size(), 100U);
  expect_same(used.find(0.005), expected);
}

TEST(Collider, AllocatesNothingOnceSizesWereSeen) {
  for (const int bodies : {12, 300}) {
    Random random(31);
    const Model model = random_model(random, {.bodies = bodies, .world_solids = 3});
    Collider collider(model);
    place_at_random(random, collider, 0.7);
    const std::size_t found = collider.find(0.05).size();
    EXPECT_GT(found, 10U);
    const AllocationCounter counter;
    for (int i = 0; i < 10; ++i) (void)collider.find(0.05);
    for (const int shape : collider.moving_shapes()) {
      Vector3<double>& at = collider.placements()[static_cast<std::size_t>(shape)].position;
      at = 1.01 * at;  // a little less dense, in other cells
    }
    (void)collider.find(0.04);
    EXPECT_EQ(counter.count(), 0U);
  }
}

TEST(Collider, RayMeetsTheNearestShape) {
  Random random(37);
  const Model model = random_model(random, {.bodies = 40, .world_solids = 2});
  Collider collider(model);
  place_at_random(random, collider, 1.0, {0.0, 0.0, 1.5});
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3<double> origin{random.uniform(-1, 1), random.uniform(-1, 1), 4.0};
    const Vector3<double> direction{0.1 * random.normal(), 0.1 * random.normal(), -2.0};
    const auto hit = collider.cast_ray(origin, direction, 100.0);
    ASSERT_TRUE(hit.has_value());  // at least the ground
    ++hits;
    EXPECT_LE(dot(hit->normal, direction), 0.0);
    EXPECT_NEAR(norm(hit->point - origin), hit->distance, 1e-12);
    // Nothing is hit before, and the body can be looked through.
    const auto shorter = collider.cast_ray(origin, direction, 0.999 * hit->distance);
    EXPECT_FALSE(shorter.has_value());
    const int body = model.shapes()[static_cast<std::size_t>(hit->shape)].body;
    const auto behind = collider.cast_ray(origin, direction, 100.0, body);
    EXPECT_TRUE(!behind || behind->distance >= hit->distance);
  }
  EXPECT_FALSE(collider.cast_ray({0, 0, 1}, {0, 0, 0}, 10.0).has_value());
  EXPECT_EQ(hits, 300);
}

TEST(Collider, HeightScanTurnsWithTheYaw) {
  ModelBuilder builder;
  Shape step;
  step.kind = ShapeKind::box;
  step.size = {1.0, 1.0, 0.25};
  step.pose.translation() = Eigen::Vector3d(2.0, 0.0, 0.0);
  builder.add_world_shape(step);
  const Model model = builder.build();
  const Collider collider(model);
  const std::vector<Eigen::Vector2d> offsets{{1.5, 0.0}, {0.0, -1.5}, {9.0, 0.0}};
  std::vector<double> heights(3);
  height_scan(collider, {0.0, 0.0, 0.0}, 0.0, offsets, 1.0, 10.0, -2, heights);
  EXPECT_NEAR(heights[0], 0.25, 1e-15);
  EXPECT_TRUE(std::isnan(heights[1]));
  EXPECT_TRUE(std::isnan(heights[2]));
  height_scan(collider, {0.0, 0.0, 0.0}, 0.5 * M_PI, offsets, 1.0, 10.0, -2, heights);
  EXPECT_TRUE(std::isnan(heights[0]));
  EXPECT_NEAR(heights[1], 0.25, 1e-15);
}

}  // namespace
}  // namespace stiction
