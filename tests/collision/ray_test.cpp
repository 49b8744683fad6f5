// Rays against every kind of shape: known answers, every triangle, and points along the ray.

#include <gtest/gtest.h>

#include "stiction/collision/rays.hpp"
#include "support/surface_checks.hpp"

namespace stiction {
namespace {

using test::geometry_of;
using test::placement_of;

constexpr double endless = std::numeric_limits<double>::infinity();

std::optional<ShapeRayHit> cast(const ShapeGeometry& shape, const Eigen::Vector3d& from,
                                const Eigen::Vector3d& direction, double most = endless) {
  return cast_ray_on_shape(shape, {}, from_eigen(from), from_eigen(direction), most);
}

Eigen::Vector3d random_direction(Random& random) {
  return Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

/// Roughly towards the origin of the axes for half of the rays, anywhere for the others.
Eigen::Vector3d random_aim(Random& random, const Eigen::Vector3d& from) {
  const Eigen::Vector3d any = random_direction(random);
  return random.uniform() < 0.5 ? any : Eigen::Vector3d(0.4 * any - from).normalized();
}

/// How far outside of a solid a point is: negative inside, zero on the surface, in any unit.
double outside(const ShapeGeometry& shape, const Eigen::Vector3d& p) {
  const Eigen::Vector3d size = to_eigen(shape.size);
  switch (shape.kind) {
    case ShapeKind::sphere:
      return p.norm() - size.x();
    case ShapeKind::box:
      return (p.cwiseAbs() - size).maxCoeff();
    case ShapeKind::capsule:
      return (p - Eigen::Vector3d(0, 0, std::clamp(p.z(), -size.y(), size.y()))).norm() - size.x();
    case ShapeKind::cylinder:
      return std::max(p.head<2>().norm() - size.x(), std::abs(p.z()) - size.y());
    case ShapeKind::ellipsoid:
      return p.cwiseQuotient(size).norm() - 1.0;
    default:
      return p.z();
  }
}

TEST(Ray, MeetsTheSurfaceOfSolidsFirstFromOutsideAndFromInside) {
  Random random(12);
  for (const auto& shape :
       {geometry_of(ShapeKind::sphere, {0.4, 0, 0}), geometry_of(ShapeKind::box, {0.3, 0.5, 0.2}),
        geometry_of(ShapeKind::capsule, {0.2, 0.4, 0}),
        geometry_of(ShapeKind::cylinder, {0.3, 0.4, 0}),
        geometry_of(ShapeKind::ellipsoid, {0.3, 0.5, 0.2})}) {
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
      const Eigen::Vector3d from = random.uniform(0.0, 1.5) * random_direction(random);
      const Eigen::Vector3d direction = random_aim(random, from);
      const double side = outside(shape, from) > 0.0 ? 1.0 : -1.0;
      const auto hit = cast(shape, from, direction);
      const double end = hit ? hit->distance : 4.0;
      for (int k = 0; k < 50; ++k) {
        EXPECT_GT(side * outside(shape, from + (end * k / 50.0) * direction), -1e-12);
      }
      if (!hit) {
        EXPECT_GT(side, 0.0);
        continue;
      }
      ++hits;
      const Eigen::Vector3d point = from + hit->distance * direction;
      EXPECT_NEAR(outside(shape, point), 0.0, 1e-12);
      const Eigen::Vector3d normal = to_eigen(hit->normal);
      EXPECT_NEAR(normal.norm(), 1.0, 1e-12);
      EXPECT_LE(normal.dot(direction), 0.0);
      // A step along the normal leaves the surface, one along it does not.
      EXPECT_GT(side * outside(shape, point + 1e-6 * normal), 1e-7);
      EXPECT_FALSE(cast(shape, from, direction, 0.999999 * hit->distance));
      EXPECT_TRUE(cast(shape, from, direction, 1.000001 * hit->distance));
    }
    EXPECT_GT(hits, 500);
  }
}

TEST(Ray, MeetsAPlaneFromItsFrontOnly) {
  const auto plane = geometry_of(ShapeKind::plane, {0.1, 0.1, 0.0});
  const Eigen::Vector3d down(0.6, 0.0, -0.8);
  const auto hit = cast(plane, {5.0, 0.0, 2.0}, down);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 2.5, 1e-15);
  EXPECT_EQ(hit->normal.z, 1.0);
  EXPECT_FALSE(cast(plane, {0.0, 0.0, 2.0}, -down));
  EXPECT_FALSE(cast(plane, {0.0, 0.0, -2.0}, -down));
  EXPECT_FALSE(cast(plane, {0.0, 0.0, 2.0}, Eigen::Vector3d::UnitX()));
}

TEST(Ray, FromFarAwayIsStillExact) {
  const auto ball = geometry_of(ShapeKind::sphere, {0.1, 0, 0});
  const auto hit = cast(ball, {1e6, 0.05, 0.0}, -Eigen::Vector3d::UnitX());
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 1e6 - std::sqrt(0.0075), 1e-9);
}

/// The first triangle on a ray by solving for it in each of them.
double first_of_all(const std::vector<test::Triangle>& triangles, const Eigen::Vector3d& from,
                    const Eigen::Vector3d& direction) {
  double first = endless;
  for (const test::Triangle& t : triangles) {
    Eigen::Matrix3d m;
    m << t[1] - t[0], t[2] - t[0], -direction;
    const Eigen::Vector3d x = m.fullPivLu().solve(from - t[0]);
    if (x[0] >= 0.0 && x[1] >= 0.0 && x[0] + x[1] <= 1.0 && x[2] >= 0.0) {
      first = std::min(first, x[2]);
    }
  }
  return first;
}

TEST(Ray, MeetsTheFirstTriangleOfAMeshFromEitherSide) {
  const Mesh sheet = test::make_sheet(15, 1.0, test::rough);
  const auto shape = geometry_of(sheet);
  const auto triangles = test::triangles_of(*shape.triangles);
  Random random(2);
  int hits = 0;
  for (int i = 0; i < 1500; ++i) {
    const Eigen::Vector3d from = test::random_pose(random, 1.0, -0.3, 0.5).translation();
    const Eigen::Vector3d direction = random_aim(random, from);
    const double expected = first_of_all(triangles, from, direction);
    const auto hit = cast(shape, from, direction);
    ASSERT_EQ(hit.has_value(), std::isfinite(expected)) << i;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->distance, expected, 1e-11);
    EXPECT_LE(dot(hit->normal, from_eigen(direction)), 0.0);
  }
  EXPECT_GT(hits, 300);
}

TEST(Ray, MeetsTheSurfaceOfAHeightField) {
  const auto field = geometry_of(test::make_field(23, 19, 1.0, 1.2, test::rough));
  const auto triangles = test::triangles_of(*field.terrain);
  Random random(7);
  int hits = 0;
  for (int i = 0; i < 1500; ++i) {
    const Eigen::Vector3d from = test::random_pose(random, 0.9, 0.17, 0.7).translation();
    const Eigen::Vector3d direction = random_aim(random, from);
    const double expected = first_of_all(triangles, from, direction);
    const auto hit = cast(field, from, direction);
    ASSERT_EQ(hit.has_value(), std::isfinite(expected)) << i;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->distance, expected, 1e-11);
    EXPECT_GT(hit->normal.z, 0.0);
  }
  EXPECT_GT(hits, 500);
}

TEST(Ray, MeetsSidesAndBottomOfAHeightFieldAndLeavesItsInside) {
  const auto field =
      geometry_of(test::make_field(5, 5, 1.0, 1.0, [](double, double) { return 0.5; }));
  const auto distance = [&](const Eigen::Vector3d& from, const Eigen::Vector3d& direction) {
    const auto hit = cast(field, from, direction);
    return hit ? hit->distance : -1.0;
  };
  EXPECT_NEAR(distance({3, 0.1, 0.2}, {-1, 0, 0}), 2.0, 1e-15);
  EXPECT_NEAR(distance({0.3, -4, -0.7}, {0, 1, 0}), 3.0, 1e-15);
  EXPECT_NEAR(distance({0.3, 0.1, -3}, {0, 0, 1}), 2.0, 1e-15);
  EXPECT_EQ(distance({3, 0.1, 0.6}, {-1, 0, 0}), -1.0);
  EXPECT_NEAR(distance({0.3, 0.1, 0.2}, {0, 0, 1}), 0.3, 1e-15);
  EXPECT_NEAR(distance({0.3, 0.1, 0.2}, {0, 0, -1}), 1.2, 1e-15);
  EXPECT_NEAR(distance({0.3, 0.1, 0.2}, {1, 0, 0}), 0.7, 1e-15);
}

TEST(Ray, NothingSlipsThroughBetweenTheCellsOfAHeightField) {
  const auto field = geometry_of(test::make_field(9, 9, 1.0, 1.0, test::rough));
  for (int i = 0; i <= 160; ++i) {
    for (int k = 0; k <= 160; ++k) {  // on vertices, edges, diagonals and between
      const double x = -1.0 + i / 80.0;
      const double y = -1.0 + k / 80.0;
      const auto straight = cast(field, {x, y, 2.0}, {0.0, 0.0, -1.0});
      ASSERT_TRUE(straight) << x << ' ' << y;
      const auto triangle = field.terrain->triangle_at(x, y);
      ASSERT_TRUE(triangle);
      EXPECT_NEAR(dot(triangle->normal,
                      Vector3<double>{x, y, 2.0 - straight->distance} - triangle->corner[0]),
                  0.0, 1e-14);
    }
  }
  // Along the lines of the grid and the diagonals.
  for (const Eigen::Vector3d& along :
       {Eigen::Vector3d(1, 0, -0.3), Eigen::Vector3d(0, 1, -0.3), Eigen::Vector3d(1, 1, -0.4)}) {
    const auto hit = cast(field, {-0.75, -0.75, 0.3}, along.normalized());
    ASSERT_TRUE(hit);
    EXPECT_LT(hit->distance, 1.8);
  }
}

TEST(Ray, HullOfABoxIsABox) {
  const Mesh mesh = test::make_box_mesh({0.3, 0.5, 0.2});
  Mesh with_hull = mesh;
  with_hull.hull_vertices = mesh.vertices;
  with_hull.hull_triangles = mesh.triangles;
  ShapeGeometry hull;
  hull.kind = ShapeKind::mesh;
  hull.hull = std::make_shared<const ConvexHull>(with_hull);
  const auto box = geometry_of(ShapeKind::box, {0.3, 0.5, 0.2});
  Random random(15);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3d from = random.uniform(0.0, 1.0) * random_direction(random);
    const Eigen::Vector3d direction = random_aim(random, from);
    const auto expected = cast(box, from, direction);
    const auto hit = cast(hull, from, direction);
    ASSERT_EQ(hit.has_value(), expected.has_value()) << i;
    if (!hit) continue;
    EXPECT_NEAR(hit->distance, expected->distance, 1e-12);
    EXPECT_LT(norm(hit->normal - expected->normal), 1e-12);
  }
}

TEST(Ray, TurnsWithTheShape) {
  const auto box = geometry_of(ShapeKind::box, {0.3, 0.5, 0.2});
  Random random(16);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Isometry3d pose = test::random_pose(random, 3.0, -3.0, 3.0);
    const Eigen::Vector3d from = random_direction(random);
    const Eigen::Vector3d direction = (0.1 * random_direction(random) - from).normalized();
    const auto expected = cast(box, from, direction);
    const auto hit =
        cast_ray_on_shape(box, placement_of(pose), from_eigen(Eigen::Vector3d(pose * from)),
                          from_eigen(Eigen::Vector3d(pose.linear() * direction)), 10.0);
    ASSERT_TRUE(expected && hit);
    EXPECT_NEAR(hit->distance, expected->distance, 1e-12);
    EXPECT_LT((pose.linear() * to_eigen(expected->normal) - to_eigen(hit->normal)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace stiction
