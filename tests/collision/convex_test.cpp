/// \file
/// Gaps and normals of general convex pairs.

#include <gtest/gtest.h>

#include "stiction/collision/convex_pairs.hpp"
#include "tests/support/polytope_oracle.hpp"

namespace stiction::test {
namespace {

constexpr double far = 1e9;

double gap_of(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
              const Placement& at_b, Vector3<double>* normal = nullptr) {
  Vector3<double> n;
  const double gap = convex_gap(a, at_a, b, at_b, far, n);
  if (normal != nullptr) *normal = n;
  return gap;
}

Placement moved(const Placement& at, const Vector3<double>& by) {
  return {at.rotation, at.position + by};
}

TEST(ConvexGap, PolytopesAgreeWithEveryPairOfFeatures) {
  const std::uint64_t seed = 11;
  Random random(seed);
  int overlapping = 0;
  for (int i = 0; i < 1500; ++i) {
    const ShapeGeometry a = random_hull(random, 5 + random.index(12));
    const ShapeGeometry b =
        i % 3 == 0 ? make_box_hull({0.3, 0.4, 0.6}) : random_hull(random, 5 + random.index(12));
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 2.0);
    const double expected = brute_force_gap({*a.hull, at_a}, {*b.hull, at_b});
    overlapping += expected < 0.0;
    // 1e-12: rounding of a few hundred operations on lengths of 1 m.
    EXPECT_NEAR(gap_of(a, at_a, b, at_b), expected, 1e-12) << "seed " << seed << " case " << i;
  }
  EXPECT_GT(overlapping, 300);
}

TEST(ConvexGap, TouchingPolytopesAgreeToo) {
  // At rest gaps are at rounding: the direction between the nearest points says nothing there.
  const std::uint64_t seed = 12;
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    const ShapeGeometry a = random_hull(random, 6 + random.index(12));
    const ShapeGeometry b = random_hull(random, 6 + random.index(12));
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 2.0);
    Vector3<double> n;
    const double gap = gap_of(a, at_a, b, at_b, &n);
    for (const double target : {1e-7, 1e-10, 1e-13, 0.0, -1e-13, -1e-10, -1e-7}) {
      Vector3<double> m;
      const Placement at_c = moved(at_b, (target - gap) * n);
      const double found = gap_of(a, at_a, b, at_c, &m);
      const WorldPolytope world_a(*a.hull, at_a);
      const WorldPolytope world_b(*b.hull, at_c);
      EXPECT_NEAR(found, brute_force_gap(world_a, world_b), 1e-12)
          << "seed " << seed << " case " << i << " target " << target;
      EXPECT_NEAR(found, separation(world_a, world_b, to_eigen(m)), 1e-12)
          << "seed " << seed << " case " << i << " target " << target;
    }
  }
}

TEST(ConvexGap, HullOfABoxIsABox) {
  Random random(13);
  for (int i = 0; i < 300; ++i) {
    const Vector3<double> half{random.uniform(0.1, 1.0), random.uniform(0.1, 1.0),
                               random.uniform(0.1, 1.0)};
    const ShapeGeometry other = random_shape(random, convex_kinds[i % 6]);
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 2.0);
    EXPECT_NEAR(gap_of(make_box_hull(half), at_a, other, at_b),
                gap_of(make_shape(ShapeKind::box, half), at_a, other, at_b), 1e-12)
        << "case " << i;
  }
}

TEST(ConvexGap, EqualRadiiMakeASphere) {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const double r = random.uniform(0.1, 1.0);
    const ShapeGeometry ball = make_shape(ShapeKind::sphere, {r, 0.0, 0.0});
    const ShapeGeometry ellipsoid = make_shape(ShapeKind::ellipsoid, {r, r, r});
    const ShapeGeometry other = random_shape(random, convex_kinds[i % 6]);
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 2.0);
    Vector3<double> n;
    Vector3<double> m;
    EXPECT_NEAR(gap_of(ellipsoid, at_a, other, at_b, &n), gap_of(ball, at_a, other, at_b, &m),
                1e-12)
        << "case " << i;
    EXPECT_LT(norm(n - m), 1e-7) << "case " << i;
    if (other.kind == ShapeKind::sphere) {
      EXPECT_NEAR(gap_of(ellipsoid, at_a, other, at_b),
                  norm(at_b.position - at_a.position) - r - other.size.x, 1e-12);
    }
  }
}

/// Signed distance of a point from a cylinder about z.
double point_cylinder(const Vector3<double>& p, double radius, double half) {
  const double side = std::hypot(p.x, p.y) - radius;
  const double cap = std::fabs(p.z) - half;
  return side > 0.0 && cap > 0.0 ? std::hypot(side, cap) : std::max(side, cap);
}

TEST(ConvexGap, SphereAndCylinderAreAnalytic) {
  Random random(15);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const ShapeGeometry ball = make_shape(ShapeKind::sphere, {random.uniform(0.05, 0.5), 0.0, 0.0});
    const ShapeGeometry cylinder = random_shape(random, ShapeKind::cylinder);
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 1.5);
    const Vector3<double> p = transpose_times(at_b.rotation, at_a.position - at_b.position);
    const double center = point_cylinder(p, cylinder.size.x, cylinder.size.y);
    inside += center < 0.0;
    EXPECT_NEAR(gap_of(ball, at_a, cylinder, at_b), center - ball.size.x, 1e-12) << "case " << i;
  }
  EXPECT_GT(inside, 200);
}

TEST(ConvexGap, SwappingAndMovingBothChangesNothing) {
  const std::uint64_t seed = 16;
  Random random(seed);
  for (const ShapeKind first : convex_kinds) {
    for (const ShapeKind second : convex_kinds) {
      for (int i = 0; i < 15; ++i) {
        const ShapeGeometry a = random_shape(random, first);
        const ShapeGeometry b = random_shape(random, second);
        const Placement at_a = random_placement(random, 0.5);
        const Placement at_b = random_placement(random, 2.0);
        const Placement frame = random_placement(random, 10.0);
        Vector3<double> n;
        Vector3<double> m;
        const double gap = gap_of(a, at_a, b, at_b, &n);
        EXPECT_NEAR(gap_of(b, at_b, a, at_a), gap, 1e-11);
        // 1e-13 more for coordinates of 10 m.
        EXPECT_NEAR(gap_of(a, compose(frame, at_a), b, compose(frame, at_b), &m), gap, 1e-11)
            << to_string(first) << ", " << to_string(second) << " seed " << seed;
        if (gap > 1e-3) {
          EXPECT_LT(norm(frame.rotation * n - m), 1e-6);
        }
      }
    }
  }
}

TEST(ConvexGap, ChangesNoFasterThanTheShapesMove) {
  // The gap is a distance, so a shift by d changes it by at most d. A search that ends at a worse
  // direction now and then would jump.
  const std::uint64_t seed = 17;
  Random random(seed);
  for (const ShapeKind first : convex_kinds) {
    for (const ShapeKind second : convex_kinds) {
      for (int path = 0; path < 3; ++path) {
        const ShapeGeometry a = random_shape(random, first);
        const ShapeGeometry b = random_shape(random, second);
        const Placement at_a = random_placement(random, 0.2);
        Placement at_b = random_placement(random, 0.5);
        const Vector3<double> step = from_eigen(Eigen::Vector3d(0.05 * random_direction(random)));
        double before = gap_of(a, at_a, b, at_b);
        for (int i = 0; i < 100; ++i) {
          at_b.position += step;
          const double now = gap_of(a, at_a, b, at_b);
          EXPECT_LE(std::fabs(now - before), norm(step) + 1e-11)
              << to_string(first) << ", " << to_string(second) << " seed " << seed << " step " << i;
          before = now;
        }
        EXPECT_GT(before, 0.0);
      }
    }
  }
}

TEST(ConvexGap, CurvedShapesTouchAsExactlyAsFlatOnes) {
  const std::uint64_t seed = 18;
  Random random(seed);
  for (const ShapeKind first : {ShapeKind::cylinder, ShapeKind::ellipsoid}) {
    for (const ShapeKind second : convex_kinds) {
      for (int i = 0; i < 60; ++i) {
        const ShapeGeometry a = random_shape(random, first);
        const ShapeGeometry b = random_shape(random, second);
        const Placement at_a = random_placement(random, 0.5);
        const Placement at_b = random_placement(random, 2.0);
        Vector3<double> n;
        const double gap = gap_of(a, at_a, b, at_b, &n);
        // Shifted along the normal, nearest points stay nearest as long as they do not overlap.
        if (gap < 0.0) continue;
        Vector3<double> m;
        for (const double target : {1e-3, 1e-6}) {
          EXPECT_NEAR(gap_of(a, at_a, b, moved(at_b, (target - gap) * n), &m), target, 1e-11)
              << to_string(first) << ", " << to_string(second) << " seed " << seed << " case " << i;
          EXPECT_LT(norm(m - n), 1e-6) << to_string(first) << ", " << to_string(second) << " case "
                                       << i << " target " << target;
        }
        // Corners that nearly touch have any normal within their cone, so that is not compared.
        for (const double target : {1e-9, 0.0}) {
          EXPECT_NEAR(gap_of(a, at_a, b, moved(at_b, (target - gap) * n), &m), target, 1e-10)
              << to_string(first) << ", " << to_string(second) << " seed " << seed << " case " << i;
        }
      }
    }
  }
}

TEST(ConvexGap, BeyondTheLimitOnlyThatIsSaid) {
  Random random(19);
  for (int i = 0; i < 200; ++i) {
    const ShapeGeometry a = random_shape(random, convex_kinds[i % 6]);
    const ShapeGeometry b = random_shape(random, convex_kinds[(i / 6) % 6]);
    const Placement at_a = random_placement(random, 0.5);
    const Placement at_b = random_placement(random, 3.0);
    Vector3<double> n;
    const double gap = gap_of(a, at_a, b, at_b);
    const double limited = convex_gap(a, at_a, b, at_b, 0.1, n);
    EXPECT_EQ(gap > 0.1, limited > 0.1);
    EXPECT_LE(limited, gap + 1e-12);
  }
}

TEST(ConvexGap, DegenerateInputGivesFiniteNumbers) {
  std::vector<ShapeGeometry> shapes;
  Random random(20);
  for (const ShapeKind kind : convex_kinds) shapes.push_back(random_shape(random, kind));
  shapes.push_back(make_shape(ShapeKind::box, {0.5, 0.5, 0.0}));
  shapes.push_back(make_shape(ShapeKind::box, {0.5, 0.0, 0.0}));
  shapes.push_back(make_shape(ShapeKind::cylinder, {0.5, 0.0, 0.0}));
  shapes.push_back(make_shape(ShapeKind::cylinder, {1e-9, 0.5, 0.0}));
  shapes.push_back(make_shape(ShapeKind::ellipsoid, {1.0, 1e-3, 1e-3}));
  shapes.push_back(make_shape(ShapeKind::ellipsoid, {1.0, 1.0, 1e-4}));
  shapes.push_back(make_shape(ShapeKind::sphere, {0.0, 0.0, 0.0}));
  shapes.push_back(make_shape(ShapeKind::capsule, {0.1, 0.0, 0.0}));
  shapes.push_back(make_hull({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}));
  shapes.push_back(make_hull({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.5, 0.0, 0.0}}));
  shapes.push_back(make_hull({{0.1, 0.2, 0.3}}));
  const Placement turned = random_placement(random, 0.0);
  for (const ShapeGeometry& a : shapes) {
    for (const ShapeGeometry& b : shapes) {
      for (const Placement& at_b :
           {Placement{}, turned, moved({}, {0.0, 0.0, 0.5}), moved({}, {1.0, 0.0, 0.0}),
            moved(turned, {1e-12, 0.0, 0.0}), moved({}, {1e3, 0.0, 0.0})}) {
        Vector3<double> n;
        const double gap = gap_of(a, {}, b, at_b, &n);
        EXPECT_TRUE(std::isfinite(gap));
        EXPECT_NEAR(norm(n), 1.0, 1e-12);
        PointBuffer points;
        collide_convex(a, {}, b, at_b, 0.1, points);
        for (int i = 0; i < points.count(); ++i) {
          EXPECT_TRUE(std::isfinite(norm(points[i].point)));
          EXPECT_TRUE(std::isfinite(points[i].gap));
        }
      }
    }
  }
}

TEST(ConvexHull, ClimbingFindsWhatLookingAtAllFinds) {
  Random random(21);
  const ShapeGeometry shape = random_hull(random, 600);
  ASSERT_GT(shape.hull->vertices().size(), 500U);
  int start = -1;
  for (int i = 0; i < 3000; ++i) {
    const Vector3<double> direction = from_eigen(random_direction(random));
    double furthest = -1e9;
    for (const auto& v : shape.hull->vertices()) furthest = std::max(furthest, dot(v, direction));
    start = shape.hull->support(direction, i % 2 == 0 ? -1 : start);
    EXPECT_EQ(dot(shape.hull->vertices()[static_cast<std::size_t>(start)], direction), furthest);
  }
}

TEST(ConvexHull, TrianglesInOnePlaneAreOneFace) {
  const ShapeGeometry box = make_box_hull({0.3, 0.5, 0.7});
  EXPECT_EQ(box.hull->faces().size(), 6U);
  for (const ConvexHull::Face& face : box.hull->faces()) EXPECT_EQ(face.count, 4);
  std::vector<Eigen::Vector3d> prism;
  for (int i = 0; i < 40; ++i) {
    const double angle = 2.0 * M_PI * i / 20;
    // As a file of single precision would have it.
    prism.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)),
                       i < 20 ? 0.1F : -0.1F);
  }
  const ShapeGeometry drum = make_hull(prism);
  EXPECT_EQ(drum.hull->faces().size(), 22U);
  int corners = 0;
  for (const ConvexHull::Face& face : drum.hull->faces()) corners += face.count;
  EXPECT_EQ(corners, 20 * 4 + 2 * 20);
  // Without thickness: both sides.
  EXPECT_EQ(
      make_hull({{0., 0., 0.}, {1., 0., 0.}, {1., 1., 0.}, {0., 1., 0.}}).hull->faces().size(), 2U);
}

}  // namespace
}  // namespace stiction::test
