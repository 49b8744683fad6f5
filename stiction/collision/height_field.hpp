#pragma once

/// \file
/// A height field as a surface of triangles over a grid.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "stiction/collision/surface.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// The solid below a grid of heights. Each cell is cut along its diagonal from (row, column) to
/// (row + 1, column + 1), as MuJoCo does. Triangle 2·cell lies on the side of +y of the diagonal,
/// triangle 2·cell + 1 on the side of +x. The solid ends at the bottom: the base, or the lowest
/// height if that is lower. Its sides stop rays but touch nothing; the rim of the surface does.
class Terrain {
 public:
  /// All that is below the surface is inside.
  static constexpr bool is_solid = true;

  explicit Terrain(const HeightField& field);

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int triangle_count() const { return 2 * (rows_ - 1) * (columns_ - 1); }
  [[nodiscard]] double half_x() const { return half_x_; }
  [[nodiscard]] double half_y() const { return half_y_; }
  [[nodiscard]] double bottom() const { return bottom_; }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] double cell_x() const { return cell_x_; }
  [[nodiscard]] double cell_y() const { return cell_y_; }

  [[nodiscard]] Vector3<double> vertex(int row, int column) const {
    return {column == columns_ - 1 ? half_x_ : fma(cell_x_, column, -half_x_),
            row == rows_ - 1 ? half_y_ : fma(cell_y_, row, -half_y_),
            heights_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                     static_cast<std::size_t>(column)]};
  }
  [[nodiscard]] SurfaceTriangle triangle(int index) const;
  /// The triangle over or under (x, y); none outside of the field.
  [[nodiscard]] std::optional<SurfaceTriangle> triangle_at(double x, double y) const;

  [[nodiscard]] SurfaceEdge edge(const SurfaceTriangle& triangle, int k) const;
  /// Whether this triangle owns the edge and the edge may be convex: cheaper than edge().
  [[nodiscard]] bool may_touch(const SurfaceTriangle& triangle, int k) const;
  [[nodiscard]] bool owns_vertex(const SurfaceTriangle& triangle, int k) const;
  /// Unit vectors along the edges that leave a vertex; at the border also straight down.
  [[nodiscard]] std::span<const Vector3<double>> vertex_edges(
      int vertex, std::array<Vector3<double>, 8>& memory) const;

  /// Calls visit(const SurfaceTriangle&) for each triangle whose cell meets the box from low to
  /// high, and perhaps for some more, in an order that depends on nothing else.
  template <class Visitor>
  void visit(const Vector3<double>& low, const Vector3<double>& high, Visitor&& visit) const;

  /// Whether p is in the solid; `nearest` is not needed.
  [[nodiscard]] bool is_inside(const Vector3<double>& p, const SurfaceTriangle& triangle,
                               const NearestOnTriangle& nearest) const;
  /// How far to look for the nearest facet of a point that may be `depth` below the surface.
  [[nodiscard]] double search_depth(const Vector3<double>& p, double depth) const;
  /// For points of the solid: the facet straight above.
  [[nodiscard]] std::optional<SurfaceTriangle> cover(const Vector3<double>& p) const;

 private:
  static constexpr int block = 8;  ///< cells along the side of a block that shares its bounds
  struct Bounds {
    double low = 0.0;
    double high = 0.0;
  };
  [[nodiscard]] int cell_of(double offset, double size, int count) const;
  [[nodiscard]] Bounds cell_bounds(int row, int column) const;
  /// Index of the triangle beyond an edge; -1 at the border.
  [[nodiscard]] int neighbour(const SurfaceTriangle& triangle, int k) const;
  void find_block_bounds();

  int rows_ = 0;
  int columns_ = 0;
  double half_x_ = 0.0;  ///< [m]
  double half_y_ = 0.0;
  double cell_x_ = 0.0;
  double cell_y_ = 0.0;
  double bottom_ = 0.0;
  double top_ = 0.0;
  std::vector<double> heights_;  ///< as HeightField::heights
  int block_columns_ = 0;
  std::vector<Bounds> blocks_;  ///< row by row
};

template <class Visitor>
void Terrain::visit(const Vector3<double>& low, const Vector3<double>& high,
                    Visitor&& visit) const {
  if (high.x < -half_x_ || low.x > half_x_ || high.y < -half_y_ || low.y > half_y_) return;
  const int first_column = cell_of(low.x + half_x_, cell_x_, columns_ - 1);
  const int last_column = cell_of(high.x + half_x_, cell_x_, columns_ - 1);
  const int first_row = cell_of(low.y + half_y_, cell_y_, rows_ - 1);
  const int last_row = cell_of(high.y + half_y_, cell_y_, rows_ - 1);
  const auto meets = [&](const Bounds& b) { return b.low <= high.z && b.high >= low.z; };
  const auto visit_cell = [&](int row, int column) {
    if (!meets(cell_bounds(row, column))) return;
    const int cell = row * (columns_ - 1) + column;
    visit(triangle(2 * cell));
    visit(triangle(2 * cell + 1));
  };
  for (int block_row = first_row / block; block_row <= last_row / block; ++block_row) {
    for (int block_column = first_column / block; block_column <= last_column / block;
         ++block_column) {
      if (!meets(blocks_[static_cast<std::size_t>(block_row * block_columns_ + block_column)])) {
        continue;
      }
      const int row_end = std::min(last_row, block * block_row + block - 1);
      const int column_end = std::min(last_column, block * block_column + block - 1);
      for (int row = std::max(first_row, block * block_row); row <= row_end; ++row) {
        for (int column = std::max(first_column, block * block_column); column <= column_end;
             ++column) {
          visit_cell(row, column);
        }
      }
    }
  }
}

}  // namespace stiction
