#pragma once

/// \file
/// Meshes by MuJoCo's rules: its own binary format, shells, and primitives fitted to meshes.
/// Private to stiction/io.

#include <filesystem>
#include <string>

#include "stiction/model/appearance.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// Reads MuJoCo's MSH format: four counts (vertices, normals, texture coordinates, faces) as int32,
/// then float32 coordinates and int32 faces. Without faces, only vertices. `problem` says why it
/// cannot be read; empty if all is well.
Mesh read_msh(const std::filesystem::path& file, std::string& problem, MeshPaint& paint);

/// Of a thin surface with mass 1 per area. False if it has no area.
bool shell_inertia(const Mesh& mesh, BodyInertia& result);

/// A primitive that stands for a mesh, in the mesh's frame.
struct FittedShape {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
};

/// Fits a sphere, capsule, cylinder, ellipsoid or box to the box that has the inertia `solid` (of
/// density 1), or, with `to_bounds`, to the box around the mesh along its principal axes.
FittedShape fit_shape(ShapeKind kind, const Mesh& mesh, const BodyInertia& solid, bool to_bounds);

}  // namespace stiction
