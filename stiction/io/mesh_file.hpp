#pragma once

/// \file
/// Triangle meshes from files (STL, OBJ, PLY; DAE through assimp) and their convex hulls (qhull).

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stiction/model/appearance.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// Outcome of reading a mesh: empty `problem` on success.
struct MeshResult {
  Mesh mesh;
  MeshPaint paint;                           ///< colors of MTL and Collada, places in a texture
  std::filesystem::path picture;             ///< the first texture that the file names; empty: none
  std::vector<std::size_t> without_picture;  ///< triangles that it is not for
  std::string problem;                       ///< what is wrong, one sentence
  std::string remedy;
};

/// Reads a mesh and scales it. Never throws; checks for folders, emptiness, sizes, counts, indices
/// and finite vertices. Formats that assimp reads are read in a child process with limits.
MeshResult read_mesh(const std::filesystem::path& path, const Eigen::Vector3d& scale);

/// Edges that do not have a triangle on either side, in opposite directions; 0 if the mesh is
/// closed.
std::size_t count_open_edges(const Mesh& mesh);

/// Fills hull_vertices and hull_triangles. False (hull left empty) if the points are flat.
bool add_convex_hull(Mesh& mesh);

/// How a hull was made smaller.
struct HullReduction {
  std::size_t before = 0;  ///< vertices
  std::size_t after = 0;
  double error = 0.0;  ///< how far the smaller hull stays inside the whole one, at most [m]

  /// What a user should know of it, one sentence.
  [[nodiscard]] std::string to_string() const;
};

/// Reduces the hull of a mesh, for collision: to `most_vertices` (4 or more; 0: no such limit),
/// else hulls of more than 2,000 vertices, within 1e-3 of half the diagonal of their box. Nothing
/// if it stays as it was.
std::optional<HullReduction> reduce_hull(Mesh& mesh, int most_vertices = 0);

/// Mass, centre and inertia of the solid that the triangles enclose, at the given density [kg/m³].
/// Volume below zero (triangles inside out) is turned round. False if it encloses nothing.
bool solid_inertia(const Mesh& mesh, double density, BodyInertia& result);

/// The same as MuJoCo computes it unless a file asks for exact numbers: every tetrahedron from the
/// centre to a triangle counts as positive, so that parts of a mesh that is not convex count twice.
bool legacy_inertia(const Mesh& mesh, double density, BodyInertia& result);

}  // namespace stiction
