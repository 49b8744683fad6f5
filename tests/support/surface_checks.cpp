#include "support/surface_checks.hpp"

namespace stiction::test {

Eigen::Isometry3d random_pose(Random& random, double reach, double low, double high) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  const Eigen::Quaterniond q(random.normal(), random.normal(), random.normal(), random.normal());
  pose.linear() = q.normalized().toRotationMatrix();
  const double x = random.uniform(-reach, reach);
  const double y = random.uniform(-reach, reach);
  pose.translation() = Eigen::Vector3d(x, y, random.uniform(low, high));
  return pose;
}

double distance_by_support(const ShapeGeometry& shape, const Eigen::Isometry3d& pose,
                           const std::vector<Triangle>& triangles) {
  double least = std::numeric_limits<double>::infinity();
  for (const Triangle& triangle : triangles) {
    const Eigen::Vector3d middle = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
    const double size = std::max({(triangle[0] - middle).norm(), (triangle[1] - middle).norm(),
                                  (triangle[2] - middle).norm()});
    if ((middle - pose.translation()).norm() - size - shape.radius > least) continue;
    const ConvexHull plate(
        {from_eigen(triangle[0]), from_eigen(triangle[1]), from_eigen(triangle[2])},
        {{0, 1, 2}, {0, 2, 1}});
    ConvexPair pair;
    pair.a = convex_core(shape);
    pair.b = {ShapeKind::mesh, {}, &plate, 0.0, -1};
    const Eigen::Isometry3d seen = pose.inverse();
    pair.rotation = from_eigen(Eigen::Matrix3d(seen.linear()));
    pair.position = from_eigen(Eigen::Vector3d(seen.translation()));
    pair.scale = shape.radius + size;
    least = std::min(least,
                     find_core_gap(pair, least + pair.a.rounding).separation.gap - pair.a.rounding);
  }
  return least;
}

void expect_sound(const PointBuffer& points, double margin) {
  for (int i = 0; i < points.count(); ++i) {
    EXPECT_LE(points[i].gap, margin);
    EXPECT_NEAR(norm(points[i].normal), 1.0, 1e-12);
    if (i > 0) {
      EXPECT_GT(points[i].feature, points[i - 1].feature);
    }
  }
}

void expect_plane(const ShapeGeometry& shape, const ShapeGeometry& surface, NarrowFunction function,
                  double slope, double lift, int positions, int count) {
  const Eigen::Vector3d n = Eigen::Vector3d(-slope, 0.0, 1.0).normalized();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), n).toRotationMatrix();
  const double margin = 0.05;
  const double rest = shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule
                          ? shape.size.x
                      : shape.kind == ShapeKind::cylinder ? shape.size.y
                                                          : shape.size.z;
  if (shape.kind == ShapeKind::capsule) {
    pose.linear() = pose.linear() * Eigen::AngleAxisd(M_PI_2, Eigen::Vector3d::UnitX());
  }
  Random random(4);
  int wrong = 0;
  for (int i = 0; i < positions; ++i) {
    const double x = -0.7 + 1.4 * i / positions;
    const double y = 0.31 * std::sin(0.01 * i);
    // Above, exactly on and below the surface.
    const double gap = i % 3 == 0 ? 0.0 : random.uniform(-0.2 * rest, 0.8 * margin);
    Eigen::Isometry3d at = pose;
    at.translation() = Eigen::Vector3d(x, y, slope * x + lift) + (rest + gap) * n;
    PointBuffer points;
    function(shape, placement_of(at), surface, {}, margin, points);
    bool fine = points.count() == count;
    for (int k = 0; k < points.count(); ++k) {
      fine = fine && (to_eigen(points[k].normal) + n).norm() < 1e-12 &&
             std::abs(points[k].gap - gap) < 1e-12;
    }
    if (!fine && ++wrong == 1) {
      ADD_FAILURE() << "position " << i << ", gap " << gap << ": " << points.count() << " points";
      for (int k = 0; k < points.count(); ++k) {
        std::cout << to_eigen(points[k].normal).transpose() << "  gap " << points[k].gap << " at "
                  << to_eigen(points[k].point).transpose() << " f " << points[k].feature << '\n';
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace stiction::test
