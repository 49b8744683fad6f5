// Implements [BaerentzenAanaes2005, section 3]: the sign of a distance by angle-weighted normals.

#include "stiction/collision/triangle_mesh.hpp"

#include <numeric>
#include <tuple>

namespace stiction {
namespace {

using Vector = Vector3<double>;

constexpr int leaf_size = 4;

Vector unit(const Vector& v) { return (1.0 / norm(v)) * v; }

double component(const Vector& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// For each vertex the first one at the same place, numbered without gaps.
std::vector<int> weld(const std::vector<Eigen::Vector3d>& vertices) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    const Eigen::Vector3d& v = vertices[static_cast<std::size_t>(i)];
    return std::tuple(v.x(), v.y(), v.z());
  };
  std::ranges::sort(order,
                    [&](int a, int b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  std::vector<int> first(vertices.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && key(order[k]) == key(order[k - 1]);
    first[static_cast<std::size_t>(order[k])] =
        same ? first[static_cast<std::size_t>(order[k - 1])] : order[k];
  }
  std::vector<int> place(vertices.size());
  int count = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto source = static_cast<std::size_t>(first[i]);
    place[i] = source == i ? count++ : place[source];
  }
  return place;
}

struct HalfEdge {
  int low;   ///< vertex
  int high;  ///< vertex
  int slot;  ///< 3 * triangle + edge
  bool forwards;
};

}  // namespace

TriangleMesh::TriangleMesh(const Mesh& mesh) {
  const std::vector<int> places = weld(mesh.vertices);
  if (!places.empty()) {
    vertices_.resize(static_cast<std::size_t>(*std::ranges::max_element(places)) + 1);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    vertices_[static_cast<std::size_t>(places[i])].place = from_eigen(mesh.vertices[i]);
  }
  add_triangles(mesh, places);
  find_edges();
  find_vertices();
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(triangles_.size());
  if (!triangles_.empty()) add_node(0, triangle_count());
}

/// Leaves out triangles without area.
void TriangleMesh::add_triangles(const Mesh& mesh, const std::vector<int>& places) {
  for (const auto& corners : mesh.triangles) {
    SurfaceTriangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      triangle.vertex[k] = places[static_cast<std::size_t>(corners[k])];
      triangle.corner[k] = vertices_[static_cast<std::size_t>(triangle.vertex[k])].place;
    }
    const Vector first = triangle.corner[1] - triangle.corner[0];
    const Vector second = triangle.corner[2] - triangle.corner[0];
    const Vector area = cross(first, second);
    if (!(norm(area) > 1e-14 * (dot(first, first) + dot(second, second)))) continue;
    triangle.normal = unit(area);
    triangle.index = triangle_count();
    triangles_.push_back(triangle);
  }
}

void TriangleMesh::find_edges() {
  std::vector<HalfEdge> half_edges;
  edges_.resize(3 * triangles_.size());
  for (const SurfaceTriangle& triangle : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = triangle.vertex[k];
      const int to = triangle.vertex[(k + 1) % 3];
      half_edges.push_back({std::min(from, to), std::max(from, to),
                            3 * triangle.index + static_cast<int>(k), from < to});
      const Vector along = triangle.corner[(k + 1) % 3] - triangle.corner[k];
      edges_[static_cast<std::size_t>(half_edges.back().slot)] = {
          EdgeKind::convex, true, true, unit(cross(along, triangle.normal))};
    }
  }
  const auto key = [](const HalfEdge& e) { return std::tuple(e.low, e.high, e.slot); };
  std::ranges::sort(half_edges, {}, key);
  const auto same = [&](std::size_t i, std::size_t j) {
    return j < half_edges.size() && half_edges[i].low == half_edges[j].low &&
           half_edges[i].high == half_edges[j].high;
  };
  for (std::size_t i = 0; i < half_edges.size();) {
    std::size_t end = i + 1;
    while (same(i, end)) ++end;
    if (end == i + 2 && half_edges[i].forwards != half_edges[i + 1].forwards) {
      for (std::size_t side = 0; side < 2; ++side) {
        const int slot = half_edges[i + side].slot;
        const SurfaceTriangle& mine = triangle(slot / 3);
        const SurfaceTriangle& other = triangle(half_edges[i + 1 - side].slot / 3);
        const auto k = static_cast<std::size_t>(slot % 3);
        edges_[static_cast<std::size_t>(slot)] = {
            edge_kind(mine.normal, other.normal, mine.corner[k], mine.corner[(k + 1) % 3]),
            mine.index < other.index, false, other.normal};
      }
    }
    i = end;
  }
}

void TriangleMesh::find_vertices() {
  std::vector<std::array<int, 2>> pairs;  // (vertex, its neighbour)
  for (const SurfaceTriangle& of : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = static_cast<std::size_t>(of.vertex[k]);
      const auto to = static_cast<std::size_t>(of.vertex[(k + 1) % 3]);
      pairs.push_back({of.vertex[k], of.vertex[(k + 1) % 3]});
      pairs.push_back({of.vertex[(k + 1) % 3], of.vertex[k]});
      if (edge(of, static_cast<int>(k)).border)
        vertices_[from].border = vertices_[to].border = true;
      Vertex& vertex = vertices_[from];
      if (vertex.owner < 0) vertex.owner = of.index;
      const Vector ahead = unit(of.corner[(k + 1) % 3] - of.corner[k]);
      const Vector back = unit(of.corner[(k + 2) % 3] - of.corner[k]);
      vertex.normal += std::acos(std::clamp(dot(ahead, back), -1.0, 1.0)) * of.normal;
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::size_t next = 0;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    Vertex& vertex = vertices_[i];
    vertex.first_edge = static_cast<int>(vertex_edges_.size());
    for (; next < pairs.size() && pairs[next][0] == static_cast<int>(i); ++next) {
      const Vertex& other = vertices_[static_cast<std::size_t>(pairs[next][1])];
      vertex_edges_.push_back(unit(other.place - vertex.place));
    }
    if (norm(vertex.normal) > 0.0) vertex.normal = unit(vertex.normal);
    if (vertex.border) vertex_edges_.push_back(-vertex.normal);
    vertex.edge_count = static_cast<int>(vertex_edges_.size()) - vertex.first_edge;
  }
}

/// Halves the triangles by their centres along the longest side of their box.
int TriangleMesh::add_node(int first, int count) {
  const int index = static_cast<int>(nodes_.size());
  Node node;
  node.low = node.high = triangle(order_[static_cast<std::size_t>(first)]).corner[0];
  for (int k = first; k < first + count; ++k) {
    for (const Vector& c : triangle(order_[static_cast<std::size_t>(k)]).corner) {
      node.low = {std::min(node.low.x, c.x), std::min(node.low.y, c.y), std::min(node.low.z, c.z)};
      node.high = {std::max(node.high.x, c.x), std::max(node.high.y, c.y),
                   std::max(node.high.z, c.z)};
    }
  }
  nodes_.push_back(node);
  if (count <= leaf_size) {
    nodes_.back().first = first;
    nodes_.back().count = count;
    return index;
  }
  const Vector size = node.high - node.low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const auto center = [&](int i) {
    const auto& c = triangle(i).corner;
    return std::pair(component(c[0] + c[1] + c[2], axis), i);
  };
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + count / 2, begin + count,
                   [&](int a, int b) { return center(a) < center(b); });
  add_node(first, count / 2);
  const int second = add_node(first + count / 2, count - count / 2);
  nodes_[static_cast<std::size_t>(index)].second_child = second;
  return index;
}

bool TriangleMesh::is_inside(const Vector& p, const SurfaceTriangle& of,
                             const NearestOnTriangle& nearest) const {
  const Vector away = p - nearest.point;
  if (nearest.corner >= 0) {
    const int vertex = of.vertex[static_cast<std::size_t>(nearest.corner)];
    const Vertex& nearest_vertex = vertices_[static_cast<std::size_t>(vertex)];
    return !nearest_vertex.border && dot(nearest_vertex.normal, away) < 0.0;
  }
  if (nearest.edge < 0) return dot(of.normal, away) < 0.0;
  const SurfaceEdge nearest_edge = edge(of, nearest.edge);
  return !nearest_edge.border && dot(of.normal + nearest_edge.other_normal, away) < 0.0;
}

}  // namespace stiction
