#pragma once

/// \file
/// A box on a surface: its corners on facets, vertices of the surface in its faces, and edges of
/// both across each other, as long as the middle of the box is in front of them. Private to
/// stiction/collision.

#include "stiction/collision/ball_on_surface.hpp"

namespace stiction {

/// In the axes of the surface.
struct BoxOnSurface {
  Placement at;
  std::array<double, 3> half{};  ///< [m]
  double margin = 0.0;           ///< [m]

  [[nodiscard]] const Vector3<double>& axis(std::size_t i) const {
    return i == 0 ? at.rotation.c0 : i == 1 ? at.rotation.c1 : at.rotation.c2;
  }
  /// How far all of the box is in front of a facet's plane.
  [[nodiscard]] double clearance(const SurfaceTriangle& triangle) const {
    double height = dot(triangle.normal, at.position - triangle.corner[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      height = fma(-half[i], std::abs(dot(triangle.normal, axis(i))), height);
    }
    return height;
  }
  /// Half the size of the upright box about it.
  [[nodiscard]] Vector3<double> extent() const {
    const auto along = [&](double x, double y, double z) {
      return fma(half[2], std::abs(z), fma(half[1], std::abs(y), half[0] * std::abs(x)));
    };
    const Matrix3<double>& R = at.rotation;
    return {along(R.c0.x, R.c1.x, R.c2.x), along(R.c0.y, R.c1.y, R.c2.y),
            along(R.c0.z, R.c1.z, R.c2.z)};
  }
};

namespace surface_detail {

inline std::array<double, 3> to_array(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

template <class Surface>
void touch_box_corners(const Surface& surface, const BoxOnSurface& box, SurfacePoints& points) {
  for (int corner = 0; corner < 8; ++corner) {
    std::array<double, 3> sign;
    Vector3<double> offset;
    for (std::size_t i = 0; i < 3; ++i) {
      sign[i] = (corner >> i & 1) != 0 ? 1.0 : -1.0;
      offset = multiply_add(sign[i] * box.half[i], box.axis(i), offset);
    }
    // On facets all corners of the lower half count, so that a face at rest keeps its corners; at
    // edges and vertices only a corner that is the nearest point of the box.
    const auto accept = Overloaded{
        [&](const SurfaceTriangle& triangle) {
          return dot(triangle.normal, offset) < 0.0 &&
                 (Surface::is_solid || is_in_front(triangle, box.at.position));
        },
        [&](const Vector3<double>& n) {
          return sign[0] * dot(n, box.axis(0)) <= exact_cone &&
                 sign[1] * dot(n, box.axis(1)) <= exact_cone &&
                 sign[2] * dot(n, box.axis(2)) <= exact_cone;
        },
    };
    touch_ball(surface, {box.at.position + offset, 0.0, box.margin, norm(offset), corner}, accept,
               points);
  }
}

/// The faces that a vertex of the surface inside of the box, or before one face, may leave by.
inline void touch_vertex_by_faces(const BoxOnSurface& box, const Vector3<double>& vertex,
                                  int number, const std::array<double, 3>& local,
                                  std::span<const Vector3<double>> edges, SurfacePoints& points) {
  double best = -std::numeric_limits<double>::infinity();
  Vector3<double> normal;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const double sign : {-1.0, 1.0}) {
      const double gap = fma(sign, local[i], -box.half[i]);
      if (gap <= best || gap < -box.half[i]) continue;
      const Vector3<double> n = -sign * box.axis(i);
      if (!in_vertex_cone(edges, n, wide_cone) || !sticks_out(edges, n, wide_cone)) continue;
      best = gap;
      normal = n;
    }
  }
  if (!std::isfinite(best) || best > box.margin) return;
  points.add(SurfaceSource::vertex, number, 0, multiply_add(0.5 * best, normal, vertex), normal,
             best);
}

template <class Surface>
void touch_box_by_vertex(const Surface& surface, const BoxOnSurface& box,
                         const Vector3<double>& vertex, int number, SurfacePoints& points) {
  const auto local = to_array(transpose_times(box.at.rotation, vertex - box.at.position));
  int beyond = 0;
  std::array<double, 3> to_box{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double excess = std::abs(local[i]) - box.half[i];
    if (excess > box.margin) return;
    if (excess <= 0.0) continue;
    ++beyond;
    to_box[i] = -std::copysign(excess, local[i]);
  }
  if (beyond == 3) return;  // nearest to a corner, which finds it
  std::array<Vector3<double>, 8> memory;
  const auto edges = surface.vertex_edges(number, memory);
  if (beyond < 2) return touch_vertex_by_faces(box, vertex, number, local, edges, points);
  const Vector3<double> way = box.at.rotation * Vector3<double>{to_box[0], to_box[1], to_box[2]};
  const double gap = norm(way);
  const Vector3<double> normal = (1.0 / gap) * way;
  if (gap > box.margin || !in_vertex_cone(edges, normal, exact_cone)) return;
  points.add(SurfaceSource::vertex, number, 0, multiply_add(0.5, way, vertex), normal, gap);
}

/// An edge of the surface in the axes of the box.
struct EdgeAtBox {
  std::array<double, 3> from;
  std::array<double, 3> along;
  int number = 0;
};

/// The edges of the box along axis i, against an edge of the surface whose cone holds `normal`
/// (in the axes of the box, at a right angle to both).
inline void touch_box_edges(const BoxOnSurface& box, const EdgeAtBox& edge, std::size_t i,
                            const std::array<double, 3>& normal, const Vector3<double>& out,
                            SurfacePoints& points) {
  const std::size_t j = (i + 1) % 3;
  const std::size_t k = (i + 2) % 3;
  const double turn = edge.along[j] * normal[k] - edge.along[k] * normal[j];
  for (int which = 0; which < 4; ++which) {
    const double sign_j = (which & 1) != 0 ? 1.0 : -1.0;
    const double sign_k = (which & 2) != 0 ? 1.0 : -1.0;
    if (sign_j * normal[j] > wide_cone || sign_k * normal[k] > wide_cone) continue;
    const double to_j = fma(sign_j, box.half[j], -edge.from[j]);
    const double to_k = fma(sign_k, box.half[k], -edge.from[k]);
    const double share = (to_j * normal[k] - to_k * normal[j]) / turn;
    const double gap = fma(to_j, normal[j], to_k * normal[k]);
    const double middle_in_front =
        gap + sign_j * box.half[j] * -normal[j] + sign_k * box.half[k] * -normal[k];
    if (!(share >= 0.0 && share <= 1.0) || middle_in_front < 0.0 || gap > box.margin) continue;
    if (std::abs(fma(share, edge.along[i], edge.from[i])) > box.half[i]) continue;
    std::array<double, 3> middle;
    for (std::size_t m = 0; m < 3; ++m) {
      middle[m] = fma(0.5 * gap, normal[m], fma(share, edge.along[m], edge.from[m]));
    }
    points.add(SurfaceSource::edge, edge.number, 4 * static_cast<int>(i) + which,
               multiply_add(box.at.rotation, {middle[0], middle[1], middle[2]}, box.at.position),
               out, gap);
  }
}

template <class Surface>
void touch_box_by_edge(const Surface& surface, const BoxOnSurface& box,
                       const SurfaceTriangle& triangle, int k, SurfacePoints& points) {
  if (!surface.may_touch(triangle, k)) return;
  const auto at = static_cast<std::size_t>(k);
  const Vector3<double>& from = triangle.corner[at];
  const Vector3<double> along = triangle.corner[(at + 1) % 3] - from;
  const EdgeAtBox edge{to_array(transpose_times(box.at.rotation, from - box.at.position)),
                       to_array(transpose_times(box.at.rotation, along)), 3 * triangle.index + k};
  for (std::size_t i = 0; i < 3; ++i) {
    const double bound = box.half[i] + box.margin;
    if (std::min(edge.from[i], edge.from[i] + edge.along[i]) > bound ||
        std::max(edge.from[i], edge.from[i] + edge.along[i]) < -bound) {
      return;
    }
  }
  const SurfaceEdge seen = surface.edge(triangle, k);
  if (!seen.owned || seen.kind != EdgeKind::convex) return;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3<double> across = cross(box.axis(i), along);
    const double length = norm(across);
    if (length <= 1e-9 * norm(along)) continue;
    for (const double sign : {-1.0, 1.0}) {
      const Vector3<double> out = (sign / length) * across;
      if (!in_edge_cone(triangle, k, seen, out, wide_cone)) continue;
      touch_box_edges(box, edge, i, to_array(transpose_times(box.at.rotation, out)), out, points);
    }
  }
}

}  // namespace surface_detail

template <class Surface>
void touch_box(const Surface& surface, const BoxOnSurface& box, SurfacePoints& points) {
  surface_detail::touch_box_corners(surface, box, points);
  const Vector3<double> reach = box.extent() + Vector3<double>{box.margin, box.margin, box.margin};
  surface.visit(box.at.position - reach, box.at.position + reach,
                [&](const SurfaceTriangle& triangle) {
                  if (box.clearance(triangle) > box.margin) return;
                  for (int k = 0; k < 3; ++k) {
                    const auto at = static_cast<std::size_t>(k);
                    surface_detail::touch_box_by_edge(surface, box, triangle, k, points);
                    if (!surface.owns_vertex(triangle, k)) continue;
                    surface_detail::touch_box_by_vertex(surface, box, triangle.corner[at],
                                                        triangle.vertex[at], points);
                  }
                });
}

}  // namespace stiction
