#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "stiction/io/mesh_file.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace stiction {

namespace {

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
  bool compute(std::vector<double>& points) {
    if (quiet_.stream == nullptr || points.size() < 12) return false;
    // Qt: triangles only. Qhull declares the command char*, but does not write to it.
    std::string command = "qhull Qt";
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

}  // namespace

bool add_convex_hull(Mesh& mesh) {
  mesh.hull_vertices.clear();
  mesh.hull_triangles.clear();
  std::vector<double> points;
  points.reserve(3 * mesh.vertices.size());
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    points.insert(points.end(), vertex.data(), vertex.data() + 3);
  }
  HullRun run;
  if (!run.compute(points)) return false;

  std::unordered_map<int, int> kept;  // index among the mesh's vertices → among the hull's
  run.for_each_triangle([&](std::array<int, 3> corners, const Eigen::Vector3d& normal) {
    std::array<Eigen::Vector3d, 3> at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = mesh.vertices[static_cast<std::size_t>(corners[k])];
    // qhull orders corners by age, not by orientation.
    if ((at[1] - at[0]).cross(at[2] - at[0]).dot(normal) < 0.0) std::swap(corners[1], corners[2]);
    for (int& corner : corners) {
      const auto [entry, is_new] =
          kept.try_emplace(corner, static_cast<int>(mesh.hull_vertices.size()));
      if (is_new) {
        mesh.hull_vertices.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
      }
      corner = entry->second;
    }
    mesh.hull_triangles.push_back(corners);
  });
  return !mesh.hull_triangles.empty();
}

}  // namespace stiction
