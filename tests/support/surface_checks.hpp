#pragma once

/// \file
/// What must hold for shapes on any surface, a height field or a mesh.

#include <gtest/gtest.h>
#include <set>

#include "stiction/collision/gjk.hpp"
#include "stiction/core/random.hpp"
#include "support/terrains.hpp"

namespace stiction::test {

Eigen::Isometry3d random_pose(Random& random, double reach, double low, double high);

/// Distance of a convex shape from the nearest triangle by support functions, a triangle being a
/// plate without thickness; 0 or less if they overlap.
double distance_by_support(const ShapeGeometry& shape, const Eigen::Isometry3d& pose,
                           const std::vector<Triangle>& triangles);

/// Points come by ascending feature, within the margin, with unit normals, and none twice.
void expect_sound(const PointBuffer& points, double margin);

/// Slides a shape over a surface that fills z = slope·x + lift and expects what a plane gives:
/// at `positions` places, the plane's normal and gap at every point, and `count` points.
void expect_plane(const ShapeGeometry& shape, const ShapeGeometry& surface, NarrowFunction function,
                  double slope, double lift, int positions, int count);

/// Random poses about a surface: the least gap is the distance to the nearest triangle.
template <class Surface>
void expect_distance(const ShapeGeometry& shape, const ShapeGeometry& geometry,
                     const Surface& surface, NarrowFunction function, int poses, double low,
                     double high, double tolerance) {
  const std::vector<Triangle> triangles = triangles_of(surface);
  const double margin = 0.1;
  Random random(21);
  int apart = 0;
  for (int i = 0; i < poses; ++i) {
    const Eigen::Isometry3d pose = random_pose(random, 0.8, low, high);
    const double distance = distance_by_support(shape, pose, triangles);
    PointBuffer points;
    function(shape, placement_of(pose), geometry, {}, margin, points);
    expect_sound(points, margin);
    if (distance <= 1e-6) {
      EXPECT_LE(least_gap(points), 1e-6) << "pose " << i;
    } else if (distance < margin) {
      ++apart;
      EXPECT_NEAR(least_gap(points), distance, tolerance) << "pose " << i;
    } else {
      EXPECT_EQ(points.count(), 0) << "pose " << i << " distance " << distance;
    }
  }
  EXPECT_GT(apart, poses / 10);
}

}  // namespace stiction::test
