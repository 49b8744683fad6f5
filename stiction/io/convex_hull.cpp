#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>

#include "stiction/io/mesh_file.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace stiction {

namespace {

/// Hulls of more vertices than this are reduced: below it, a search takes about as long.
constexpr std::size_t many_vertices = 2000;
/// How far a reduced hull may stay inside the whole one, as a fraction of half the diagonal of its
/// box.
constexpr double reduction_bound = 1e-3;
/// qhull begins with a simplex, and counts the points that it adds.
constexpr int simplex_vertices = 4;

/// qhull reports trouble by writing to a stream; nobody reads this one.
struct QuietStream {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  QuietStream() = default;
  QuietStream(const QuietStream&) = delete;
  QuietStream& operator=(const QuietStream&) = delete;
  ~QuietStream() {
    if (stream != nullptr) std::fclose(stream);
    std::free(text);
  }
};

/// One run of qhull, its memory freed in the end.
class HullRun {
 public:
  HullRun() : qh_(std::make_unique<qhT>()) { qh_zero(qh_.get(), quiet_.stream); }
  HullRun(const HullRun&) = delete;
  HullRun& operator=(const HullRun&) = delete;
  ~HullRun() {
    int long_blocks = 0;
    int long_bytes = 0;
    qh_freeqhull(qh_.get(), !qh_ALL);
    qh_memfreeshort(qh_.get(), &long_blocks, &long_bytes);
  }

  /// Points are x, y, z in turn and must outlive this run. False if they are flat or too few.
  bool compute(std::vector<double>& points, const std::string& options) {
    if (quiet_.stream == nullptr || points.size() < 12) return false;
    // Qt: triangles only. Qhull declares the command char*, but does not write to it.
    std::string command = "qhull Qt" + options;
    return qh_new_qhull(qh_.get(), 3, static_cast<int>(points.size() / 3), points.data(), False,
                        command.data(), nullptr, quiet_.stream) == 0;
  }

  /// Calls visit(corner indices, outward normal) for each triangle.
  template <class Visit>
  void for_each_triangle(Visit visit) {
    qhT* qh = qh_.get();  // the name that qhull's macros expect
    facetT* facet = nullptr;
    FORALLfacets {
      std::array<int, 3> corners{};
      std::size_t count = 0;
      vertexT* vertex = nullptr;
      vertexT** vertexp = nullptr;
      FOREACHvertex_(facet->vertices) {
        if (count < 3) corners[count] = qh_pointid(qh, vertex->point);
        ++count;
      }
      if (count == 3) {
        visit(corners, Eigen::Vector3d(facet->normal[0], facet->normal[1], facet->normal[2]));
      }
    }
  }

 private:
  QuietStream quiet_;
  std::unique_ptr<qhT> qh_;
};

/// The hull of some points by qhull with these options; false if it has none.
bool find_hull(const std::vector<Eigen::Vector3d>& vertices, const std::string& options,
               std::vector<Eigen::Vector3d>& hull_vertices,
               std::vector<std::array<int, 3>>& hull_triangles) {
  hull_vertices.clear();
  hull_triangles.clear();
  std::vector<double> points;
  points.reserve(3 * vertices.size());
  for (const Eigen::Vector3d& vertex : vertices) {
    points.insert(points.end(), vertex.data(), vertex.data() + 3);
  }
  HullRun run;
  if (!run.compute(points, options)) return false;

  std::unordered_map<int, int> kept;  // index among the vertices → among the hull's
  run.for_each_triangle([&](std::array<int, 3> corners, const Eigen::Vector3d& normal) {
    std::array<Eigen::Vector3d, 3> at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = vertices[static_cast<std::size_t>(corners[k])];
    // qhull orders corners by age, not by orientation.
    if ((at[1] - at[0]).cross(at[2] - at[0]).dot(normal) < 0.0) std::swap(corners[1], corners[2]);
    for (int& corner : corners) {
      const auto [entry, is_new] = kept.try_emplace(corner, static_cast<int>(hull_vertices.size()));
      if (is_new) hull_vertices.push_back(vertices[static_cast<std::size_t>(corner)]);
      corner = entry->second;
    }
    hull_triangles.push_back(corners);
  });
  return !hull_triangles.empty();
}

double half_diagonal(const std::vector<Eigen::Vector3d>& points) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& point : points) box.extend(point);
  return 0.5 * box.diagonal().norm();
}

/// How far points are outside of the planes of a hull's triangles, at most [m].
double largest_excess(const std::vector<Eigen::Vector3d>& points,
                      const std::vector<Eigen::Vector3d>& hull_vertices,
                      const std::vector<std::array<int, 3>>& hull_triangles) {
  double worst = 0.0;
  for (const std::array<int, 3>& corners : hull_triangles) {
    const auto at = [&](std::size_t k) -> const Eigen::Vector3d& {
      return hull_vertices[static_cast<std::size_t>(corners[k])];
    };
    const Eigen::Vector3d area = (at(1) - at(0)).cross(at(2) - at(0));
    const double size = area.norm();
    if (!(size > 0.0)) continue;
    const Eigen::Vector3d normal = area / size;
    const double offset = normal.dot(at(0));
    for (const Eigen::Vector3d& point : points) {
      worst = std::max(worst, normal.dot(point) - offset);
    }
  }
  return worst;
}

}  // namespace

bool add_convex_hull(Mesh& mesh) {
  return find_hull(mesh.vertices, "", mesh.hull_vertices, mesh.hull_triangles);
}

std::optional<HullReduction> reduce_hull(Mesh& mesh, int most_vertices) {
  const bool limited = most_vertices >= simplex_vertices &&
                       mesh.hull_vertices.size() > static_cast<std::size_t>(most_vertices);
  if (!limited && mesh.hull_vertices.size() <= many_vertices) return std::nullopt;
  // W: points within this distance of a face are not added. TA: stops after so many points.
  const std::string options =
      limited ? fmt::format(" TA{}", most_vertices - simplex_vertices)
              : fmt::format(" W{:.9g}", reduction_bound * half_diagonal(mesh.hull_vertices));
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
  if (!find_hull(mesh.hull_vertices, options, vertices, triangles)) return std::nullopt;
  if (vertices.size() >= mesh.hull_vertices.size()) return std::nullopt;
  const HullReduction result{mesh.hull_vertices.size(), vertices.size(),
                             largest_excess(mesh.hull_vertices, vertices, triangles)};
  mesh.hull_vertices = std::move(vertices);
  mesh.hull_triangles = std::move(triangles);
  return result;
}

std::string HullReduction::to_string() const {
  return fmt::format(
      "the convex hull of the mesh has {} vertices; it collides with {} of them, which lie up to "
      "{:.2g} mm deeper",
      before, after, 1e3 * error);
}

}  // namespace stiction
