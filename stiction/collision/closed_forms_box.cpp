/// \file
/// Two boxes by separating axes. If boxes overlap, the direction of least overlap is a face normal
/// or normal to an edge of each; if they are apart, the largest separation along those fifteen
/// directions is the distance whenever it is met inside a face or where two edges cross. Otherwise
/// they are nearest at corners or beside edges, and the distance is looked for there.
///
/// Faces are preferred. Two boxes that lie on each other almost flat have edges whose common normal
/// is almost that of the face and may separate them a little further: that would be one point where
/// the faces have up to eight.

#include "stiction/collision/closed_forms_box.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/collision/closed_forms.hpp"

namespace stiction {
namespace {

/// An edge must separate further than the faces by this part of the sizes, a face of b than one of
/// a.
constexpr double face_bias = 1e-10;
/// Cosine from which on two faces count as parallel (1e-4 rad): that of a is taken.
constexpr double parallel_cosine = 1.0 - 5e-9;
/// Cosine from which on a normal of edges counts as that of a face (0.02 rad). The gap then differs
/// from that along the edges' normal by a factor of at most this.
constexpr double flat_cosine = 1.0 - 2e-4;
/// Squared sine of two edges below which they are parallel.
constexpr double parallel_sine_squared = 1e-12;
/// Points of a face show a separation if they come this close to it, in parts of the sizes.
constexpr double shown = 1e-8;

Triple to_triple(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

double dot3(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

BoxPair make_pair(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                  const Placement& at_b) {
  BoxPair pair;
  const Vector3<double> apart = at_b.position - at_a.position;
  pair.position = to_triple(transpose_times(at_a.rotation, apart));
  pair.position_b = to_triple(transpose_times(at_b.rotation, apart));
  // Row i holds axis i of a in the axes of b.
  pair.rotation = {to_triple(transpose_times(at_b.rotation, at_a.rotation.c0)),
                   to_triple(transpose_times(at_b.rotation, at_a.rotation.c1)),
                   to_triple(transpose_times(at_b.rotation, at_a.rotation.c2))};
  pair.half_a = to_triple(a.size);
  pair.half_b = to_triple(b.size);
  pair.size = a.size.x + a.size.y + a.size.z + b.size.x + b.size.y + b.size.z;
  pair.at_a = &at_a;
  pair.at_b = &at_b;
  return pair;
}

/// What the fifteen directions say.
struct Axes {
  FaceChoice face;
  double face_separation = -INFINITY;
  EdgeChoice edge;
};

using Matrix = std::array<Triple, 3>;

/// False if a face separates the boxes by more than the margin.
bool try_faces(const BoxPair& pair, const Matrix& absolute, double margin, Axes& axes) {
  double best_a = -INFINITY;
  double best_b = -INFINITY;
  std::size_t axis_a = 0;
  std::size_t axis_b = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double separation =
        std::abs(pair.position[i]) - (pair.half_a[i] + dot3(absolute[i], pair.half_b));
    if (separation > best_a) {
      best_a = separation;
      axis_a = i;
    }
  }
  if (best_a > margin) return false;
  for (std::size_t j = 0; j < 3; ++j) {
    const double reach = absolute[0][j] * pair.half_a[0] + absolute[1][j] * pair.half_a[1] +
                         absolute[2][j] * pair.half_a[2];
    const double separation = std::abs(pair.position_b[j]) - (pair.half_b[j] + reach);
    if (separation > best_b) {
      best_b = separation;
      axis_b = j;
    }
  }
  if (best_b > margin) return false;
  const bool take_b =
      best_b > best_a + face_bias * pair.size && absolute[axis_a][axis_b] < parallel_cosine;
  axes.face = {!take_b, take_b ? axis_b : axis_a};
  axes.face_separation = std::max(best_a, best_b);
  return true;
}

/// False if a direction normal to two edges separates the boxes by more than the margin.
bool try_edges(const BoxPair& pair, const Matrix& absolute, double margin, Axes& axes) {
  const Matrix& r = pair.rotation;
  constexpr std::array<std::size_t, 5> wrap{0, 1, 2, 0, 1};
  double best = -INFINITY;
  double best_along = 0.0;
  double best_length = 1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = wrap[i + 1];
    const std::size_t i2 = wrap[i + 2];
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = wrap[j + 1];
      const std::size_t j2 = wrap[j + 2];
      const double length_squared = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
      if (length_squared < parallel_sine_squared) continue;
      const double length = std::sqrt(length_squared);
      const double along = pair.position[i2] * r[i1][j] - pair.position[i1] * r[i2][j];
      const double reach_a = pair.half_a[i1] * absolute[i2][j] + pair.half_a[i2] * absolute[i1][j];
      const double reach_b = pair.half_b[j1] * absolute[i][j2] + pair.half_b[j2] * absolute[i][j1];
      const double separation = (std::abs(along) - (reach_a + reach_b)) / length;
      if (separation > best) {
        best = separation;
        best_along = along;
        best_length = length;
        axes.edge.axis_a = i;
        axes.edge.axis_b = j;
      }
    }
  }
  if (best > margin) return false;
  const double scale = (best_along < 0.0 ? -1.0 : 1.0) / best_length;
  const std::size_t i = axes.edge.axis_a;
  const std::size_t j = axes.edge.axis_b;
  axes.edge.separation = best;
  axes.edge.normal[wrap[i + 1]] = -scale * r[wrap[i + 2]][j];
  axes.edge.normal[wrap[i + 2]] = scale * r[wrap[i + 1]][j];
  return true;
}

/// Whether an edges' normal is nearly that of a face, and of which.
bool is_flat(const BoxPair& pair, const Triple& normal, FaceChoice& face) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(normal[i]) < flat_cosine) continue;
    face = {true, i};
    return true;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double cosine = normal[0] * pair.rotation[0][j] + normal[1] * pair.rotation[1][j] +
                          normal[2] * pair.rotation[2][j];
    if (std::abs(cosine) < flat_cosine) continue;
    face = {false, j};
    return true;
  }
  return false;
}

/// From a to b, in the axes of a.
Triple face_normal(const BoxPair& pair, const FaceChoice& face) {
  Triple normal{};
  const std::size_t k = face.axis;
  if (face.of_a) {
    normal[k] = pair.position[k] < 0.0 ? -1.0 : 1.0;
    return normal;
  }
  const double sign = pair.position_b[k] < 0.0 ? -1.0 : 1.0;
  for (std::size_t i = 0; i < 3; ++i) normal[i] = sign * pair.rotation[i][k];
  return normal;
}

}  // namespace

void collide_box_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                     const Placement& at_b, double margin, PointBuffer& points) {
  const BoxPair pair = make_pair(a, at_a, b, at_b);
  Matrix absolute;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) absolute[i][j] = std::abs(pair.rotation[i][j]);
  }
  Axes axes;
  if (!try_faces(pair, absolute, margin, axes)) return;
  if (!try_edges(pair, absolute, margin, axes)) return;

  double largest = axes.face_separation;
  double tolerance = shown * pair.size;
  FaceChoice face = axes.face;
  bool use_face = true;
  const bool edge_is_best = axes.edge.separation > largest + face_bias * pair.size;
  if (edge_is_best) {
    largest = axes.edge.separation;
    tolerance += std::abs(largest) * (1.0 - flat_cosine) * 1.5;
    use_face = is_flat(pair, axes.edge.normal, face);
  }
  const bool apart = largest > face_bias * pair.size;
  FacePoints found;
  if (use_face) {
    clip_face(pair, face, found);
    if (found.smallest_gap <= largest + tolerance) {
      add_face_points(pair, face, found, margin, points);
      return;
    }
  }
  if (edge_is_best && add_edge_point(pair, axes.edge, !apart, points)) return;
  if (apart) {
    add_apart_points(pair, edge_is_best ? axes.edge.normal : face_normal(pair, face), margin,
                     points);
  } else {
    add_face_points(pair, face, found, margin, points);
  }
}

}  // namespace stiction
