/// \file
/// Gaps and normals against FCL. Its distance() by libccd is right for shapes apart, to about 1e-6;
/// its closed forms for overlapping shapes are right for spheres, capsules, boxes and half-spaces
/// (one point each but for two boxes). GST_INDEP and distance() to half-spaces are left alone: they
/// crash or turn signs.

#include <fcl/fcl.h>
#include <gtest/gtest.h>
#include <memory>

#include "support/collision_cases.hpp"

namespace stiction::test::pairs {
namespace {

using Eigen::Vector3d;

constexpr std::uint64_t seed = 4711;

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const ShapeGeometry& shape) {
  const Vector3d size = to_eigen(shape.size);
  switch (shape.kind) {
    case ShapeKind::sphere:
      return std::make_shared<fcl::Sphered>(size.x());
    case ShapeKind::box:
      return std::make_shared<fcl::Boxd>(2.0 * size);
    case ShapeKind::capsule:
      return std::make_shared<fcl::Capsuled>(size.x(), 2.0 * size.y());
    case ShapeKind::cylinder:
      return std::make_shared<fcl::Cylinderd>(size.x(), 2.0 * size.y());
    case ShapeKind::ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(size.x(), size.y(), size.z());
    case ShapeKind::plane:
      return std::make_shared<fcl::Halfspaced>(Vector3d::UnitZ(), 0.0);
    default:
      return nullptr;
  }
}

fcl::CollisionObjectd object_of(const ShapeGeometry& shape, const Placement& at) {
  return {geometry_of(shape), to_eigen(at.rotation), to_eigen(at.position)};
}

double fcl_distance(const Case& c) {
  const auto a = object_of(c.a, c.at_a);
  const auto b = object_of(c.b, c.at_b);
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-9;
  fcl::DistanceResultd result;
  fcl::distance(&a, &b, request, result);
  return result.min_distance;
}

/// The deepest point; normal from a to b. False if FCL sees no overlap.
bool fcl_overlap(const Case& c, double& depth, Vector3d& normal) {
  const auto a = object_of(c.a, c.at_a);
  const auto b = object_of(c.b, c.at_b);
  fcl::CollisionRequestd request(8, true);
  request.gjk_solver_type = fcl::GST_LIBCCD;
  fcl::CollisionResultd result;
  fcl::collide(&a, &b, request, result);
  depth = -1.0;
  for (std::size_t i = 0; i < result.numContacts(); ++i) {
    if (result.getContact(i).penetration_depth <= depth) continue;
    depth = result.getContact(i).penetration_depth;
    normal = result.getContact(i).normal;
  }
  return result.isCollision();
}

/// Counts of what was compared, so that no test passes for want of cases.
struct Seen {
  int apart = 0;
  int overlapping = 0;
  int same_normal = 0;
  int ended_early = 0;  ///< libccd's distance was off
};

/// What FCL says of overlapping shapes.
enum class Overlap {
  exact,        ///< depth and normal
  faces_first,  ///< depth up to 5 % more than the least: it prefers faces of boxes to edges
  thinner       ///< nothing: capsules are made thin, and their distance is compared
};

Case random_pair(ShapeKind a, ShapeKind b, Random& random) {
  Case c = random_case(a, b, false, random);
  if (a != ShapeKind::plane) return c;
  const Vector3d n = to_eigen(c.at_a.rotation).col(2);
  const double height = random.uniform(-0.5, 1.1) * c.b.radius;
  c.at_b.position = from_eigen(Vector3d(to_eigen(c.at_a.position) + height * n));
  return c;
}

/// libccd's distance [m].
constexpr double distance_tolerance = 2e-6;

/// libccd ends early now and then, off by up to 1e-3 of the distance. There the normal must prove
/// our gap: a direction that separates both by as much.
void compare_distance(const Case& c, double gap, const Vector3d& normal, Seen& seen) {
  const double distance = fcl_distance(c);
  EXPECT_NEAR(gap, distance, distance_tolerance + 1e-3 * distance);
  if (std::abs(gap - distance) <= distance_tolerance) return;
  ++seen.ended_early;
  const bool boxes = c.a.kind == ShapeKind::box && c.b.kind == ShapeKind::box;
  double proven = separation(c, normal);
  for (int m = 0; boxes && m < 9; ++m) {
    const Vector3d n =
        to_eigen(c.at_a.rotation).col(m / 3).cross(to_eigen(c.at_b.rotation).col(m % 3));
    proven = std::max({proven, separation(c, n.normalized()), separation(c, -n.normalized())});
  }
  EXPECT_GE(proven, gap * (boxes ? 1.0 - 3e-4 : 1.0) - 1e-8 * c.size());
}

void compare_overlap(const Case& c, const PointBuffer::Point& ours, Overlap overlap, Seen& seen) {
  double depth = 0.0;
  Vector3d normal = Vector3d::Zero();
  ASSERT_TRUE(fcl_overlap(c, depth, normal));
  const double angle = (to_eigen(ours.normal) - normal).norm();
  ++seen.overlapping;
  if (angle < 1e-9) ++seen.same_normal;
  if (overlap == Overlap::exact || angle < 1e-9) {
    EXPECT_NEAR(-ours.gap, depth, 1e-12);
    EXPECT_LT(angle, 1e-9);
  } else {
    EXPECT_GE(depth, -ours.gap * (1.0 - 3e-4));
    EXPECT_LE(depth, -ours.gap * 1.05);
  }
}

/// Takes from the radii until 1 mm is left of each; gaps grow by as much, as long as the axes stay
/// out of the other shape.
void compare_thinner(const Case& c, const PointBuffer::Point& ours, Seen& seen) {
  Case thin = c;
  double taken = 0.0;
  for (ShapeGeometry* shape : {&thin.a, &thin.b}) {
    if (shape->kind != ShapeKind::capsule) continue;
    taken += shape->size.x - 1e-3;
    shape->size.x = 1e-3;
  }
  if (ours.gap + taken < 1e-3) return;
  ++seen.overlapping;
  compare_distance(thin, ours.gap + taken, to_eigen(ours.normal), seen);
}

Seen compare(ShapeKind a, ShapeKind b, int trials, Overlap overlap) {
  constexpr double margin = 0.5;
  Random random(seed);
  Seen seen;
  for (int trial = 0; trial < trials && !::testing::Test::HasFailure(); ++trial) {
    const Case c = random_pair(a, b, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + " trial " + std::to_string(trial) + "\n" +
                 describe(c));
    const PointBuffer points = find_points(c, margin);
    const int i = deepest(points);
    if (i < 0) {
      if (a != ShapeKind::plane) {
        EXPECT_GT(fcl_distance(c), margin - distance_tolerance);
      }
    } else if (points[i].gap > 1e-6 && a != ShapeKind::plane) {
      ++seen.apart;
      compare_distance(c, points[i].gap, to_eigen(points[i].normal), seen);
    } else if (points[i].gap < -1e-6 && overlap == Overlap::thinner) {
      compare_thinner(c, points[i], seen);
    } else if (points[i].gap < -1e-6) {
      compare_overlap(c, points[i], overlap, seen);
    }
  }
  EXPECT_LT(seen.ended_early, trials / 50);
  ::testing::Test::RecordProperty("ended_early", seen.ended_early);
  EXPECT_GT(seen.overlapping, trials / 4);
  if (a != ShapeKind::plane) {
    EXPECT_GT(seen.apart, trials / 20);
  }
  return seen;
}

TEST(CollisionFcl, SphereSphere) {
  compare(ShapeKind::sphere, ShapeKind::sphere, 10000, Overlap::exact);
}
TEST(CollisionFcl, SphereBox) { compare(ShapeKind::sphere, ShapeKind::box, 10000, Overlap::exact); }
TEST(CollisionFcl, SphereCapsule) {
  compare(ShapeKind::sphere, ShapeKind::capsule, 10000, Overlap::exact);
}
TEST(CollisionFcl, CapsuleCapsule) {
  compare(ShapeKind::capsule, ShapeKind::capsule, 10000, Overlap::thinner);
}
TEST(CollisionFcl, CapsuleBox) {
  compare(ShapeKind::capsule, ShapeKind::box, 10000, Overlap::thinner);
}
TEST(CollisionFcl, BoxBox) {
  const Seen seen = compare(ShapeKind::box, ShapeKind::box, 20000, Overlap::faces_first);
  EXPECT_GT(seen.same_normal, seen.overlapping * 8 / 10);
}
TEST(CollisionFcl, OnAHalfSpace) {
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule,
                               ShapeKind::cylinder, ShapeKind::ellipsoid}) {
    compare(ShapeKind::plane, kind, 5000, Overlap::exact);
  }
}

}  // namespace
}  // namespace stiction::test::pairs
