/// \file
/// Capsules against boxes. Outside, the squared distance of a point on the capsule's axis to the
/// box is a convex piecewise quadratic function of the place on the axis: its slope is piecewise
/// linear, breaks where the axis crosses the planes of the box's faces, and has its zero at the
/// closest point. If the axis runs through the box, the way out is along a face normal or along a
/// normal common to the axis and an edge (separating axes).

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/collision/closed_forms.hpp"
#include "stiction/collision/closed_forms_segment_box.hpp"

namespace stiction {
namespace {

/// Where the normal has a smaller part along an axis of the box, the box counts as flat that way.
constexpr double flat_part = 0.1;
/// Shorter lines of contact than this part of the radius count as a point.
constexpr double shortest_line = 1e-3;
/// An inner point is its own only if it lies deeper than the ends by this part of the sizes.
constexpr double deeper = 1e-9;
/// An edge must separate further than the faces by this part of the sizes.
constexpr double face_bias = 1e-11;
/// Closer to the box than this part of its size, the axis counts as inside.
constexpr double touching = 1e-12;

struct CapsuleBox : SegmentBox {
  double radius = 0.0;
  double size = 0.0;  ///< sum of lengths that rounding is measured by
};

Triple to_triple(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

CapsuleBox make_pair(const ShapeGeometry& capsule, const Placement& at_capsule,
                     const ShapeGeometry& box, const Placement& at_box) {
  const Vector3<double> apart = at_capsule.position - at_box.position;
  CapsuleBox pair;
  pair.center = to_triple(transpose_times(at_box.rotation, apart));
  pair.direction = to_triple(transpose_times(at_box.rotation, at_capsule.rotation.c2));
  pair.half = to_triple(box.size);
  pair.half_length = capsule.size.y;
  pair.radius = capsule.size.x;
  pair.size = pair.half_length + pair.radius + pair.half[0] + pair.half[1] + pair.half[2];
  return pair;
}

/// Takes points in the box's axes.
struct Writer {
  const CapsuleBox& pair;
  const Placement& at_box;
  double margin;
  PointBuffer& points;

  /// The ball of the capsule at place t on its axis; `normal` goes towards the box.
  void add(double t, const Triple& normal, double gap, int feature) const {
    if (gap > margin) return;
    const Triple x = pair.at(t);
    const Vector3<double> n = at_box.rotation * Vector3<double>{normal[0], normal[1], normal[2]};
    const Vector3<double> center =
        multiply_add(at_box.rotation, Vector3<double>{x[0], x[1], x[2]}, at_box.position);
    points.add(multiply_add(pair.radius + 0.5 * gap, n, center), n, gap, feature);
  }
};

struct Ball {
  double t = 0.0;
  double gap = 0.0;
  Triple normal{};  ///< towards the box
};

/// The ball at place t, whose centre is outside of the box.
Ball ball_outside(const CapsuleBox& pair, double t) {
  const Triple e = pair.away(t);
  const double distance = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  const double scale = -1.0 / distance;
  return {t, distance - pair.radius, {scale * e[0], scale * e[1], scale * e[2]}};
}

/// Features: 1 and 2 at the ends of the stretch that runs along the box, 0 within it.
void add_outside(const Ball& closest, const Writer& writer) {
  const CapsuleBox& pair = writer.pair;
  SegmentRange range{-pair.half_length, pair.half_length};
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(closest.normal[i]) < flat_part) range.clip(pair, i);
  }
  range.include(closest.t);
  if (!(range.high - range.low > shortest_line * pair.radius)) {
    writer.add(closest.t, closest.normal, closest.gap, 0);
    return;
  }
  const Ball low = ball_outside(pair, range.low);
  const Ball high = ball_outside(pair, range.high);
  if (closest.gap < std::min(low.gap, high.gap) - deeper * pair.size) {
    writer.add(closest.t, closest.normal, closest.gap, 0);
  }
  writer.add(low.t, low.normal, low.gap, 1);
  writer.add(high.t, high.normal, high.gap, 2);
}

/// A way to separate the axis from the box.
struct Exit {
  double separation = 0.0;  ///< of axis and box along the normal, <= 0 [m]
  Triple normal{};          ///< unit, towards the box
  std::size_t axis = 0;     ///< of the box: the face's, or the edge's
};

Exit best_face_exit(const CapsuleBox& pair) {
  Exit best{-INFINITY};
  for (std::size_t i = 0; i < 3; ++i) {
    const double separation =
        std::abs(pair.center[i]) - pair.half[i] - pair.half_length * std::abs(pair.direction[i]);
    if (separation <= best.separation) continue;
    best = {separation, {}, i};
    best.normal[i] = pair.center[i] < 0.0 ? 1.0 : -1.0;
  }
  return best;
}

Exit best_edge_exit(const CapsuleBox& pair) {
  Exit best{-INFINITY};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    const double length = std::hypot(pair.direction[j], pair.direction[k]);
    if (length < 1e-6) continue;
    Triple m{};  // direction x e_i, of unit length
    m[j] = pair.direction[k] / length;
    m[k] = -pair.direction[j] / length;
    const double along = m[j] * pair.center[j] + m[k] * pair.center[k];
    const double separation =
        std::abs(along) - std::abs(m[j]) * pair.half[j] - std::abs(m[k]) * pair.half[k];
    if (separation <= best.separation) continue;
    const double sign = along < 0.0 ? 1.0 : -1.0;
    best = {separation, {sign * m[0], sign * m[1], sign * m[2]}, i};
  }
  return best;
}

/// Through a face: both ends of what lies under it.
void add_face_exit(const Exit& exit, const Writer& writer) {
  const CapsuleBox& pair = writer.pair;
  const double sign = -exit.normal[exit.axis];  // of the face's outward normal
  SegmentRange range{-pair.half_length, pair.half_length};
  range.clip(pair, (exit.axis + 1) % 3);
  range.clip(pair, (exit.axis + 2) % 3);
  range.include(sign * pair.direction[exit.axis] > 0.0 ? -pair.half_length : pair.half_length);
  const auto gap = [&](double t) {
    return sign * pair.at(t)[exit.axis] - pair.half[exit.axis] - pair.radius;
  };
  writer.add(range.low, exit.normal, gap(range.low), 1);
  if (!(range.high - range.low > shortest_line * pair.radius)) return;
  writer.add(range.high, exit.normal, gap(range.high), 2);
}

/// Past an edge: where the capsule's axis crosses it, seen along the normal.
void add_edge_exit(const Exit& exit, const Writer& writer) {
  const CapsuleBox& pair = writer.pair;
  const std::size_t j = (exit.axis + 1) % 3;
  const std::size_t k = (exit.axis + 2) % 3;
  const Triple& n = exit.normal;
  // q = n x e_i is across the edge; the edge is the box's furthest against n.
  const double qj = n[k];
  const double qk = -n[j];
  const double edge_j = n[j] > 0.0 ? -pair.half[j] : pair.half[j];
  const double edge_k = n[k] > 0.0 ? -pair.half[k] : pair.half[k];
  const double across = qj * (edge_j - pair.center[j]) + qk * (edge_k - pair.center[k]);
  const double rate = qj * pair.direction[j] + qk * pair.direction[k];
  const double t = std::clamp(across / rate, -pair.half_length, pair.half_length);
  writer.add(t, n, exit.separation - pair.radius, 0);
}

}  // namespace

void collide_capsule_box(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                         const Placement& at_b, double margin, PointBuffer& points) {
  const CapsuleBox pair = make_pair(a, at_a, b, at_b);
  const Writer writer{pair, at_b, margin, points};
  const Ball closest = ball_outside(pair, pair.closest_place());
  if (closest.gap > margin) return;
  if (closest.gap + pair.radius > touching * pair.size) {
    add_outside(closest, writer);
    return;
  }
  const Exit face = best_face_exit(pair);
  const Exit edge = best_edge_exit(pair);
  if (edge.separation > face.separation + face_bias * pair.size) {
    add_edge_exit(edge, writer);
  } else {
    add_face_exit(face, writer);
  }
}

}  // namespace stiction
