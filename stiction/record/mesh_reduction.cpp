#include "stiction/record/mesh_reduction.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace stiction {

namespace {

/// Vertices by cells of a grid over the box around the mesh.
class Grid {
 public:
  /// `cells`: along the longest edge of the box.
  Grid(const Mesh& mesh, const Eigen::AlignedBox3d& box, int cells)
      : mesh_(mesh), cell_of_(mesh.vertices.size()) {
    const double size = box.sizes().maxCoeff() / cells;
    std::unordered_map<std::uint64_t, int> known;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      const Eigen::Vector3d place = (mesh.vertices[i] - box.min()) / size;
      std::uint64_t key = 0;
      for (const double x : place) {
        key = key << 21U | static_cast<std::uint64_t>(std::clamp(x, 0.0, cells - 0.5));
      }
      const auto [entry, is_new] = known.try_emplace(key, static_cast<int>(sums_.size()));
      if (is_new) sums_.push_back({Eigen::Vector3d::Zero(), 0});
      cell_of_[i] = entry->second;
      Sum& sum = sums_[static_cast<std::size_t>(entry->second)];
      sum.place += mesh.vertices[i];
      ++sum.count;
    }
  }

  /// Numbers of the triangles that keep three corners, each place once.
  [[nodiscard]] std::vector<std::size_t> kept() const {
    std::vector<std::size_t> kept;
    std::unordered_set<std::uint64_t> seen;
    for (std::size_t i = 0; i < mesh_.triangles.size(); ++i) {
      std::array<int, 3> corners = corners_of(i);
      std::ranges::sort(corners);
      if (corners[0] == corners[1] || corners[1] == corners[2]) continue;
      std::uint64_t key = 0;
      for (const int corner : corners) key = key << 21U | static_cast<std::uint64_t>(corner);
      if (seen.insert(key).second) kept.push_back(i);
    }
    return kept;
  }

  [[nodiscard]] std::array<int, 3> corners_of(std::size_t triangle) const {
    std::array<int, 3> corners = mesh_.triangles[triangle];
    for (int& corner : corners) corner = cell_of_[static_cast<std::size_t>(corner)];
    return corners;
  }

  [[nodiscard]] std::vector<Eigen::Vector3d> middles() const {
    std::vector<Eigen::Vector3d> middles;
    for (const Sum& sum : sums_) middles.push_back(sum.place / sum.count);
    return middles;
  }

 private:
  struct Sum {
    Eigen::Vector3d place;
    int count;
  };
  const Mesh& mesh_;
  std::vector<int> cell_of_;  ///< of each vertex
  std::vector<Sum> sums_;     ///< of each cell that has vertices
};

template <class Entry>
void keep_only(std::vector<Entry>& list, const std::vector<std::size_t>& kept) {
  if (list.empty()) return;
  std::vector<Entry> left;
  for (const std::size_t i : kept) left.push_back(list[i]);
  list = std::move(left);
}

}  // namespace

void reduce_triangles(Mesh& mesh, MeshPaint& paint, std::size_t most) {
  if (mesh.triangles.size() <= most) return;
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& vertex : mesh.vertices) box.extend(vertex);
  if (!(box.sizes().maxCoeff() > 0.0)) return;
  int coarse = 1;  // fits: one cell has no triangles
  int fine = 2048;
  while (fine - coarse > 1) {
    const int middle = (coarse + fine) / 2;
    (Grid(mesh, box, middle).kept().size() <= most ? coarse : fine) = middle;
  }
  const Grid grid(mesh, box, coarse);
  const std::vector<std::size_t> kept = grid.kept();
  std::vector<std::array<int, 3>> triangles;
  for (const std::size_t i : kept) triangles.push_back(grid.corners_of(i));
  mesh.vertices = grid.middles();
  mesh.triangles = std::move(triangles);
  keep_only(paint.texture_triangles, kept);
  keep_only(paint.triangle_colors, kept);
}

}  // namespace stiction
