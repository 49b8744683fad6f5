#pragma once

/// \file
/// Signed gap of two convex polytopes by looking at every pair of features.

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/convex_shapes.hpp"

namespace stiction::test {

/// A polytope in world axes.
struct WorldPolytope {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 3>> triangles;

  WorldPolytope(const ConvexHull& hull, const Placement& at) {
    const Eigen::Matrix3d rotation = to_eigen(at.rotation);
    for (const auto& v : hull.vertices())
      vertices.push_back(rotation * to_eigen(v) + to_eigen(at.position));
    for (const ConvexHull::Face& face : hull.faces()) {
      const auto corners = hull.corners(face);
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const int next = corners[(i + 1) % corners.size()];
        if (corners[i] < next) edges.push_back({corners[i], next});
        if (i >= 2) triangles.push_back({corners[0], corners[i - 1], corners[i]});
      }
    }
  }
  [[nodiscard]] const Eigen::Vector3d& at(int i) const {
    return vertices[static_cast<std::size_t>(i)];
  }
};

inline double separation(const WorldPolytope& a, const WorldPolytope& b, const Eigen::Vector3d& n) {
  double most_a = -std::numeric_limits<double>::infinity();
  double least_b = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& v : a.vertices) most_a = std::max(most_a, n.dot(v));
  for (const Eigen::Vector3d& v : b.vertices) least_b = std::min(least_b, n.dot(v));
  return least_b - most_a;
}

inline double point_triangle_distance(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                      const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const Eigen::Vector3d n = (b - a).cross(c - a);
  const bool above = (b - a).cross(p - a).dot(n) >= 0.0 && (c - b).cross(p - b).dot(n) >= 0.0 &&
                     (a - c).cross(p - c).dot(n) >= 0.0;
  // Beside the triangle an edge is nearer, and edges are looked at on their own.
  return above ? std::fabs(n.normalized().dot(p - a)) : std::numeric_limits<double>::infinity();
}

inline double edge_edge_distance(const Eigen::Vector3d& p, const Eigen::Vector3d& q,
                                 const Eigen::Vector3d& r, const Eigen::Vector3d& s) {
  const Eigen::Vector3d d = q - p;
  const Eigen::Vector3d e = s - r;
  const auto to_segment = [](const Eigen::Vector3d& x, const Eigen::Vector3d& from,
                             const Eigen::Vector3d& to) {
    const Eigen::Vector3d along = to - from;
    const double t = std::clamp((x - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
    return (x - from - t * along).norm();
  };
  double best = std::min(
      {to_segment(p, r, s), to_segment(q, r, s), to_segment(r, p, q), to_segment(s, p, q)});
  const Eigen::Vector3d n = d.cross(e);
  if (n.squaredNorm() > 1e-20 * d.squaredNorm() * e.squaredNorm()) {
    const double t = (r - p).cross(e).dot(n) / n.squaredNorm();
    const double u = (r - p).cross(d).dot(n) / n.squaredNorm();
    if (t >= 0.0 && t <= 1.0 && u >= 0.0 && u <= 1.0)
      best = std::min(best, std::fabs(n.normalized().dot(r - p)));
  }
  return best;
}

/// Largest separation over the normals of all faces and of all pairs of edges: exact where the
/// polytopes overlap, and positive where they do not.
inline double best_axis(const WorldPolytope& a, const WorldPolytope& b) {
  double best = -std::numeric_limits<double>::infinity();
  const auto attempt = [&](const Eigen::Vector3d& n) {
    if (n.norm() < 1e-12) return;
    best = std::max({best, separation(a, b, n.normalized()), separation(a, b, -n.normalized())});
  };
  for (const WorldPolytope* shape : {&a, &b}) {
    for (const auto& t : shape->triangles) {
      attempt((shape->at(t[1]) - shape->at(t[0])).cross(shape->at(t[2]) - shape->at(t[0])));
    }
  }
  for (const auto& e : a.edges)
    for (const auto& f : b.edges) attempt((a.at(e[1]) - a.at(e[0])).cross(b.at(f[1]) - b.at(f[0])));
  return best;
}

inline double brute_force_gap(const WorldPolytope& a, const WorldPolytope& b) {
  const double overlap = best_axis(a, b);
  if (overlap <= 0.0) return overlap;
  double best = std::numeric_limits<double>::infinity();
  const auto corners_on = [&](const WorldPolytope& points, const WorldPolytope& faces) {
    for (const Eigen::Vector3d& p : points.vertices)
      for (const auto& t : faces.triangles)
        best = std::min(best,
                        point_triangle_distance(p, faces.at(t[0]), faces.at(t[1]), faces.at(t[2])));
  };
  corners_on(a, b);
  corners_on(b, a);
  for (const auto& e : a.edges)
    for (const auto& f : b.edges)
      best = std::min(best, edge_edge_distance(a.at(e[0]), a.at(e[1]), b.at(f[0]), b.at(f[1])));
  return best;
}

}  // namespace stiction::test
