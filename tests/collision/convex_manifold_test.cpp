/// \file
/// The points of general convex pairs: how many, where, and under which numbers.

#include <gtest/gtest.h>
#include <set>

#include "stiction/collision/convex_pairs.hpp"
#include "stiction/collision/manifold.hpp"
#include "tests/support/convex_shapes.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "tests/support/allocation_counter.hpp"

namespace stiction::test {
namespace {

const Placement at_origin;

PointBuffer points_of(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                      const Placement& at_b, double margin) {
  PointBuffer points;
  collide_convex(a, at_a, b, at_b, margin, points);
  return points;
}

Placement standing_at(double x, double y, double z) { return {identity3<double>(), {x, y, z}}; }

/// The shape's z axis along world x.
Placement lying_at(double x, double y, double z) {
  return {{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}, {x, y, z}};
}

/// A small turn about a horizontal axis.
Placement tilted(const Placement& at, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {Matrix3<double>{{c, 0.0, -s}, {0.0, 1.0, 0.0}, {s, 0.0, c}} * at.rotation, at.position};
}

double deepest(const PointBuffer& points) {
  double gap = 1e9;
  for (int i = 0; i < points.count(); ++i) gap = std::min(gap, points[i].gap);
  return gap;
}

const ShapeGeometry table = make_shape(ShapeKind::box, {2.0, 2.0, 0.5});  // its top at 0.5

TEST(ConvexManifold, CylinderStandsOnItsRimAndLiesOnALine) {
  const ShapeGeometry can = make_shape(ShapeKind::cylinder, {0.3, 0.4, 0.0});
  for (const double gap : {1e-3, 0.0, -1e-12, -1e-3}) {
    const PointBuffer stands =
        points_of(table, at_origin, can, standing_at(0.2, 0.1, 0.9 + gap), 0.01);
    ASSERT_EQ(stands.count(), 8) << gap;
    for (int i = 0; i < 8; ++i) {
      EXPECT_NEAR(stands[i].gap, gap, 1e-12);
      EXPECT_NEAR(std::hypot(stands[i].point.x - 0.2, stands[i].point.y - 0.1), 0.3, 1e-12);
      EXPECT_NEAR(stands[i].normal.z, 1.0, 1e-12);
    }
    const PointBuffer lies = points_of(table, at_origin, can, lying_at(0.2, 0.1, 0.8 + gap), 0.01);
    ASSERT_EQ(lies.count(), 2) << gap;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(lies[i].gap, gap, 1e-12);
      EXPECT_NEAR(lies[i].point.x, 0.2 + (i == 0 ? -0.4 : 0.4), 1e-9);
      EXPECT_NEAR(lies[i].point.y, 0.1, 1e-9);
    }
  }
}

TEST(ConvexManifold, TiltedCylinderTouchesWithTheLowestPointOfItsRim) {
  const ShapeGeometry can = make_shape(ShapeKind::cylinder, {0.3, 0.4, 0.0});
  for (const double angle : {1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5}) {
    Placement at = tilted(standing_at(0.0, 0.0, 0.0), angle);
    // A third of the way between two corners of the rim's polygon.
    const double turn = M_PI / 12.0;
    const double c = std::cos(turn);
    const double s = std::sin(turn);
    at.rotation = at.rotation * Matrix3<double>{{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}};
    at.position.z = 0.5 + 0.3 * std::sin(angle) + 0.4 * std::cos(angle) - 1e-4;
    const PointBuffer points = points_of(table, at_origin, can, at, 1e-3);
    EXPECT_NEAR(deepest(points), -1e-4, 1e-8) << angle;
    EXPECT_NEAR(points[0].normal.z, 1.0, 1e-9) << angle;
  }
}

TEST(ConvexManifold, RoundShapesTouchOnceAndCapsulesTwice) {
  const ShapeGeometry egg = make_shape(ShapeKind::ellipsoid, {0.3, 0.2, 0.4});
  const PointBuffer one = points_of(table, at_origin, egg, standing_at(0.1, 0.2, 0.9), 0.01);
  ASSERT_EQ(one.count(), 1);
  EXPECT_NEAR(one[0].gap, 0.0, 1e-12);
  EXPECT_NEAR(one[0].point.x, 0.1, 1e-9);
  EXPECT_NEAR(one[0].point.y, 0.2, 1e-9);
  EXPECT_NEAR(one[0].point.z, 0.5, 1e-12);
  const ShapeGeometry pill = make_shape(ShapeKind::capsule, {0.1, 0.3, 0.0});
  const ShapeGeometry block = make_box_hull({2.0, 2.0, 0.5});
  const ShapeGeometry drum = make_shape(ShapeKind::cylinder, {1.0, 0.5, 0.0});
  for (const ShapeGeometry& floor : {block, drum}) {
    const PointBuffer two = points_of(floor, at_origin, pill, lying_at(0.1, 0.2, 0.599), 0.01);
    ASSERT_EQ(two.count(), 2);
    EXPECT_NEAR(two[0].gap, -1e-3, 1e-12);
    EXPECT_NEAR(two[1].gap, -1e-3, 1e-12);
    EXPECT_NEAR(two[0].point.z, 0.4995, 1e-12);
    EXPECT_NEAR(std::fabs(two[0].point.x - two[1].point.x), 0.6, 1e-9);
  }
}

TEST(ConvexManifold, ParallelCylindersShareALine) {
  const ShapeGeometry a = make_shape(ShapeKind::cylinder, {0.2, 1.0, 0.0});
  const ShapeGeometry b = make_shape(ShapeKind::cylinder, {0.3, 0.5, 0.0});
  const PointBuffer shared =
      points_of(a, lying_at(0.0, 0.0, 0.0), b, lying_at(0.8, 0.0, 0.5), 0.01);
  ASSERT_EQ(shared.count(), 2);
  double low = 1e9;
  double high = -1e9;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(shared[i].gap, 0.0, 1e-12);
    EXPECT_NEAR(shared[i].point.z, 0.2, 1e-9);
    low = std::min(low, shared[i].point.x);
    high = std::max(high, shared[i].point.x);
  }
  EXPECT_NEAR(low, 0.3, 1e-9);
  EXPECT_NEAR(high, 1.0, 1e-9);
  // Crossed ones touch once, above each other.
  Placement across = lying_at(0.1, 0.2, 0.4999);
  across.rotation =
      Matrix3<double>{{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}} * across.rotation;
  const PointBuffer once = points_of(a, lying_at(0.0, 0.0, 0.0), b, across, 0.01);
  ASSERT_EQ(once.count(), 1);
  EXPECT_NEAR(once[0].gap, -1e-4, 1e-12);
  EXPECT_NEAR(once[0].point.x, 0.1, 1e-9);
  EXPECT_NEAR(once[0].point.y, 0.0, 1e-9);
}

/// Turns the hull so that the face lies at z = height.
Placement resting(const ConvexHull& hull, const ConvexHull::Face& face, double height) {
  const Eigen::Quaterniond turn =
      Eigen::Quaterniond::FromTwoVectors(to_eigen(face.normal), Eigen::Vector3d(0.0, 0.0, -1.0));
  Placement at;
  at.rotation = from_eigen(Eigen::Matrix3d(turn.toRotationMatrix()));
  const auto corner = hull.vertices()[static_cast<std::size_t>(hull.corners(face)[0])];
  at.position.z = height - (at.rotation * corner).z;
  return at;
}

TEST(ConvexManifold, HullRestsOnItsWholeFace) {
  const std::uint64_t seed = 31;
  Random random(seed);
  int faces = 0;
  for (int i = 0; i < 60; ++i) {
    const ShapeGeometry hull =
        i % 5 == 0 ? make_box_hull({0.2, 0.3, 0.4}) : random_hull(random, 8 + random.index(20));
    for (const ConvexHull::Face& face : hull.hull->faces()) {
      if (face.count > max_convex_points) continue;
      for (const double gap : {1e-4, 0.0, -1e-9, -1e-6}) {
        const Placement at = resting(*hull.hull, face, 0.5 + gap);
        const PointBuffer points = points_of(table, at_origin, hull, at, 1e-3);
        // Each corner of the face is among the points, at the height of the gap.
        for (const int corner : hull.hull->corners(face)) {
          const Vector3<double> p = multiply_add(
              at.rotation, hull.hull->vertices()[static_cast<std::size_t>(corner)], at.position);
          double nearest = 1e9;
          for (int k = 0; k < points.count(); ++k) {
            nearest =
                std::min(nearest, std::hypot(points[k].point.x - p.x, points[k].point.y - p.y));
            EXPECT_NEAR(points[k].gap, gap, 1e-9);
            EXPECT_NEAR(points[k].normal.z, 1.0, 1e-9);
          }
          EXPECT_LT(nearest, 1e-6) << "seed " << seed << " case " << i << " gap " << gap;
        }
        EXPECT_EQ(points.count(), face.count) << "seed " << seed << " case " << i << " gap " << gap;
        ++faces;
      }
    }
  }
  EXPECT_GT(faces, 1000);
}

TEST(ConvexManifold, OverhangingFaceIsCutAtTheEdge) {
  const ShapeGeometry hull = make_box_hull({0.5, 0.5, 0.5});
  const PointBuffer points = points_of(table, at_origin, hull, standing_at(1.8, 1.9, 1.0), 0.01);
  ASSERT_EQ(points.count(), 4);
  double area_x = 0.0;
  for (int i = 0; i < 4; ++i) area_x = std::max(area_x, points[i].point.x);
  EXPECT_NEAR(area_x, 2.0, 1e-12);
}

TEST(ConvexManifold, EveryPointLiesBetweenBothSurfaces) {
  const std::uint64_t seed = 32;
  Random random(seed);
  const ShapeGeometry dot_shape = make_shape(ShapeKind::sphere, {0.0, 0.0, 0.0});
  int many = 0;
  for (const ShapeKind first : convex_kinds) {
    for (const ShapeKind second : convex_kinds) {
      for (int i = 0; i < 200; ++i) {
        const ShapeGeometry a = random_shape(random, first);
        const ShapeGeometry b = random_shape(random, second);
        const Placement at_a = random_placement(random, 0.5);
        Placement at_b =
            i % 2 == 0 ? random_placement(random, 2.0) : Placement{at_a.rotation, {0.4, 0.1, 0.2}};
        Vector3<double> n;
        const double gap = convex_gap(a, at_a, b, at_b, 1e9, n);
        at_b.position += (1e-3 - gap) * n;
        const PointBuffer points = points_of(a, at_a, b, at_b, 0.05);
        many += points.count() > 1;
        Vector3<double> m;
        const double now = convex_gap(a, at_a, b, at_b, 1e9, m);
        // 1e-9 scales is what a point may be less deep than the deepest.
        EXPECT_NEAR(deepest(points), now, 1e-8) << to_string(first) << ", " << to_string(second);
        if (now < 0.0) continue;
        for (int k = 0; k < points.count(); ++k) {
          const auto& p = points[k];
          EXPECT_LE(p.gap, 0.05);
          EXPECT_GE(p.gap, now - 1e-12);
          for (const bool of_b : {false, true}) {
            const Placement at = {identity3<double>(),
                                  p.point + (of_b ? 0.5 : -0.5) * p.gap * p.normal};
            const double off = of_b ? convex_gap(dot_shape, at, b, at_b, 1e9, m)
                                    : convex_gap(dot_shape, at, a, at_a, 1e9, m);
            EXPECT_NEAR(off, 0.0, 1e-8)
                << to_string(first) << ", " << to_string(second) << " seed " << seed << " case "
                << i << " point " << k << " of " << points.count() << (of_b ? " b" : " a");
          }
        }
      }
    }
  }
  EXPECT_GT(many, 50);
}

TEST(ConvexManifold, FeaturesAscendAndStayWithTheirPoints) {
  const std::uint64_t seed = 33;
  Random random(seed);
  for (int i = 0; i < 100; ++i) {
    const ShapeGeometry hull = i % 2 == 0 ? random_hull(random, 8 + random.index(30))
                                          : make_shape(ShapeKind::cylinder, {0.3, 0.2, 0.0});
    Placement at = standing_at(1.9, 0.3, 0.7);
    if (hull.hull) at = resting(*hull.hull, hull.hull->faces()[0], 0.5);
    at.position.x = 1.9;
    const PointBuffer before = points_of(table, at_origin, hull, at, 1e-3);
    // As far as a body at rest moves within a step.
    at = tilted(at, random.uniform(-1e-10, 1e-10));
    at.position += from_eigen(Eigen::Vector3d(1e-10 * random_direction(random)));
    const PointBuffer after = points_of(table, at_origin, hull, at, 1e-3);
    ASSERT_EQ(before.count(), after.count()) << "seed " << seed << " case " << i;
    for (int k = 0; k < before.count(); ++k) {
      EXPECT_EQ(before[k].feature, after[k].feature) << "seed " << seed << " case " << i;
      EXPECT_LT(norm(before[k].point - after[k].point), 1e-6);
      if (k > 0) {
        EXPECT_LT(before[k - 1].feature, before[k].feature);
      }
    }
  }
}

TEST(ConvexManifold, SameBitsEachTimeAndNothingAllocated) {
  Random random(34);
  for (int i = 0; i < 200; ++i) {
    const ShapeGeometry a = random_shape(random, convex_kinds[i % 6]);
    const ShapeGeometry b = random_shape(random, convex_kinds[3 + (i / 6) % 3]);
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 1.0);
    PointBuffer first;
    PointBuffer second;
    collide_convex(a, at_a, b, at_b, 0.1, first);
    const AllocationCounter counter;
    collide_convex(a, at_a, b, at_b, 0.1, second);
    EXPECT_EQ(counter.count(), 0U);
    ASSERT_EQ(first.count(), second.count());
    for (int k = 0; k < first.count(); ++k) {
      EXPECT_EQ(first[k].gap, second[k].gap);
      EXPECT_EQ(norm(first[k].point - second[k].point), 0.0);
      EXPECT_EQ(norm(first[k].normal - second[k].normal), 0.0);
      EXPECT_EQ(first[k].feature, second[k].feature);
    }
  }
}

TEST(PlaneHull, EveryLowVertexOrEightThatSpread) {
  const ShapeGeometry plane = make_shape(ShapeKind::plane, {});
  const ShapeGeometry box = make_box_hull({0.2, 0.3, 0.4});
  PointBuffer points;
  collide_plane_hull(plane, at_origin, box, standing_at(0.0, 0.0, 0.3999), 1e-3, points);
  ASSERT_EQ(points.count(), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(points[i].gap, -1e-4, 1e-12);
    EXPECT_NEAR(points[i].point.z, -0.5e-4, 1e-12);
    EXPECT_EQ(points[i].normal.z, 1.0);
  }
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 80; ++i) {
    const double angle = 2.0 * M_PI * (i % 40) / 40;
    corners.emplace_back(std::cos(angle), std::sin(angle), i < 40 ? 0.1 : -0.1);
  }
  const ShapeGeometry drum = make_hull(corners);
  points.clear();
  collide_plane_hull(plane, at_origin, drum, standing_at(0.0, 0.0, 0.1), 1e-3, points);
  ASSERT_EQ(points.count(), 8);
  std::set<int> octants;
  for (int i = 0; i < 8; ++i) {
    octants.insert(static_cast<int>(std::floor(
        (std::atan2(points[i].point.y, points[i].point.x) + M_PI + 0.01) / (M_PI / 2.0))));
    if (i > 0) {
      EXPECT_LT(points[i - 1].feature, points[i].feature);
    }
  }
  EXPECT_GE(octants.size(), 4U);
  // The deepest is there, wherever it is.
  Random random(35);
  for (int i = 0; i < 100; ++i) {
    Placement at = random_placement(random, 0.0);
    double lowest = 1e9;
    for (const auto& v : drum.hull->vertices()) lowest = std::min(lowest, (at.rotation * v).z);
    at.position.z = -lowest - 1e-5;
    points.clear();
    collide_plane_hull(plane, at_origin, drum, at, 0.5, points);
    EXPECT_NEAR(deepest(points), -1e-5, 1e-12);
    EXPECT_LE(points.count(), 8);
  }
}

}  // namespace
}  // namespace stiction::test
