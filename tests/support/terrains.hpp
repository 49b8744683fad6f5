#pragma once

/// \file
/// Height fields and meshes made by formula, and distances to them by looking at every triangle.

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "stiction/collision/convex_hull_shape.hpp"
#include "stiction/collision/height_field.hpp"
#include "stiction/collision/triangle_mesh.hpp"

namespace stiction::test {

using Height = std::function<double(double, double)>;

HeightField make_field(int rows, int columns, double half_x, double half_y, const Height& height);

/// Hills and hollows with kinks; no facet in line with another.
double rough(double x, double y);

/// A sheet of 2·(count - 1)² triangles over [-half, half]², cut along changing diagonals, its
/// vertices moved about within the sheet.
Mesh make_sheet(int count, double half, const Height& height);

/// A closed box of 12 triangles.
Mesh make_box_mesh(const Eigen::Vector3d& half);

ShapeGeometry geometry_of(const HeightField& field);

ShapeGeometry geometry_of(const Mesh& mesh);

ShapeGeometry geometry_of(ShapeKind kind, const Vector3<double>& size);

/// A hull of some points on an ellipsoid, with a flat bottom at z = -half.
ShapeGeometry make_stone(double size, double half);

Placement placement_of(const Eigen::Isometry3d& pose);

using Triangle = std::array<Eigen::Vector3d, 3>;

template <class Surface>
std::vector<Triangle> triangles_of(const Surface& surface) {
  std::vector<Triangle> result;
  for (int i = 0; i < surface.triangle_count(); ++i) {
    const auto triangle = surface.triangle(i);
    result.push_back(
        {to_eigen(triangle.corner[0]), to_eigen(triangle.corner[1]), to_eigen(triangle.corner[2])});
  }
  return result;
}

double distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                           const Eigen::Vector3d& b);

/// By barycentric coordinates, or else by the three sides.
double distance_to_triangle(const Eigen::Vector3d& p, const Triangle& t);

double distance_to_all(const Eigen::Vector3d& p, const std::vector<Triangle>& triangles);

double least_gap(const PointBuffer& points);

}  // namespace stiction::test
