#pragma once

/// \file
/// Convex shapes and placements for tests of the collision functions.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "stiction/collision/convex_hull_shape.hpp"
#include "stiction/collision/geometry.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/mesh_file.hpp"
#include "stiction/spatial/rotation.hpp"

namespace stiction::test {

ShapeGeometry make_shape(ShapeKind kind, Vector3<double> size);

ShapeGeometry make_hull(const std::vector<Eigen::Vector3d>& points);

/// The eight corners of a box.
ShapeGeometry make_box_hull(const Vector3<double>& half);

Eigen::Vector3d random_direction(Random& random);

ShapeGeometry random_hull(Random& random, int count);

Placement random_placement(Random& random, double distance);

/// first ∘ second
Placement compose(const Placement& first, const Placement& second);

/// A shape of each convex kind, with sizes between 0.2 and 1 m.
ShapeGeometry random_shape(Random& random, ShapeKind kind);

inline constexpr ShapeKind convex_kinds[] = {ShapeKind::sphere,    ShapeKind::capsule,
                                             ShapeKind::box,       ShapeKind::cylinder,
                                             ShapeKind::ellipsoid, ShapeKind::mesh};

}  // namespace stiction::test
