// What a Collider keeps from call to call saves time and changes nothing: its points are those of a
// Collider that has seen nothing before, to the last bit.

#include "stiction/collision/carried_gaps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

#include "stiction/collision/collider.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/spatial/rotation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "tests/support/allocation_counter.hpp"
#include "tests/support/convex_shapes.hpp"

namespace stiction::test {
namespace {

constexpr int bodies = 16;

/// Hulls, cylinders, ellipsoids, boxes and capsules above a plane, with a hull in the world.
Model scene_of_hulls(Random& random) {
  std::string meshes;
  std::string text;
  for (int i = 0; i <= bodies; ++i) {
    meshes += fmt::format("<mesh name='hull{}' vertex='", i);
    for (int k = 0; k < 12 + 3 * i; ++k) {
      const Eigen::Vector3d vertex = 0.1 * random_direction(random);
      // Off centre, as meshes of robots are.
      meshes += fmt::format("{} {} {} ", 0.15 + vertex.x(), vertex.y(), 1.5 * vertex.z());
    }
    meshes += "'/>";
  }
  for (int i = 0; i < bodies; ++i) {
    constexpr std::array primitives{
        "type='cylinder' size='.06 .1'", "type='ellipsoid' size='.05 .08 .12'",
        "type='box' size='.05 .08 .12'", "type='capsule' size='.05 .1'"};
    const std::string second = primitives[static_cast<std::size_t>(i % 4)];
    text += fmt::format("<body pos='0 0 {}'><freejoint/><geom type='mesh' mesh='hull{}'/>", i, i);
    text += fmt::format("<geom pos='-.1 0 0' {}/></body>", second);
  }
  return load_model_text(
             fmt::format("<mujoco><asset>{}</asset><worldbody><geom type='plane' size='1 1 1'/>"
                         "<geom type='mesh' mesh='hull{}'/>{}</worldbody></mujoco>",
                         meshes, bodies, text),
             "hulls.xml")
      .model;
}

/// Where the bodies are.
struct Poses {
  std::array<Eigen::Isometry3d, bodies> pose;

  void scatter(Random& random) {
    for (Eigen::Isometry3d& one : pose) {
      one.linear() =
          Eigen::AngleAxisd(3.0 * random.uniform(), random_direction(random)).toRotationMatrix();
      one.translation() = Eigen::Vector3d(random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6),
                                          random.uniform(0.0, 0.8));
    }
  }
  void move(Random& random, double size) {
    for (Eigen::Isometry3d& one : pose) {
      one.translation() += size * random_direction(random);
      one.linear() =
          Eigen::AngleAxisd(5.0 * size, random_direction(random)).toRotationMatrix() * one.linear();
    }
  }
};

void place(const Model& model, const Poses& poses, Collider& collider) {
  for (const int shape : collider.moving_shapes()) {
    const auto i = static_cast<std::size_t>(shape);
    const Shape& of = model.shapes()[i];
    const Eigen::Isometry3d at = poses.pose[static_cast<std::size_t>(of.body)] * of.pose;
    collider.placements()[i] = {from_eigen(Eigen::Matrix3d(at.linear())),
                                from_eigen(Eigen::Vector3d(at.translation()))};
    collider.reaches()[i] = 1e-3 * static_cast<double>(shape % 3);
  }
}

auto numbers(const CollisionPoint& p) {
  return std::tuple(p.shape_a, p.shape_b, p.feature, p.gap, p.point.x, p.point.y, p.point.z,
                    p.normal.x, p.normal.y, p.normal.z);
}

TEST(CarriedGaps, PointsDoNotDependOnWhatAColliderSawBefore) {
  constexpr std::uint64_t seed = 41;
  SCOPED_TRACE(seed);
  Random random(seed);
  const Model model = scene_of_hulls(random);
  Collider used(model);
  Poses poses;
  poses.scatter(random);
  Poses earlier = poses;
  std::size_t points = 0;
  std::size_t tested = 0;
  std::size_t tested_afresh = 0;
  for (int time = 0; time < 240; ++time) {
    poses.move(random, time % 40 < 30 ? 1e-4 : 1e-2);
    if (time % 60 == 20) earlier = poses;
    if (time % 60 == 50) poses = earlier;  // as a restored state does
    if (time % 80 == 79) poses.scatter(random);
    const double margin = time % 3 == 0 ? 0.005 : 0.0;
    Collider fresh(model);
    place(model, poses, used);
    place(model, poses, fresh);
    const auto found = used.find(margin);
    const auto expected = fresh.find(margin);
    ASSERT_EQ(found.size(), expected.size()) << "time " << time;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(numbers(found[i]), numbers(expected[i])) << "time " << time << " point " << i;
    }
    points += found.size();
    tested += used.work().tested;
    tested_afresh += fresh.work().tested;
  }
  EXPECT_GT(points, 1000U);
  EXPECT_LT(2 * tested, tested_afresh);  // or nothing was carried along, and nothing shown
}

TEST(CarriedGaps, PairsAtRestAreNotTestedAgain) {
  Random random(42);
  const Model model = scene_of_hulls(random);
  Collider collider(model);
  Poses poses;
  // So near that spheres of neighbours overlap, and shapes do not.
  for (std::size_t i = 0; i < bodies; ++i) {
    poses.pose[i].setIdentity();
    poses.pose[i].translation() = Eigen::Vector3d(0.5 * static_cast<double>(i), 1.0, 1.0);
  }
  place(model, poses, collider);
  EXPECT_TRUE(collider.find(0.0).empty());
  EXPECT_GT(collider.work().tested, 0U);
  const AllocationCounter allocations;
  EXPECT_TRUE(collider.find(0.0).empty());
  EXPECT_EQ(collider.work().tested, 0U);
  // All together: they keep their places among each other.
  for (Eigen::Isometry3d& pose : poses.pose) pose.translation().y() += 0.5;
  place(model, poses, collider);
  EXPECT_TRUE(collider.find(0.0).empty());
  EXPECT_EQ(collider.work().tested, 0U);
  EXPECT_EQ(allocations.count(), 0U);
}

/// What has no place once must not spoil the calls after it.
TEST(CarriedGaps, RecoverFromPlacesThatAreNoNumbers) {
  Random random(43);
  const Model model = scene_of_hulls(random);
  Collider collider(model);
  Poses poses;
  poses.scatter(random);
  place(model, poses, collider);
  const auto first = collider.find(0.0);
  const std::vector<CollisionPoint> expected(first.begin(), first.end());
  collider.placements()[static_cast<std::size_t>(collider.moving_shapes()[0])].position.x =
      std::numeric_limits<double>::quiet_NaN();
  (void)collider.find(0.0);
  place(model, poses, collider);
  const auto again = collider.find(0.0);
  ASSERT_EQ(again.size(), expected.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(numbers(again[i]), numbers(expected[i]));
  }
}

/// The bound on how far a shape has come holds for each of its points.
TEST(CarriedGaps, NoPointComesFurtherThanItsPath) {
  constexpr std::uint64_t seed = 44;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Placement from = random_placement(random, 1.0);
    const Placement to = random_placement(random, 1.0);
    const Vector3<double> center = from_eigen(Eigen::Vector3d(random_direction(random)));
    const double radius = random.uniform(0.1, 1.0);
    const auto place_of = [](const Placement& at, const Vector3<double>& p) {
      return multiply_add(at.rotation, p, at.position);
    };
    const double path =
        path_between(from, place_of(from, center), to, place_of(to, center), radius);
    const Vector3<double> point =
        center + radius * from_eigen(Eigen::Vector3d(random_direction(random)));
    EXPECT_LE(norm(place_of(to, point) - place_of(from, point)), path * (1.0 + 1e-12));
  }
}

}  // namespace
}  // namespace stiction::test
