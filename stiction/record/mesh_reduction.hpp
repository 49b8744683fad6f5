#pragma once

/// \file
/// Fewer triangles for a mesh that is only drawn. Private to stiction/record.

#include <cstddef>

#include "stiction/model/appearance.hpp"

namespace stiction {

/// Joins the vertices within each cell of a grid, the finest that leaves at most `most` triangles.
/// Hulls stay as they are.
void reduce_triangles(Mesh& mesh, MeshPaint& paint, std::size_t most);

}  // namespace stiction
