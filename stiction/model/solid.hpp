#pragma once

/// \file
/// What solid shapes weigh.

#include <Eigen/Geometry>

#include "stiction/model/model.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// Of a solid primitive of density 1, in its own frame: the mass is its volume. Planes, height
/// fields and meshes have none.
BodyInertia primitive_solid(ShapeKind kind, const Eigen::Vector3d& size);

/// Of a thin surface with mass 1 per area. Planes, height fields, meshes and ellipsoids have none.
BodyInertia primitive_shell(ShapeKind kind, const Eigen::Vector3d& size);

/// The same with another mass.
BodyInertia scaled_to_mass(BodyInertia solid, double mass);

/// Seen from a frame in which `pose` is its own.
BodyInertia placed(const BodyInertia& inertia, const Eigen::Isometry3d& pose);

/// Both as one body, in the same frame.
BodyInertia sum(const BodyInertia& a, const BodyInertia& b);

}  // namespace stiction
