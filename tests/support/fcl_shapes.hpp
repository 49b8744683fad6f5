#pragma once

/// \file
/// Our convex shapes as FCL's.

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>
#include <memory>
#include <vector>

#include "tests/support/convex_shapes.hpp"

namespace stiction::test {

inline std::unique_ptr<fcl::CollisionGeometryd> make_fcl_hull(const ConvexHull& hull) {
  auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>();
  for (const auto& v : hull.vertices()) vertices->push_back(to_eigen(v));
  auto faces = std::make_shared<std::vector<int>>();
  for (const ConvexHull::Face& face : hull.faces()) {
    faces->push_back(face.count);
    for (const int corner : hull.corners(face)) faces->push_back(corner);
  }
  return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(hull.faces().size()), faces);
}

inline std::unique_ptr<fcl::CollisionGeometryd> make_fcl_shape(const ShapeGeometry& shape) {
  const Vector3<double>& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return std::make_unique<fcl::Sphered>(s.x);
    case ShapeKind::capsule:
      return std::make_unique<fcl::Capsuled>(s.x, 2.0 * s.y);
    case ShapeKind::box:
      return std::make_unique<fcl::Boxd>(2.0 * s.x, 2.0 * s.y, 2.0 * s.z);
    case ShapeKind::cylinder:
      return std::make_unique<fcl::Cylinderd>(s.x, 2.0 * s.y);
    case ShapeKind::ellipsoid:
      return std::make_unique<fcl::Ellipsoidd>(s.x, s.y, s.z);
    case ShapeKind::mesh:
      return make_fcl_hull(*shape.hull);
    default:
      return nullptr;
  }
}

inline fcl::Transform3d to_fcl(const Placement& at) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = to_eigen(at.rotation);
  transform.translation() = to_eigen(at.position);
  return transform;
}

/// FCL's signed distance by libccd.
inline double fcl_gap(const fcl::CollisionGeometryd& a, const Placement& at_a,
                      const fcl::CollisionGeometryd& b, const Placement& at_b, double tolerance) {
  const fcl::DistanceRequestd request(true, true, 0.0, 0.0, tolerance, fcl::GST_LIBCCD);
  fcl::DistanceResultd result;
  return fcl::distance(&a, to_fcl(at_a), &b, to_fcl(at_b), request, result);
}

}  // namespace stiction::test
