/// \file
/// Contact points of simple shapes: known answers, and properties that hold in every pose.

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "support/collision_cases.hpp"

namespace stiction::test::pairs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::uint64_t seed = 20240611;

// ---- known answers ------------------------------------------------------------------------------

Matrix3d turn(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// What one point should be.
struct Expected {
  int feature;
  double gap;
  Vector3d point;
  Vector3d normal;
};

void expect_points(const Case& c, double margin, const std::vector<Expected>& expected,
                   double tolerance = 1e-14) {
  const PointBuffer points = find_points(c, margin);
  ASSERT_EQ(points.count(), static_cast<int>(expected.size()));
  for (int i = 0; i < points.count(); ++i) {
    const Expected& e = expected[static_cast<std::size_t>(i)];
    EXPECT_EQ(points[i].feature, e.feature);
    EXPECT_NEAR(points[i].gap, e.gap, tolerance);
    EXPECT_LT((to_eigen(points[i].point) - e.point).norm(), tolerance) << "point " << i;
    EXPECT_LT((to_eigen(points[i].normal) - e.normal).norm(), tolerance) << "normal " << i;
  }
}

const ShapeGeometry plane = make_shape(ShapeKind::plane, Vector3d::Zero());

TEST(ClosedForms, SphereOverlapsPlane) {
  const Case c{plane, make_shape(ShapeKind::sphere, {0.5, 0, 0}), make_placement({0, 0, 1}),
               make_placement({2, 3, 1.4})};
  expect_points(c, 0.0, {{0, -0.1, {2, 3, 0.95}, {0, 0, 1}}});
}

TEST(ClosedForms, ShapeBeforePlaneTurnsTheNormalRound) {
  const Case c{make_shape(ShapeKind::sphere, {0.5, 0, 0}), plane, make_placement({2, 3, 0.4}),
               make_placement({0, 0, 0})};
  expect_points(c, 0.0, {{0, -0.1, {2, 3, -0.05}, {0, 0, -1}}});
}

TEST(ClosedForms, BoxStandsOnPlaneWithFourCorners) {
  const Case c{plane, make_shape(ShapeKind::box, {1, 2, 0.5}), make_placement({0, 0, 0}),
               make_placement({5, 0, 0.51})};
  expect_points(c, 0.02,
                {{0, 0.01, {4, -2, 0.005}, {0, 0, 1}},
                 {1, 0.01, {6, -2, 0.005}, {0, 0, 1}},
                 {2, 0.01, {4, 2, 0.005}, {0, 0, 1}},
                 {3, 0.01, {6, 2, 0.005}, {0, 0, 1}}});
  EXPECT_EQ(find_points(c, 0.0).count(), 0);
  EXPECT_EQ(find_points(c, 1.02).count(), 8);
}

TEST(ClosedForms, CapsuleLiesOnSlopingPlane) {
  const Matrix3d slope = turn(0.3, Vector3d::UnitY());
  const Case c{
      plane, make_shape(ShapeKind::capsule, {0.1, 0.4, 0}), make_placement({0, 0, 0}, slope),
      make_placement(slope * Vector3d(0, 0, 0.11), slope * turn(M_PI_2, Vector3d::UnitX()))};
  // Its z axis is the slope's -y.
  expect_points(c, 0.02,
                {{0, 0.01, slope * Vector3d(0, 0.4, 0.005), slope * Vector3d::UnitZ()},
                 {1, 0.01, slope * Vector3d(0, -0.4, 0.005), slope * Vector3d::UnitZ()}});
}

TEST(ClosedForms, CylinderStandsOnFourPointsAndLiesOnTwo) {
  Case c{plane, make_shape(ShapeKind::cylinder, {0.1, 0.4, 0}), make_placement({0, 0, 0}),
         make_placement({0, 0, 0.4})};
  expect_points(c, 0.0,
                {{0, 0.0, {0.1, 0, 0}, {0, 0, 1}},
                 {1, 0.0, {0, 0.1, 0}, {0, 0, 1}},
                 {2, 0.0, {-0.1, 0, 0}, {0, 0, 1}},
                 {3, 0.0, {0, -0.1, 0}, {0, 0, 1}}});
  c.at_b = make_placement({0, 0, 0.1}, turn(M_PI_2, Vector3d::UnitX()));
  expect_points(c, 1e-3, {{0, 0.0, {0, 0.4, 0}, {0, 0, 1}}, {4, 0.0, {0, -0.4, 0}, {0, 0, 1}}});
}

TEST(ClosedForms, EllipsoidTouchesPlaneWhereItsTangentSays) {
  const Matrix3d R = turn(0.7, {1, 2, 3});
  const Vector3d radii(0.3, 0.2, 0.1);
  const Vector3d n = R.transpose() * Vector3d::UnitZ();
  const double height = radii.cwiseProduct(n).norm();
  const Vector3d lowest = R * (-radii.cwiseAbs2().cwiseProduct(n) / height);
  const Case c{plane, make_shape(ShapeKind::ellipsoid, radii), make_placement({0, 0, 0}),
               make_placement({1, 1, height - 0.02}, R)};
  expect_points(c, 0.0, {{0, -0.02, Vector3d(1 + lowest.x(), 1 + lowest.y(), -0.01), {0, 0, 1}}});
}

TEST(ClosedForms, SphereInsideBoxLeavesThroughTheNearestFace) {
  const Case c{make_shape(ShapeKind::sphere, {0.1, 0, 0}), make_shape(ShapeKind::box, {1, 2, 3}),
               make_placement({0.1, -1.7, 0.2}), make_placement({0, 0, 0})};
  expect_points(c, 0.0, {{0, -0.4, {0.1, -1.8, 0.2}, {0, 1, 0}}});
}

TEST(ClosedForms, ParallelCapsulesTouchAtBothEndsOfTheLine) {
  const Case c{make_shape(ShapeKind::capsule, {0.1, 0.5, 0}),
               make_shape(ShapeKind::capsule, {0.2, 0.5, 0}), make_placement({0, 0, 0}),
               make_placement({0.31, 0, 0.4})};
  expect_points(c, 0.02,
                {{2, 0.01, {0.105, 0, 0.5}, {1, 0, 0}}, {3, 0.01, {0.105, 0, -0.1}, {1, 0, 0}}});
}

TEST(ClosedForms, CrossedCapsulesTouchOnce) {
  const Case c{make_shape(ShapeKind::capsule, {0.1, 0.5, 0}),
               make_shape(ShapeKind::capsule, {0.2, 0.5, 0}), make_placement({0, 0, 0}),
               make_placement({0.25, 0.2, 0.1}, turn(M_PI_2, Vector3d::UnitX()))};
  expect_points(c, 0.0, {{0, -0.05, {0.075, 0, 0.1}, {1, 0, 0}}});
}

TEST(ClosedForms, CapsuleLyingOverTheRimOfABoxTouchesAtItsEndAndAtTheRim) {
  const Case c{make_shape(ShapeKind::capsule, {0.1, 0.5, 0}), make_shape(ShapeKind::box, {1, 1, 1}),
               make_placement({0.8, 0, 1.09}, turn(M_PI_2, Vector3d::UnitY())),
               make_placement({0, 0, 0})};
  expect_points(c, 0.0,
                {{1, -0.01, {0.3, 0, 0.995}, {0, 0, -1}}, {2, -0.01, {1, 0, 0.995}, {0, 0, -1}}});
}

TEST(ClosedForms, CapsuleAxisInsideBoxLeavesThroughFaceOrPastEdge) {
  Case c{make_shape(ShapeKind::capsule, {0.1, 0.2, 0}), make_shape(ShapeKind::box, {1, 1, 1}),
         make_placement({0.1, 0, 0.9}, turn(M_PI_2, Vector3d::UnitY())), make_placement({0, 0, 0})};
  expect_points(c, 0.0,
                {{1, -0.2, {-0.1, 0, 0.9}, {0, 0, -1}}, {2, -0.2, {0.3, 0, 0.9}, {0, 0, -1}}});
  // A long capsule that cuts off an edge at 45 degrees.
  const Vector3d out = Vector3d(1, 1, 0).normalized();
  c.a = make_shape(ShapeKind::capsule, {0.1, 2.0, 0});
  Matrix3d R;
  R.col(2) = Vector3d(1, -1, 0).normalized();
  R.col(0) = Vector3d::UnitZ();
  R.col(1) = R.col(2).cross(R.col(0));
  c.at_a = make_placement(Vector3d(1, 1, 0.3) - 0.05 * out, R);
  expect_points(c, 0.0, {{0, -0.15, Vector3d(1, 1, 0.3) - 0.075 * out, -out}});
}

TEST(ClosedForms, BoxesOfOneSizeFlushOnEachOtherMeetAtFourCorners) {
  const ShapeGeometry box = make_shape(ShapeKind::box, {0.5, 0.5, 0.5});
  const Case c{box, box, make_placement({0.1, 0.2, 0.3}), make_placement({0.1, 0.2, 1.3})};
  expect_points(c, 1e-3,
                {{0, 0.0, {-0.4, -0.3, 0.8}, {0, 0, 1}},
                 {1, 0.0, {0.6, -0.3, 0.8}, {0, 0, 1}},
                 {2, 0.0, {-0.4, 0.7, 0.8}, {0, 0, 1}},
                 {3, 0.0, {0.6, 0.7, 0.8}, {0, 0, 1}}});
}

TEST(ClosedForms, BoxTurnedByAnEighthOnItsLikeMeetsInAnOctagon) {
  const ShapeGeometry box = make_shape(ShapeKind::box, {1, 1, 1});
  const Case c{box, box, make_placement({0, 0, 0}),
               make_placement({0, 0, 1.99}, turn(M_PI_4, Vector3d::UnitZ()))};
  const PointBuffer points = find_points(c, 0.0);
  ASSERT_EQ(points.count(), 8);
  for (int i = 0; i < 8; ++i) {
    const Vector3d p = to_eigen(points[i].point);
    EXPECT_NEAR(points[i].gap, -0.01, 1e-14);
    EXPECT_NEAR(p.z(), 0.995, 1e-14);
    EXPECT_NEAR(std::max(std::abs(p.x()), std::abs(p.y())), 1.0, 1e-14);
    EXPECT_NEAR(std::min(std::abs(p.x()), std::abs(p.y())), std::sqrt(2.0) - 1.0, 1e-14);
    EXPECT_GE(points[i].feature, 16);
  }
}

TEST(ClosedForms, CrossedPlanksKeepFourPointsAndTheFaceNormalAtAnySmallTilt) {
  const ShapeGeometry plank = make_shape(ShapeKind::box, {0.5, 0.1, 0.05});
  Random random(seed);
  for (const double tilt : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3}) {
    for (int trial = 0; trial < 100; ++trial) {
      const Matrix3d R = turn(tilt, random_direction(random)) * turn(M_PI_2, Vector3d::UnitZ());
      const Case c{plank, plank, make_placement({0, 0, 0}), make_placement({0.01, 0.02, 0.1}, R)};
      const PointBuffer points = find_points(c, 1e-3);
      ASSERT_EQ(points.count(), 4) << "tilt " << tilt << "\n" << describe(c);
      for (int i = 0; i < 4; ++i) {
        const Vector3d p = to_eigen(points[i].point);
        EXPECT_LT((to_eigen(points[i].normal) - Vector3d::UnitZ()).norm(), 2.0 * tilt + 1e-15);
        EXPECT_NEAR(std::abs(p.x() - 0.01), 0.1, 1e-3);
        EXPECT_NEAR(std::abs(p.y()), 0.1, 1e-3);
      }
    }
  }
}

TEST(ClosedForms, CrossedEdgesOfBoxesTouchOnce) {
  // Both stand on an edge, the upper one turned by a quarter.
  const ShapeGeometry box = make_shape(ShapeKind::box, {1, 1, 1});
  for (const double gap : {-0.01, 0.01}) {
    const Case c{
        box, box, make_placement({0, 0, 0}, turn(M_PI_4, Vector3d::UnitX())),
        make_placement({0.2, 0.3, 2.0 * std::sqrt(2.0) + gap}, turn(M_PI_4, Vector3d::UnitY()))};
    const PointBuffer points = find_points(c, 0.02);
    ASSERT_EQ(points.count(), 1);
    EXPECT_NEAR(points[0].gap, gap, 1e-14);
    EXPECT_LT((to_eigen(points[0].normal) - Vector3d::UnitZ()).norm(), 1e-14);
    const Vector3d middle(0.2, 0.0, std::sqrt(2.0) + 0.5 * gap);
    EXPECT_LT((to_eigen(points[0].point) - middle).norm(), 1e-14);
    EXPECT_GE(points[0].feature, 16);
  }
}

TEST(ClosedForms, BoxesApartAtCornersAndEdgesGiveTheTrueDistance) {
  const ShapeGeometry box = make_shape(ShapeKind::box, {1, 1, 1});
  Case c{box, box, make_placement({0, 0, 0}), make_placement({2.1, 2.2, 2.2})};
  expect_points(c, 0.5, {{15, 0.3, {1.05, 1.1, 1.1}, Vector3d(1, 2, 2) / 3.0}});
  // Edges beside each other: both ends of the stretch they share.
  c.at_b = make_placement({2.3, 2.4, 0.5});
  expect_points(
      c, 0.6,
      {{0, 0.5, {1.15, 1.2, -0.5}, {0.6, 0.8, 0}}, {15, 0.5, {1.15, 1.2, 1}, {0.6, 0.8, 0}}});
  EXPECT_EQ(find_points(c, 0.49).count(), 0);
  // A corner of b beside an edge of a.
  const Matrix3d R = turn(0.4, {1, 1, 1}) * turn(0.3, Vector3d::UnitX());
  c.at_b = make_placement({0, 0, 0}, R);
  int lowest = 0;
  Vector3d corner = Vector3d::Zero();
  for (int m = 0; m < 8; ++m) {
    const Vector3d x = R * Vector3d(m & 1 ? 1 : -1, m & 2 ? 1 : -1, m & 4 ? 1 : -1);
    if (x.dot(Vector3d(3, 4, 0)) >= corner.dot(Vector3d(3, 4, 0))) continue;
    lowest = m;
    corner = x;
  }
  c.at_b = make_placement(Vector3d(1.03, 1.04, 0.3) - corner, R);
  expect_points(c, 0.1, {{lowest, 0.05, {1.015, 1.02, 0.3}, {0.6, 0.8, 0}}}, 1e-13);
}

// ---- what holds in every pose -------------------------------------------------------------------

struct Kinds {
  ShapeKind a;
  ShapeKind b;
};

constexpr std::array solid_pairs{
    Kinds{ShapeKind::sphere, ShapeKind::sphere}, Kinds{ShapeKind::sphere, ShapeKind::capsule},
    Kinds{ShapeKind::sphere, ShapeKind::box},    Kinds{ShapeKind::capsule, ShapeKind::capsule},
    Kinds{ShapeKind::capsule, ShapeKind::box},   Kinds{ShapeKind::box, ShapeKind::box},
};

constexpr std::array plane_pairs{
    Kinds{ShapeKind::plane, ShapeKind::sphere}, Kinds{ShapeKind::plane, ShapeKind::capsule},
    Kinds{ShapeKind::plane, ShapeKind::box}, Kinds{ShapeKind::plane, ShapeKind::cylinder},
    Kinds{ShapeKind::plane, ShapeKind::ellipsoid}};

/// Boxes that lie almost flat on each other use the face's normal, not that of the edges, up to
/// 0.02 rad: along it the gap is larger by at most 0.02²/2 of itself.
double flatness(const Case& c, double gap) {
  const bool boxes = c.a.kind == ShapeKind::box && c.b.kind == ShapeKind::box;
  return 1e-12 * c.size() + (boxes ? 1e-8 * c.size() + 3e-4 * std::abs(gap) : 0.0);
}

/// Calls `check(case, points, deepest)` for random poses of all pairs whose gap is within 0.1.
template <class Check>
void for_random_cases(const auto& pairs, int trials, const Check& check) {
  for (const Kinds& kinds : pairs) {
    Random random(seed);
    int touching = 0;
    for (int trial = 0; trial < trials; ++trial) {
      Case c = random_case(kinds.a, kinds.b, trial % 2 == 1, random);
      if (kinds.a == ShapeKind::plane) {
        const Vector3d n = to_eigen(c.at_a.rotation).col(2);
        const double height = random.uniform(-1.0, 1.2) * c.b.radius;
        c.at_b.position = from_eigen(Vector3d(to_eigen(c.at_a.position) + height * n));
      }
      const PointBuffer points = find_points(c, 0.1);
      if (points.count() == 0) continue;
      ++touching;
      check(c, points, deepest(points), random);
      if (::testing::Test::HasFailure()) {
        FAIL() << "seed " << seed << " trial " << trial << "\n" << describe(c);
      }
    }
    EXPECT_GT(touching, trials / 4) << to_string(kinds.a) << " " << to_string(kinds.b);
  }
}

/// All pairs.
template <class Check>
void for_all_cases(int trials, const Check& check) {
  for_random_cases(solid_pairs, trials, check);
  if (!::testing::Test::HasFailure()) for_random_cases(plane_pairs, trials, check);
}

TEST(ClosedFormsRandom, PointsAreFewOrderedFiniteAndOnBothSurfaces) {
  for_all_cases(5000, [](const Case& c, const PointBuffer& points, int, Random&) {
    ASSERT_LE(points.count(), max_convex_points);
    for (int i = 0; i < points.count(); ++i) {
      const Vector3d n = to_eigen(points[i].normal);
      ASSERT_TRUE(std::isfinite(points[i].gap));
      ASSERT_TRUE(to_eigen(points[i].point).allFinite());
      ASSERT_NEAR(n.norm(), 1.0, 1e-14);
      ASSERT_LE(points[i].gap, 0.1);
      if (i > 0) {
        ASSERT_GT(points[i].feature, points[i - 1].feature);
      }
      // No surface point can lie beyond what its shape reaches along the normal.
      const Vector3d p = to_eigen(points[i].point);
      const double slack = 1e-7 * c.size();
      const double on_b = n.dot(p) + 0.5 * points[i].gap;
      ASSERT_GE(on_b, -support(c.b, c.at_b, -n) - slack);
      if (c.a.kind == ShapeKind::plane) continue;
      ASSERT_LE(n.dot(p) - 0.5 * points[i].gap, support(c.a, c.at_a, n) + slack);
    }
  });
}

TEST(ClosedFormsRandom, NoDirectionSeparatesFurtherThanTheGap) {
  for_random_cases(solid_pairs, 4000,
                   [](const Case& c, const PointBuffer& points, int i, Random& random) {
                     const double gap = points[i].gap;
                     const double searched = searched_gap(c, to_eigen(points[i].normal), random);
                     ASSERT_LE(searched, gap + flatness(c, gap));
                   });
}

TEST(ClosedFormsRandom, TheNormalSeparatesByTheGap) {
  int flat = 0;
  int all = 0;
  for_random_cases(solid_pairs, 10000,
                   [&](const Case& c, const PointBuffer& points, int i, Random&) {
                     ++all;
                     const double along = separation(c, to_eigen(points[i].normal));
                     if (std::abs(along - points[i].gap) <= 1e-8 * c.size()) return;
                     // Only boxes lying almost flat: a face reaches further beside the part that
                     // both share.
                     ASSERT_EQ(c.a.kind, ShapeKind::box);
                     ASSERT_LT(along, points[i].gap);
                     ASSERT_GT(along, points[i].gap - 0.05 * c.size());
                     ++flat;
                   });
  EXPECT_LT(flat, all / 50);
}

TEST(ClosedFormsRandom, PlaneGapIsTheLowestPointsHeight) {
  for_random_cases(
      plane_pairs, 10000, [](const Case& c, const PointBuffer& points, int i, Random&) {
        const Vector3d n = to_eigen(c.at_a.rotation).col(2);
        const double lowest = -support(c.b, c.at_b, -n) - n.dot(to_eigen(c.at_a.position));
        ASSERT_NEAR(points[i].gap, lowest, 2e-10 * c.size());
        ASSERT_EQ(to_eigen(points[i].normal), n);
      });
}

TEST(ClosedFormsRandom, SwappedShapesMirror) {
  for_all_cases(5000, [](const Case& c, const PointBuffer& points, int i, Random&) {
    const Case swapped{c.b, c.a, c.at_b, c.at_a};
    const PointBuffer other = find_points(swapped, 0.1);
    const int k = deepest(other);
    ASSERT_GE(k, 0);
    ASSERT_NEAR(other[k].gap, points[i].gap, flatness(c, points[i].gap));
    if (c.a.kind == c.b.kind) return;
    ASSERT_EQ(other.count(), points.count());
    for (int m = 0; m < points.count(); ++m) {
      ASSERT_EQ(other[m].gap, points[m].gap);
      ASSERT_EQ(to_eigen(other[m].point), to_eigen(points[m].point));
      ASSERT_EQ(to_eigen(other[m].normal), to_eigen(-points[m].normal));
      ASSERT_EQ(other[m].feature, points[m].feature);
    }
  });
}

TEST(ClosedFormsRandom, SwappedShapesOfOneKindMirrorInGeneralPoses) {
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box}) {
    Random random(seed);
    for (int trial = 0; trial < 10000; ++trial) {
      const Case c = random_case(kind, kind, false, random);
      const PointBuffer points = find_points(c, 0.1);
      const PointBuffer other = find_points({c.b, c.a, c.at_b, c.at_a}, 0.1);
      const int i = deepest(points);
      const int k = deepest(other);
      ASSERT_EQ(i < 0, k < 0) << describe(c);
      if (i < 0) continue;
      ASSERT_NEAR(other[k].gap, points[i].gap, flatness(c, points[i].gap)) << describe(c);
      // A normal within 0.02 rad of a face of each box may be either.
      const double angle = (to_eigen(other[k].normal) + to_eigen(points[i].normal)).norm();
      ASSERT_LT(angle, kind == ShapeKind::box ? 0.04 : 1e-6) << trial << "\n" << describe(c);
    }
  }
}

TEST(ClosedFormsRandom, RigidMotionOfBothMovesThePointsAlong) {
  for_all_cases(5000, [](const Case& c, const PointBuffer& points, int i, Random& random) {
    Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
    motion.linear() = random_rotation(random);
    motion.translation() = random.uniform(0.0, 2.0) * random_direction(random);
    const Case other{c.a, c.b, moved(motion, c.at_a), moved(motion, c.at_b)};
    const PointBuffer there = find_points(other, 0.1);
    const int k = deepest(there);
    const double slack = flatness(c, points[i].gap) + 1e-12;
    ASSERT_NEAR(k < 0 ? 0.1 : there[k].gap, points[i].gap, slack);
  });
}

TEST(ClosedFormsRandom, MovingTheSecondShapeByTheGapMakesThemTouch) {
  for_all_cases(5000, [](const Case& c, const PointBuffer& points, int i, Random&) {
    Case touching = c;
    touching.at_b.position = multiply_subtract(points[i].gap, points[i].normal, c.at_b.position);
    const PointBuffer there = find_points(touching, 0.1);
    const int k = deepest(there);
    ASSERT_GE(k, 0);
    ASSERT_NEAR(there[k].gap, 0.0, 10.0 * flatness(c, points[i].gap) + 3e-10 * c.size());
  });
}

TEST(ClosedFormsRandom, TheGapChangesNoMoreThanTheShapesMove) {
  for_all_cases(5000, [](const Case& c, const PointBuffer& points, int i, Random& random) {
    const double step = std::pow(10.0, random.uniform(-12.0, -3.0));
    Case later = c;
    later.at_b.position =
        from_eigen(Vector3d(to_eigen(c.at_b.position) + step * random_direction(random)));
    later.at_b.rotation =
        from_eigen(Matrix3d(turn(step, random_direction(random)) * to_eigen(c.at_b.rotation)));
    const PointBuffer there = find_points(later, 0.1);
    const int k = deepest(there);
    const double slack = 2.0 * flatness(c, points[i].gap) + 1e-9 * c.size();
    const double gap = k < 0 ? 0.1 : there[k].gap;
    ASSERT_LE(std::abs(gap - points[i].gap), step * (1.0 + c.b.radius) + slack);
  });
}

TEST(ClosedFormsRandom, PointsOfRestingBoxesKeepTheirFeatures) {
  Random random(seed);
  for (int trial = 0; trial < 2000; ++trial) {
    Case c{random_shape(ShapeKind::box, random), random_shape(ShapeKind::box, random), {}, {}};
    const Matrix3d heading = turn(random.uniform(0.1, 1.4), Vector3d::UnitZ());
    const Vector3d above(random.uniform(-0.5, 0.5) * c.a.size.x,
                         random.uniform(-0.5, 0.5) * c.a.size.y, c.a.size.z + c.b.size.z);
    c.at_b = make_placement(above, heading);
    const PointBuffer first = find_points(c, 1e-4);
    ASSERT_GE(first.count(), 3);
    c.at_b = make_placement(above + 1e-7 * random_direction(random),
                            turn(1e-7, random_direction(random)) * heading);
    const PointBuffer then = find_points(c, 1e-4);
    ASSERT_EQ(then.count(), first.count()) << describe(c);
    for (int i = 0; i < first.count(); ++i) {
      ASSERT_EQ(then[i].feature, first[i].feature) << describe(c);
      ASSERT_LT((to_eigen(then[i].point) - to_eigen(first[i].point)).norm(), 1e-5);
    }
  }
}

// ---- degenerate input ---------------------------------------------------------------------------

TEST(ClosedFormsDegenerate, CoincidentShapesHaveAUnitNormalAndTheFullOverlap) {
  for (const Kinds& kinds : solid_pairs) {
    const Vector3d size(0.1, 0.2, 0.3);
    Case c{make_shape(kinds.a, size), make_shape(kinds.b, size), make_placement({1, 2, 3}),
           make_placement({1, 2, 3})};
    for (const double angle : {0.0, M_PI_2, 0.3}) {
      c.at_b.rotation = from_eigen(turn(angle, Vector3d::UnitX()));
      const PointBuffer points = find_points(c, 0.0);
      const int i = deepest(points);
      ASSERT_GE(i, 0) << describe(c);
      ASSERT_NEAR(to_eigen(points[i].normal).norm(), 1.0, 1e-14) << describe(c);
      EXPECT_NEAR(separation(c, to_eigen(points[i].normal)), points[i].gap, 1e-14) << describe(c);
      Random random(seed);
      EXPECT_LE(searched_gap(c, to_eigen(points[i].normal), random), points[i].gap + 1e-14)
          << describe(c);
    }
  }
}

TEST(ClosedFormsDegenerate, CapsulesWithoutLengthAreSpheres) {
  Random random(seed);
  for (const ShapeKind kind :
       {ShapeKind::plane, ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box}) {
    for (int trial = 0; trial < 500; ++trial) {
      Case c = random_case(ShapeKind::capsule, kind, false, random);
      c.a.size.y = 0.0;
      Case ball = c;
      ball.a = make_shape(ShapeKind::sphere, to_eigen(c.a.size));
      const PointBuffer points = find_points(c, 0.1);
      const PointBuffer expected = find_points(ball, 0.1);
      ASSERT_EQ(points.count(), expected.count());
      if (points.count() == 0) continue;
      EXPECT_NEAR(points[0].gap, expected[0].gap, 1e-14);
      EXPECT_LT((to_eigen(points[0].normal) - to_eigen(expected[0].normal)).norm(), 1e-13);
    }
  }
}

TEST(ClosedFormsDegenerate, AllOrdersOfSimpleShapesHaveAFunction) {
  constexpr std::array kinds{ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule,
                             ShapeKind::plane};
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      const bool planes = a == ShapeKind::plane && b == ShapeKind::plane;
      const Vector3d size(1, 1, 1);
      EXPECT_EQ(narrow_function(make_shape(a, size), make_shape(b, size)) == nullptr, planes);
    }
  }
}

}  // namespace
}  // namespace stiction::test::pairs
