#pragma once

/// \file
/// A convex polytope for collision: vertices with their neighbours, and faces as polygons.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/model/shape.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// The convex hull of a mesh. Triangles in one plane are merged, so that a hull that stands on a
/// face has that whole face as support.
class ConvexHull {
 public:
  struct Face {
    Vector3<double> normal;  ///< outward, unit
    int first = 0;           ///< where its corners begin in `corners`
    int count = 0;           ///< how many; counter-clockwise seen from outside, at least 3
  };

  /// Takes the hull of the mesh; of a flat mesh (which has none) its outline, which then is a plate
  /// without thickness and has two faces.
  explicit ConvexHull(const Mesh& mesh);
  /// Triangles must be counter-clockwise seen from outside and form the hull of the vertices.
  ConvexHull(std::vector<Vector3<double>> vertices,
             const std::vector<std::array<int, 3>>& triangles);

  [[nodiscard]] std::span<const Vector3<double>> vertices() const { return vertices_; }
  [[nodiscard]] std::span<const Face> faces() const { return faces_; }
  /// Indices of the face's vertices.
  [[nodiscard]] std::span<const int> corners(const Face& face) const {
    return std::span(corners_).subspan(static_cast<std::size_t>(face.first),
                                       static_cast<std::size_t>(face.count));
  }
  /// Indices of the vertices at the other ends of a vertex's edges, ascending.
  [[nodiscard]] std::span<const int> neighbours(int vertex) const {
    return row(neighbour_begin_, neighbours_, vertex);
  }
  /// Indices of the faces that meet in a vertex, ascending.
  [[nodiscard]] std::span<const int> faces_of(int vertex) const {
    return row(face_begin_, face_list_, vertex);
  }

  /// Index of a vertex that is furthest along the direction. Few vertices are all looked at; among
  /// many it climbs from neighbour to neighbour, which on a convex body ends at the furthest.
  /// `start` is where the climb begins, -1 for a vertex that lies about in this direction.
  [[nodiscard]] int support(const Vector3<double>& direction, int start = -1) const;

  /// The face of this vertex whose normal is nearest to the direction; nullptr if there is none.
  [[nodiscard]] const Face* support_face(int vertex, const Vector3<double>& direction) const;

  /// Of a sphere about the origin that holds all vertices [m].
  [[nodiscard]] double radius() const { return radius_; }

 private:
  static std::span<const int> row(const std::vector<int>& begin, const std::vector<int>& list,
                                  int i) {
    const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(i)]);
    const auto last = static_cast<std::size_t>(begin[static_cast<std::size_t>(i) + 1]);
    return std::span(list).subspan(first, last - first);
  }
  void find_radius();
  void connect(const std::vector<std::array<int, 3>>& triangles);
  void merge_faces(const std::vector<std::array<int, 3>>& triangles);
  void add_face(const std::vector<int>& members, const Vector3<double>& normal);
  void list_faces_of_vertices();
  void make_plate(const std::vector<Vector3<double>>& points);
  void find_starts();

  std::vector<Vector3<double>> vertices_;
  std::vector<Face> faces_;
  std::vector<int> corners_;
  std::vector<int> neighbour_begin_;  ///< one more than vertices
  std::vector<int> neighbours_;
  std::vector<int> face_begin_;  ///< one more than vertices
  std::vector<int> face_list_;
  std::array<int, 24> starts_{};  ///< by octant and largest coordinate of the direction
  double radius_ = 0.0;
};

}  // namespace stiction
