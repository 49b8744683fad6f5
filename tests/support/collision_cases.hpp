#pragma once

/// \file
/// Two shapes in a random pose, and what the support functions of convex shapes say of their gap.
/// In a namespace of its own, for its names are common.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "stiction/collision/geometry.hpp"
#include "stiction/core/random.hpp"

namespace stiction::test::pairs {

ShapeGeometry make_shape(ShapeKind kind, const Eigen::Vector3d& size);

Placement make_placement(const Eigen::Vector3d& position,
                         const Eigen::Matrix3d& rotation = Eigen::Matrix3d::Identity());

Placement moved(const Eigen::Isometry3d& motion, const Placement& at);

struct Case {
  ShapeGeometry a;
  ShapeGeometry b;
  Placement at_a;
  Placement at_b;

  [[nodiscard]] double size() const {
    return (std::isfinite(a.radius) ? a.radius : 0.0) + (std::isfinite(b.radius) ? b.radius : 0.0);
  }
};

PointBuffer find_points(const Case& c, double margin);

/// Index of the point with the smallest gap, -1 without points.
int deepest(const PointBuffer& points);

// ---- random cases -------------------------------------------------------------------------------

Eigen::Vector3d random_direction(Random& random);

Eigen::Matrix3d random_rotation(Random& random);

/// Axes along the world's, in any order, then a tilt between 1e-14 and 0.1 rad (or none).
Eigen::Matrix3d nearly_aligned_rotation(Random& random);

ShapeGeometry random_shape(ShapeKind kind, Random& random);

/// Anywhere from deep inside each other to a little apart.
Case random_case(ShapeKind a, ShapeKind b, bool aligned, Random& random);

// ---- support functions --------------------------------------------------------------------------

/// The furthest that a convex shape reaches along a unit direction, from the world's origin.
double support(const ShapeGeometry& shape, const Placement& at, const Eigen::Vector3d& n);

/// How far n separates both shapes; the signed gap of convex shapes is the largest over all unit n.
double separation(const Case& c, const Eigen::Vector3d& n);

/// The largest separation found from many random directions and by closing in on the best; never
/// more than the true gap.
double searched_gap(const Case& c, const Eigen::Vector3d& start, Random& random);

std::string describe(const Case& c);

}  // namespace stiction::test::pairs
