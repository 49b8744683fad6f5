#pragma once

/// \file
/// The triangles of a mesh on a fixed or kinematic body, in a tree of boxes.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "stiction/collision/surface.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// A surface that holds off what comes from its front (where triangles are counter-clockwise).
/// Vertices at the same place are one. An edge with one triangle, or with more than two, is a
/// border: the surface falls off there at a right angle. What got behind a facet is pushed back as
/// long as its middle is in front, or for a ball less than its radius behind, and as long as no
/// other facet that it came through is nearer.
class TriangleMesh {
 public:
  /// What is behind a facet is not always inside.
  static constexpr bool is_solid = false;

  explicit TriangleMesh(const Mesh& mesh);

  [[nodiscard]] int triangle_count() const { return static_cast<int>(triangles_.size()); }
  [[nodiscard]] const SurfaceTriangle& triangle(int index) const {
    return triangles_[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] SurfaceEdge edge(const SurfaceTriangle& triangle, int k) const {
    return edges_[3 * static_cast<std::size_t>(triangle.index) + static_cast<std::size_t>(k)];
  }
  /// Whether this triangle owns the edge and the edge is convex.
  [[nodiscard]] bool may_touch(const SurfaceTriangle& triangle, int k) const {
    const SurfaceEdge& of =
        edges_[3 * static_cast<std::size_t>(triangle.index) + static_cast<std::size_t>(k)];
    return of.owned && of.kind == EdgeKind::convex;
  }
  [[nodiscard]] bool owns_vertex(const SurfaceTriangle& triangle, int k) const {
    return vertices_[static_cast<std::size_t>(triangle.vertex[static_cast<std::size_t>(k)])]
               .owner == triangle.index;
  }
  /// Unit vectors along the edges that leave a vertex; at the border also into the solid.
  [[nodiscard]] std::span<const Vector3<double>> vertex_edges(
      int vertex, std::array<Vector3<double>, 8>&) const {
    const Vertex& of = vertices_[static_cast<std::size_t>(vertex)];
    return {vertex_edges_.data() + of.first_edge, static_cast<std::size_t>(of.edge_count)};
  }

  /// Calls visit(const SurfaceTriangle&) for each triangle whose box meets the one from low to
  /// high, in an order that depends on nothing else.
  template <class Visitor>
  void visit(const Vector3<double>& low, const Vector3<double>& high, Visitor&& visit) const {
    walk([&](const Node& node) { return overlap(node, low, high); }, visit);
  }
  /// The same for the boxes that `wanted(low, high)` accepts.
  template <class Wanted, class Visitor>
  void visit_if(Wanted&& wanted, Visitor&& visit) const {
    walk([&](const Node& node) { return wanted(node.low, node.high); }, visit);
  }

  /// Whether p is behind the surface, told by the facet, edge or vertex nearest to it; not if that
  /// is at the border.
  [[nodiscard]] bool is_inside(const Vector3<double>& p, const SurfaceTriangle& triangle,
                               const NearestOnTriangle& nearest) const;
  [[nodiscard]] double search_depth(const Vector3<double>&, double depth) const { return depth; }
  [[nodiscard]] std::optional<SurfaceTriangle> cover(const Vector3<double>&) const {
    return std::nullopt;
  }

 private:
  struct Vertex {
    Vector3<double> place;
    Vector3<double> normal;  ///< unit; the normals of its facets, weighted by their angles
    int owner = -1;          ///< the first triangle that has it
    int first_edge = 0;
    int edge_count = 0;
    bool border = false;
  };
  /// Inner nodes have their first child next to them; a leaf holds some triangles.
  struct Node {
    Vector3<double> low;
    Vector3<double> high;
    int second_child = -1;
    int first = 0;
    int count = 0;  ///< 0: inner node
  };
  static bool overlap(const Node& node, const Vector3<double>& low, const Vector3<double>& high) {
    return node.low.x <= high.x && node.high.x >= low.x && node.low.y <= high.y &&
           node.high.y >= low.y && node.low.z <= high.z && node.high.z >= low.z;
  }
  template <class Wanted, class Visitor>
  void walk(Wanted&& wanted, Visitor&& visit) const;

  void add_triangles(const Mesh& mesh, const std::vector<int>& places);
  void find_edges();
  void find_vertices();
  int add_node(int first, int count);

  std::vector<Vertex> vertices_;
  std::vector<SurfaceTriangle> triangles_;
  std::vector<SurfaceEdge> edges_;             ///< three per triangle
  std::vector<Vector3<double>> vertex_edges_;  ///< unit, by vertex
  std::vector<Node> nodes_;
  std::vector<int> order_;  ///< triangles as the leaves hold them
};

template <class Wanted, class Visitor>
void TriangleMesh::walk(Wanted&& wanted, Visitor&& visit) const {
  if (nodes_.empty()) return;
  std::array<int, 64> stack;  // halving 2^31 triangles takes 31 levels
  std::size_t height = 0;
  stack[height++] = 0;
  while (height > 0) {
    const int at = stack[--height];
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (!wanted(node)) continue;
    if (node.count == 0) {
      stack[height++] = node.second_child;
      stack[height++] = at + 1;
      continue;
    }
    for (int k = node.first; k < node.first + node.count; ++k) {
      visit(triangle(order_[static_cast<std::size_t>(k)]));
    }
  }
}

}  // namespace stiction
