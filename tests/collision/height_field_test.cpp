// Shapes on height fields: planes, ridges, peaks and rough ground, against every triangle.

#include "stiction/collision/height_field.hpp"

#include <map>

#include "stiction/collision/terrain_pairs.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/surface_checks.hpp"

namespace stiction {
namespace {

using test::geometry_of;
using test::make_field;
using test::placement_of;

const ShapeGeometry ball = geometry_of(ShapeKind::sphere, {0.1, 0.0, 0.0});
const ShapeGeometry capsule = geometry_of(ShapeKind::capsule, {0.06, 0.12, 0.0});
const ShapeGeometry box = geometry_of(ShapeKind::box, {0.15, 0.1, 0.07});
const ShapeGeometry cylinder = geometry_of(ShapeKind::cylinder, {0.12, 0.08, 0.0});
const ShapeGeometry ellipsoid = geometry_of(ShapeKind::ellipsoid, {0.14, 0.1, 0.07});
const ShapeGeometry stone = test::make_stone(0.1, 0.08);

PointBuffer points_of(NarrowFunction function, const ShapeGeometry& shape,
                      const Eigen::Isometry3d& pose, const ShapeGeometry& surface, double margin) {
  PointBuffer points;
  function(shape, placement_of(pose), surface, {}, margin, points);
  return points;
}

Eigen::Isometry3d pose_at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

TEST(HeightFieldTriangles, NeighboursAgreeAboutEveryEdge) {
  const Terrain terrain(make_field(7, 5, 1.0, 1.5, test::rough));
  std::map<std::pair<int, int>, std::vector<SurfaceEdge>> edges;
  std::vector<int> owners(35, 0);
  for (int i = 0; i < terrain.triangle_count(); ++i) {
    const SurfaceTriangle triangle = terrain.triangle(i);
    const auto& c = triangle.corner;
    const Eigen::Vector3d normal =
        (to_eigen(c[1]) - to_eigen(c[0])).cross(to_eigen(c[2]) - to_eigen(c[0])).normalized();
    EXPECT_LT((normal - to_eigen(triangle.normal)).norm(), 1e-14);
    for (int k = 0; k < 3; ++k) {
      const int from = triangle.vertex[static_cast<std::size_t>(k)];
      const int to = triangle.vertex[static_cast<std::size_t>((k + 1) % 3)];
      edges[std::minmax(from, to)].push_back(terrain.edge(triangle, k));
      if (terrain.owns_vertex(triangle, k)) ++owners[static_cast<std::size_t>(from)];
    }
  }
  for (const int count : owners) EXPECT_EQ(count, 1);
  EXPECT_EQ(edges.size(), 6U * 5U + 7U * 4U + 6U * 4U);
  for (const auto& [ends, seen] : edges) {
    int owned = 0;
    for (const SurfaceEdge& edge : seen) owned += edge.owned ? 1 : 0;
    EXPECT_EQ(owned, 1);
    EXPECT_EQ(seen.front().border, seen.size() == 1);
    EXPECT_EQ(seen.front().kind, seen.back().kind);
  }
}

TEST(HeightFieldTriangles, BoxQueryFindsEveryTriangleThatMeetsTheBox) {
  const Terrain terrain(make_field(40, 33, 1.0, 1.5, test::rough));
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Vector3<double> low{random.uniform(-1.2, 1.0), random.uniform(-1.7, 1.5),
                              random.uniform(-0.2, 0.1)};
    const Vector3<double> high =
        low + Vector3<double>{random.uniform(0.0, 0.5), random.uniform(0.0, 0.5),
                              random.uniform(0.0, 0.1)};
    std::set<int> seen;
    terrain.visit(low, high,
                  [&](const SurfaceTriangle& t) { EXPECT_TRUE(seen.insert(t.index).second); });
    for (int k = 0; k < terrain.triangle_count(); ++k) {
      const auto t = terrain.triangle(k);
      for (const auto& c : t.corner) {
        if (c.x >= low.x && c.y >= low.y && c.z >= low.z && c.x <= high.x && c.y <= high.y &&
            c.z <= high.z) {
          EXPECT_TRUE(seen.contains(k));
        }
      }
    }
  }
}

TEST(HeightField, FlatFieldIsAPlane) {
  const auto field = geometry_of(make_field(21, 17, 1.0, 1.0, [](double, double) { return 0.3; }));
  test::expect_plane(ball, field, collide_sphere_surface, 0.0, 0.3, 10000, 1);
  test::expect_plane(capsule, field, collide_capsule_surface, 0.0, 0.3, 10000, 2);
  test::expect_plane(box, field, collide_box_surface, 0.0, 0.3, 10000, 4);
}

TEST(HeightField, SlopedFieldIsAPlane) {
  for (const double slope : {0.25, -0.7}) {
    const auto field = geometry_of(
        make_field(21, 17, 1.0, 1.0, [&](double x, double) { return slope * x + 0.3; }));
    test::expect_plane(ball, field, collide_sphere_surface, slope, 0.3, 10000, 1);
    test::expect_plane(capsule, field, collide_capsule_surface, slope, 0.3, 10000, 2);
    test::expect_plane(box, field, collide_box_surface, slope, 0.3, 10000, 4);
  }
}

TEST(HeightField, FlatAndSlopedFieldsArePlanesForGeneralShapes) {
  for (const double slope : {0.0, 0.25, -0.7}) {
    const auto field = geometry_of(
        make_field(21, 17, 1.0, 1.0, [&](double x, double) { return slope * x + 0.3; }));
    test::expect_plane(cylinder, field, collide_cylinder_surface, slope, 0.3, 1000, 4);
    test::expect_plane(ellipsoid, field, collide_ellipsoid_surface, slope, 0.3, 1000, 1);
    test::expect_plane(stone, field, collide_hull_surface, slope, 0.3, 1000, 7);
  }
}

TEST(HeightField, GeneralShapesAreAsFarAsTheNearestTriangle) {
  const Terrain terrain(make_field(21, 17, 1.0, 1.0, test::rough));
  const auto field = geometry_of(make_field(21, 17, 1.0, 1.0, test::rough));
  test::expect_distance(cylinder, field, terrain, collide_cylinder_surface, 400, 0.17, 0.5, 1e-8);
  test::expect_distance(ellipsoid, field, terrain, collide_ellipsoid_surface, 400, 0.17, 0.5, 1e-8);
  test::expect_distance(stone, field, terrain, collide_hull_surface, 400, 0.17, 0.5, 1e-8);
}

TEST(HeightField, RoughGroundIsAsFarAsItsNearestTriangle) {
  const Terrain terrain(make_field(21, 17, 1.0, 1.0, test::rough));
  const auto field = geometry_of(make_field(21, 17, 1.0, 1.0, test::rough));
  // Rounding of the distance itself; the oracle for capsule and box ends at about 1e-10.
  test::expect_distance(ball, field, terrain, collide_sphere_surface, 1500, 0.05, 0.4, 1e-9);
  test::expect_distance(capsule, field, terrain, collide_capsule_surface, 1500, 0.17, 0.5, 1e-9);
  test::expect_distance(box, field, terrain, collide_box_surface, 1500, 0.17, 0.5, 1e-9);
}

TEST(HeightField, SphereThatOverlapsIsAsDeepAsItsCentreIsNear) {
  const HeightField rough = make_field(21, 17, 1.0, 1.0, test::rough);
  const Terrain terrain(rough);
  const auto field = geometry_of(rough);
  const auto triangles = test::triangles_of(terrain);
  Random random(5);
  int deep = 0;
  for (int i = 0; i < 3000; ++i) {
    const double x = random.uniform(-0.8, 0.8);
    const double y = random.uniform(-0.8, 0.8);
    const auto under = terrain.triangle_at(x, y);
    ASSERT_TRUE(under);
    const double ground = under->corner[0].z - (under->normal.x * (x - under->corner[0].x) +
                                                under->normal.y * (y - under->corner[0].y)) /
                                                   under->normal.z;
    const double height = random.uniform(-0.09, 0.09);
    const Eigen::Vector3d center(x, y, ground + height);
    const double distance = test::distance_to_all(center, triangles);
    const auto points =
        points_of(collide_sphere_surface, ball, pose_at(x, y, ground + height), field, 0.0);
    const double expected = (height < 0.0 ? -distance : distance) - 0.1;
    deep += height < 0.0 ? 1 : 0;
    if (height >= 0.0) {
      EXPECT_NEAR(test::least_gap(points), expected, 1e-12) << i;
      continue;
    }
    // The nearest way out is one of the points; where it leads to the bottom line of a valley, both
    // walls are given instead, and no plane of a wall is further away than that line. Other walls
    // are given only if they are not much deeper.
    ASSERT_GT(points.count(), 0) << i;
    double shallowest = points[0].gap;
    for (int k = 1; k < points.count(); ++k) shallowest = std::max(shallowest, points[k].gap);
    EXPECT_GE(shallowest, expected - 1e-12) << i;
    EXPECT_LE(shallowest, -0.1) << i;
    EXPECT_GE(test::least_gap(points), 2.0 * expected + 0.1 - 1e-6) << i;
  }
  EXPECT_GT(deep, 1000);
}

TEST(HeightField, NormalTurnsSteadilyOverARidge) {
  // A roof along y with its ridge at x = 0 between two columns of the grid.
  const auto roof = geometry_of(
      make_field(11, 21, 1.0, 1.0, [](double x, double) { return 0.5 - 0.4 * std::abs(x); }));
  const double span = 2.0 * std::atan(0.4);
  double last = -std::atan(0.4);
  for (int i = 0; i <= 1000; ++i) {
    const double x = -0.1 + 0.2 * i / 1000.0;
    const double z = 0.5 + std::sqrt(0.1 * 0.1 * 1.02 - x * x * 0.5);
    const auto points = points_of(collide_sphere_surface, ball, pose_at(x, 0.123, z), roof, 0.1);
    ASSERT_EQ(points.count(), 1);
    const double angle = std::atan2(-points[0].normal.x, -points[0].normal.z);
    EXPECT_GE(angle, last - 1e-12);
    EXPECT_LE(angle - last, 5.0 * span / 1000.0);
    last = angle;
    if (std::abs(x) < 0.02) {  // over the ridge itself
      EXPECT_NEAR(points[0].gap, std::hypot(x, z - 0.5) - 0.1, 1e-12);
    }
  }
  EXPECT_NEAR(last, std::atan(0.4), 1e-12);
}

TEST(HeightField, BoxLiesOnARidgeByTwoPoints) {
  const auto roof = geometry_of(
      make_field(11, 21, 1.0, 1.0, [](double x, double) { return 0.5 - 0.4 * std::abs(x); }));
  for (const double gap : {0.004, 0.0, -0.004}) {
    const auto points =
        points_of(collide_box_surface, box, pose_at(0.03, 0.05, 0.5 + 0.07 + gap), roof, 0.01);
    ASSERT_EQ(points.count(), 2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(points[i].gap, gap, 1e-12);
      EXPECT_NEAR(points[i].normal.z, -1.0, 1e-12);
      EXPECT_NEAR(points[i].point.x, 0.0, 1e-12);
    }
    EXPECT_NEAR(std::abs(points[0].point.y - points[1].point.y), 0.2, 1e-12);
  }
}

TEST(HeightField, BoxLiesOnAPeakAndOnATable) {
  // One vertex up; then a square of 3 x 3 vertices, smaller than the box.
  const auto peak = geometry_of(make_field(
      41, 41, 1.0, 1.0, [](double x, double y) { return std::hypot(x, y) < 0.01 ? 0.04 : 0.0; }));
  auto points =
      points_of(collide_box_surface, box, pose_at(0.01, 0.02, 0.04 + 0.07 - 0.001), peak, 0.002);
  ASSERT_EQ(points.count(), 1);
  EXPECT_NEAR(points[0].gap, -0.001, 1e-12);
  EXPECT_NEAR(points[0].normal.z, -1.0, 1e-12);
  const auto table = geometry_of(make_field(41, 41, 1.0, 1.0, [](double x, double y) {
    return std::abs(x) < 0.06 && std::abs(y) < 0.06 ? 0.04 : 0.0;
  }));
  for (const double tilt : {0.0, 1e-9, -1e-5}) {
    Eigen::Isometry3d pose = pose_at(0.01, 0.02, 0.04 + 0.07);
    pose.linear() =
        Eigen::AngleAxisd(tilt, Eigen::Vector3d(1, 2, 0).normalized()).toRotationMatrix();
    points = points_of(collide_box_surface, box, pose, table, 0.002);
    ASSERT_EQ(points.count(), 4) << "tilted by " << tilt;
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(std::abs(points[i].point.x), 0.05, 1e-6);
  }
}

TEST(HeightField, DeepShapesArePushedUpAndNothingHappensBelowTheBaseOrBeside) {
  const auto field = geometry_of(make_field(21, 17, 1.0, 1.0, test::rough));
  for (const double z : {-0.2, -0.6, -0.9}) {
    for (const auto& [function, shape] :
         {std::pair{NarrowFunction(collide_sphere_surface), ball},
          std::pair{NarrowFunction(collide_box_surface), box},
          std::pair{NarrowFunction(collide_capsule_surface), capsule}}) {
      const auto points = points_of(function, shape, pose_at(0.1, 0.2, z), field, 0.0);
      ASSERT_GT(points.count(), 0);
      for (int i = 0; i < points.count(); ++i) {
        EXPECT_LT(points[i].normal.z, 0.0);
        EXPECT_LT(points[i].gap, 0.0);
      }
    }
  }
  for (const auto& pose : {pose_at(0.1, 0.2, -1.3), pose_at(1.4, 0.0, -0.1), pose_at(0, -1.3, 0)}) {
    EXPECT_EQ(points_of(collide_sphere_surface, ball, pose, field, 0.05).count(), 0);
    EXPECT_EQ(points_of(collide_box_surface, box, pose, field, 0.05).count(), 0);
    EXPECT_EQ(points_of(collide_capsule_surface, capsule, pose, field, 0.05).count(), 0);
  }
}

TEST(HeightField, ValleyHoldsWithBothWallsHoweverTheGapRounds) {
  const auto gutter =
      geometry_of(make_field(11, 21, 1.0, 1.0, [](double x, double) { return 0.5 * std::abs(x); }));
  // A box on its edge, which lies in the bottom line.
  for (const double gap : {1e-10, 0.0, -1e-10, -1e-6}) {
    Eigen::Isometry3d pose = pose_at(0.0, 0.03, 0.0);
    pose.linear() = Eigen::AngleAxisd(M_PI_4, Eigen::Vector3d::UnitY()).toRotationMatrix();
    const auto cube = geometry_of(ShapeKind::box, {0.1, 0.1, 0.1});
    pose.translation().z() = 0.1 * std::sqrt(2.0) + gap;
    const auto points = points_of(collide_box_surface, cube, pose, gutter, 0.001);
    EXPECT_EQ(points.count(), 4) << gap;
    for (int i = 0; i < points.count(); ++i) {
      EXPECT_NEAR(points[i].gap, gap / std::sqrt(1.25), 1e-12);
      EXPECT_NEAR(std::abs(points[i].normal.x), 0.5 / std::sqrt(1.25), 1e-12);
    }
  }
}

TEST(HeightField, PlacedAnywhereItGivesTheSamePointsThere) {
  const auto field = geometry_of(make_field(21, 17, 1.0, 1.0, test::rough));
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Isometry3d pose = test::random_pose(random, 0.8, 0.0, 0.3);
    const Eigen::Isometry3d moved = test::random_pose(random, 5.0, -3.0, 3.0);
    PointBuffer here;
    PointBuffer there;
    collide_box_surface(box, placement_of(pose), field, {}, 0.05, here);
    collide_box_surface(box, placement_of(moved * pose), field, placement_of(moved), 0.05, there);
    ASSERT_EQ(here.count(), there.count());
    for (int k = 0; k < here.count(); ++k) {
      EXPECT_EQ(here[k].feature, there[k].feature);
      EXPECT_NEAR(here[k].gap, there[k].gap, 1e-12);
      const Eigen::Vector3d point = moved * to_eigen(here[k].point);
      const Eigen::Vector3d normal = moved.linear() * to_eigen(here[k].normal);
      EXPECT_LT((point - to_eigen(there[k].point)).norm(), 1e-11);
      EXPECT_LT((normal - to_eigen(there[k].normal)).norm(), 1e-11);
    }
  }
}

TEST(HeightField, ALargeBoxOnSpikesGivesThirtyTwoPointsAndAllocatesNothing) {
  const auto field = geometry_of(make_field(61, 61, 1.0, 1.0, [](double x, double y) {
    return 0.03 * std::sin(1000.0 * x + 1700.0 * y);
  }));
  const auto slab = geometry_of(ShapeKind::box, {0.8, 0.8, 0.1});
  const test::AllocationCounter counter;
  const auto points = points_of(collide_box_surface, slab, pose_at(0.0, 0.0, 0.12), field, 0.0);
  EXPECT_EQ(counter.count(), 0U);
  EXPECT_EQ(points.count(), max_pair_points);
  test::expect_sound(points, 0.0);
  // The deepest vertex below the slab stays, and the points are spread over all of it.
  double deepest = 0.0;
  const Terrain terrain(make_field(61, 61, 1.0, 1.0, [](double x, double y) {
    return 0.03 * std::sin(1000.0 * x + 1700.0 * y);
  }));
  for (int row = 0; row < 61; ++row) {
    for (int column = 0; column < 61; ++column) {
      const auto v = terrain.vertex(row, column);
      if (std::abs(v.x) < 0.8 && std::abs(v.y) < 0.8) deepest = std::min(deepest, 0.02 - v.z);
    }
  }
  EXPECT_NEAR(test::least_gap(points), deepest, 1e-12);
  std::array<int, 4> quarter{};
  for (int i = 0; i < points.count(); ++i) {
    ++quarter[(points[i].point.x > 0.0 ? 1U : 0U) + (points[i].point.y > 0.0 ? 2U : 0U)];
  }
  for (const int count : quarter) EXPECT_GE(count, 4);
}

}  // namespace
}  // namespace stiction
