#include "stiction/collision/height_field.hpp"

namespace stiction {
namespace {

using Vector = Vector3<double>;

Vector unit(const Vector& v) { return (1.0 / norm(v)) * v; }

}  // namespace

Terrain::Terrain(const HeightField& field)
    : rows_(field.rows),
      columns_(field.columns),
      half_x_(field.half_size.x()),
      half_y_(field.half_size.y()),
      cell_x_(2.0 * half_x_ / (columns_ - 1)),
      cell_y_(2.0 * half_y_ / (rows_ - 1)),
      heights_(field.heights) {
  const auto [lowest, highest] = std::ranges::minmax_element(heights_);
  bottom_ = std::min(-field.base, *lowest);
  top_ = *highest;
  find_block_bounds();
}

void Terrain::find_block_bounds() {
  block_columns_ = (columns_ - 2) / block + 1;
  const int block_rows = (rows_ - 2) / block + 1;
  blocks_.assign(static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(block_columns_),
                 {top_, bottom_});
  for (int row = 0; row < rows_ - 1; ++row) {
    for (int column = 0; column < columns_ - 1; ++column) {
      const Bounds cell = cell_bounds(row, column);
      Bounds& bounds =
          blocks_[static_cast<std::size_t>((row / block) * block_columns_ + column / block)];
      bounds = {std::min(bounds.low, cell.low), std::max(bounds.high, cell.high)};
    }
  }
}

int Terrain::cell_of(double offset, double size, int count) const {
  return static_cast<int>(std::clamp(std::floor(offset / size), 0.0, count - 1.0));
}

Terrain::Bounds Terrain::cell_bounds(int row, int column) const {
  const double* lower = heights_.data() + static_cast<std::ptrdiff_t>(row) * columns_ + column;
  const double* upper = lower + columns_;
  return {std::min(std::min(lower[0], lower[1]), std::min(upper[0], upper[1])),
          std::max(std::max(lower[0], lower[1]), std::max(upper[0], upper[1]))};
}

SurfaceTriangle Terrain::triangle(int index) const {
  const int cell = index / 2;
  const int row = cell / (columns_ - 1);
  const int column = cell % (columns_ - 1);
  const bool low_y = index % 2 == 1;
  SurfaceTriangle result;
  result.index = index;
  const int here = row * columns_ + column;
  const int opposite = here + columns_ + 1;
  result.corner[0] = vertex(row, column);
  if (low_y) {
    result.vertex = {here, here + 1, opposite};
    result.corner[1] = vertex(row, column + 1);
    result.corner[2] = vertex(row + 1, column + 1);
  } else {
    result.vertex = {here, opposite, here + columns_};
    result.corner[1] = vertex(row + 1, column + 1);
    result.corner[2] = vertex(row + 1, column);
  }
  // By slopes rather than by a cross product: facets of one plane get the same bits more often.
  const auto& c = result.corner;
  const double slope_x = (low_y ? c[1].z - c[0].z : c[1].z - c[2].z) / cell_x_;
  const double slope_y = (low_y ? c[2].z - c[1].z : c[2].z - c[0].z) / cell_y_;
  result.normal = unit({-slope_x, -slope_y, 1.0});
  return result;
}

std::optional<SurfaceTriangle> Terrain::triangle_at(double x, double y) const {
  if (!(std::abs(x) <= half_x_ && std::abs(y) <= half_y_)) return std::nullopt;
  const int row = cell_of(y + half_y_, cell_y_, rows_ - 1);
  const int column = cell_of(x + half_x_, cell_x_, columns_ - 1);
  const Vector corner = vertex(row, column);
  const int low_y = (x - corner.x) * cell_y_ > (y - corner.y) * cell_x_ ? 1 : 0;
  return triangle(2 * (row * (columns_ - 1) + column) + low_y);
}

int Terrain::neighbour(const SurfaceTriangle& of, int k) const {
  const int width = columns_ - 1;
  const int cell = of.index / 2;
  if (of.index % 2 == 1) {
    if (k == 2) return of.index - 1;
    if (k == 0) return cell >= width ? 2 * (cell - width) : -1;
    return cell % width < width - 1 ? of.index + 1 : -1;
  }
  if (k == 0) return of.index + 1;
  if (k == 1) return cell < (rows_ - 2) * width ? 2 * (cell + width) + 1 : -1;
  return cell % width > 0 ? of.index - 1 : -1;
}

bool Terrain::may_touch(const SurfaceTriangle& of, int k) const {
  const int other = neighbour(of, k);
  if (other < 0) return true;
  if (other < of.index) return false;
  // The far corner of the other triangle must lie below the plane of this one. Owned edges are the
  // diagonal (k = 0), and those with a later cell, whose far corner is at its end.
  const int row = other / 2 / (columns_ - 1);
  const int column = other / 2 % (columns_ - 1);
  const Vector far = vertex(k == 0 ? row : row + 1, column + 1);
  return dot(of.normal, far - of.corner[0]) < -0.1 * flat_sine * std::min(cell_x_, cell_y_);
}

SurfaceEdge Terrain::edge(const SurfaceTriangle& of, int k) const {
  const auto at = static_cast<std::size_t>(k);
  const Vector& from = of.corner[at];
  const Vector& to = of.corner[(at + 1) % 3];
  const int index = neighbour(of, k);
  if (index < 0) {  // the side below the rim is upright
    return {EdgeKind::convex, true, true, unit(cross(to - from, {0.0, 0.0, 1.0}))};
  }
  const SurfaceTriangle other = triangle(index);
  return {edge_kind(of.normal, other.normal, from, to), of.index < index, false, other.normal};
}

bool Terrain::owns_vertex(const SurfaceTriangle& of, int k) const {
  const int vertex = of.vertex[static_cast<std::size_t>(k)];
  const int row = std::min(vertex / columns_, rows_ - 2);
  const int column = std::min(vertex % columns_, columns_ - 2);
  if (of.index / 2 != row * (columns_ - 1) + column) return false;
  // Of the cell's corners only the one at (row, column + 1) is missing from its first triangle.
  const bool only_second = vertex == row * columns_ + column + 1;
  return of.index % 2 == (only_second ? 1 : 0);
}

std::span<const Vector> Terrain::vertex_edges(int index, std::array<Vector, 8>& memory) const {
  static constexpr std::array<std::array<int, 2>, 6> steps{
      {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};
  const int row = index / columns_;
  const int column = index % columns_;
  const Vector here = vertex(row, column);
  std::size_t count = 0;
  for (const auto& [up, right] : steps) {
    const int r = row + up;
    const int c = column + right;
    if (r < 0 || c < 0 || r >= rows_ || c >= columns_) continue;
    memory[count++] = unit(vertex(r, c) - here);
  }
  if (count < steps.size()) memory[count++] = {0.0, 0.0, -1.0};
  return {memory.data(), count};
}

bool Terrain::is_inside(const Vector& p, const SurfaceTriangle&, const NearestOnTriangle&) const {
  return cover(p).has_value();
}

double Terrain::search_depth(const Vector& p, double depth) const {
  const auto above = cover(p);
  if (!above) return 0.0;
  return std::min(depth, -dot(above->normal, p - above->corner[0]) / above->normal.z);
}

std::optional<SurfaceTriangle> Terrain::cover(const Vector& p) const {
  if (p.z > top_ || p.z < bottom_) return std::nullopt;
  auto above = triangle_at(p.x, p.y);
  if (!above || dot(above->normal, p - above->corner[0]) >= 0.0) return std::nullopt;
  return above;
}

}  // namespace stiction
