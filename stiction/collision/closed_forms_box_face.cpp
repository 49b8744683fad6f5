/// \file
/// Points of two boxes where a face of one is the plane of contact. Implements
/// [SutherlandHodgman1974]: the polygon of the other box's face is cut at one side of the chosen
/// face after the other. Deviations: every edge of the polygon carries a label, its own or that of
/// the side that cut it, so that a corner is known by the two labels that meet in it.

#include <algorithm>
#include <utility>

#include "stiction/collision/closed_forms_box.hpp"

namespace stiction {
namespace {

/// Corners this far beyond a side still count as inside, in parts of the face: boxes of the same
/// size that stand flush give their four corners, whatever the rounding.
constexpr double flush = 1e-8;
/// Corners closer to each other than this part of the face become one.
constexpr double merging = 1e-3;
/// Gaps that differ by less, in parts of the face, do not decide which of two corners stays.
constexpr double same_gap = 1e-9;

/// The chosen face and the other box, in the axes of the box that owns the face.
struct Frame {
  std::size_t k, k1, k2;  ///< axis of the normal, first and second axis of the face
  std::size_t j, j1, j2;  ///< the same of the other box's face
  double sign;            ///< of the face's outward normal along k
  double other_sign;      ///< of the other face's outward normal along j
  double half_u, half_v;  ///< of the face [m]
  Triple center;          ///< of the other face, as (u, v, gap)
  Triple arm1, arm2;      ///< its half edges, as (u, v, gap)
};

/// Axis m of the other box in the axes of the owner, entry i.
double entry(const BoxPair& pair, bool of_a, std::size_t i, std::size_t m) {
  return of_a ? pair.rotation[i][m] : pair.rotation[m][i];
}

Frame make_frame(const BoxPair& pair, const FaceChoice& face) {
  Frame f;
  f.k = face.axis;
  f.k1 = (f.k + 1) % 3;
  f.k2 = (f.k + 2) % 3;
  const Triple& half = face.of_a ? pair.half_a : pair.half_b;
  const Triple& other_half = face.of_a ? pair.half_b : pair.half_a;
  Triple c = pair.position;
  if (!face.of_a) c = {-pair.position_b[0], -pair.position_b[1], -pair.position_b[2]};
  f.sign = c[f.k] < 0.0 ? -1.0 : 1.0;
  const auto axis = [&](std::size_t m) -> Triple {
    return {entry(pair, face.of_a, f.k1, m), entry(pair, face.of_a, f.k2, m),
            f.sign * entry(pair, face.of_a, f.k, m)};
  };
  const std::array<Triple, 3> axes{axis(0), axis(1), axis(2)};
  f.j = 0;
  for (std::size_t m = 1; m < 3; ++m) {
    if (std::abs(axes[m][2]) > std::abs(axes[f.j][2])) f.j = m;
  }
  f.j1 = (f.j + 1) % 3;
  f.j2 = (f.j + 2) % 3;
  f.other_sign = axes[f.j][2] > 0.0 ? -1.0 : 1.0;
  f.half_u = half[f.k1];
  f.half_v = half[f.k2];
  f.center = {c[f.k1], c[f.k2], f.sign * c[f.k] - half[f.k]};
  for (std::size_t i = 0; i < 3; ++i) {
    f.center[i] += f.other_sign * other_half[f.j] * axes[f.j][i];
    f.arm1[i] = other_half[f.j1] * axes[f.j1][i];
    f.arm2[i] = other_half[f.j2] * axes[f.j2][i];
  }
  return f;
}

/// A corner of the polygon and the edge that begins in it.
struct Corner {
  Triple x{};  ///< (u, v, gap)
  int label =
      0;  ///< 0 to 3: edge of the other face; 4 to 7: side of the chosen one, +u, -u, +v, -v
};

struct Polygon {
  std::array<Corner, 24> at;
  int count = 0;
  void add(const Triple& x, int label) { at[static_cast<std::size_t>(count++)] = {x, label}; }
};

void begin_with_other_face(const Frame& f, Polygon& polygon) {
  constexpr std::array<std::array<double, 2>, 4> signs{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  for (int m = 0; m < 4; ++m) {
    const auto& [s1, s2] = signs[static_cast<std::size_t>(m)];
    polygon.add({f.center[0] + (s1 * f.arm1[0] + s2 * f.arm2[0]),
                 f.center[1] + (s1 * f.arm1[1] + s2 * f.arm2[1]),
                 f.center[2] + (s1 * f.arm1[2] + s2 * f.arm2[2])},
                m);
  }
}

/// Keeps what has sign * x[axis] <= half.
void cut(const Polygon& polygon, std::size_t axis, double sign, double half, double allowance,
         int side, Polygon& rest) {
  rest.count = 0;
  if (polygon.count == 0) return;
  Corner from = polygon.at[static_cast<std::size_t>(polygon.count - 1)];
  double beyond_from = sign * from.x[axis] - half;
  for (int m = 0; m < polygon.count; ++m) {
    const Corner& to = polygon.at[static_cast<std::size_t>(m)];
    const double beyond_to = sign * to.x[axis] - half;
    const bool from_inside = beyond_from <= allowance;
    const bool to_inside = beyond_to <= allowance;
    if (from_inside != to_inside) {
      const double t = std::clamp(beyond_from / (beyond_from - beyond_to), 0.0, 1.0);
      Triple x;
      for (std::size_t i = 0; i < 3; ++i) x[i] = from.x[i] + t * (to.x[i] - from.x[i]);
      rest.add(x, from_inside ? side : from.label);
    }
    if (to_inside) rest.add(to.x, to.label);
    from = to;
    beyond_from = beyond_to;
  }
}

/// Corner of the other box, from the number of the corner in its face.
int other_corner(const Frame& f, int m) {
  const int first = m == 1 || m == 2 ? 1 : 0;
  const int second = m >= 2 ? 1 : 0;
  return ((f.other_sign > 0.0 ? 1 : 0) << f.j) | (first << f.j1) | (second << f.j2);
}

/// Corner of the owner in which two sides meet.
int own_corner(const Frame& f, int side1, int side2) {
  const int first = side1 == 4 || side2 == 4 ? 1 : 0;
  const int second = side1 == 6 || side2 == 6 ? 1 : 0;
  return ((f.sign > 0.0 ? 1 : 0) << f.k) | (first << f.k1) | (second << f.k2);
}

/// Edge of the other box, from the number of the edge in its face; that of the owner from the side.
int other_edge(const Frame& f, int label) {
  return edge_number((label & 1) == 0 ? f.j1 : f.j2, other_corner(f, label));
}
int own_edge(const Frame& f, int side) {
  return edge_number(side < 6 ? f.k2 : f.k1, own_corner(f, side, side));
}

int feature_of(const Frame& f, bool of_a, int label_in, int label_out) {
  if (label_in < 4 && label_out < 4) return other_corner(f, label_out) + (of_a ? 0 : 8);
  if (label_in >= 4 && label_out >= 4) return own_corner(f, label_in, label_out) + (of_a ? 8 : 0);
  const int own = own_edge(f, std::max(label_in, label_out));
  const int other = other_edge(f, std::min(label_in, label_out));
  return of_a ? crossing_feature(own, other) : crossing_feature(other, own);
}

/// Of points close to each other the deepest stays, or the one with the smaller feature.
void merge(const Frame& f, FacePoints& found) {
  const double near = merging * std::min(f.half_u, f.half_v);
  const double same = same_gap * (f.half_u + f.half_v);
  for (int i = 0; i < found.count; ++i) {
    for (int j = i + 1; j < found.count; ++j) {
      FacePoint& p = found.at[static_cast<std::size_t>(i)];
      FacePoint& q = found.at[static_cast<std::size_t>(j)];
      if (std::abs(p.u - q.u) > near || std::abs(p.v - q.v) > near) continue;
      const bool keep_q = std::abs(p.gap - q.gap) > same ? q.gap < p.gap : q.feature < p.feature;
      if (keep_q) p = q;
      q = found.at[static_cast<std::size_t>(--found.count)];
      j = i;
    }
  }
}

}  // namespace

void clip_face(const BoxPair& pair, const FaceChoice& face, FacePoints& found) {
  const Frame f = make_frame(pair, face);
  std::array<Polygon, 2> polygons;
  begin_with_other_face(f, polygons[0]);
  int current = 0;
  const double allowance = flush * (f.half_u + f.half_v);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double half = axis == 0 ? f.half_u : f.half_v;
    const double reach = std::abs(f.arm1[axis]) + std::abs(f.arm2[axis]);
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1.0 : -1.0;
      if (sign * f.center[axis] + reach <= half + allowance) continue;
      cut(polygons[static_cast<std::size_t>(current)], axis, sign, half, allowance,
          4 + 2 * static_cast<int>(axis) + side, polygons[static_cast<std::size_t>(1 - current)]);
      current = 1 - current;
    }
  }
  const Polygon& polygon = polygons[static_cast<std::size_t>(current)];
  found.count = 0;
  found.smallest_gap = INFINITY;
  for (int m = 0; m < polygon.count; ++m) {
    const Corner& corner = polygon.at[static_cast<std::size_t>(m)];
    const Corner& before = polygon.at[static_cast<std::size_t>(m > 0 ? m - 1 : polygon.count - 1)];
    found.smallest_gap = std::min(found.smallest_gap, corner.x[2]);
    found.at[static_cast<std::size_t>(found.count++)] = {
        corner.x[0], corner.x[1], corner.x[2],
        feature_of(f, face.of_a, before.label, corner.label)};
  }
  merge(f, found);
}

void add_face_points(const BoxPair& pair, const FaceChoice& face, FacePoints& found, double margin,
                     PointBuffer& points) {
  const auto begin = found.at.begin();
  // By depth first, should rounding have made more than fit.
  if (found.count > max_convex_points) {
    std::sort(begin, begin + found.count, [](const FacePoint& p, const FacePoint& q) {
      return std::pair(p.gap, p.feature) < std::pair(q.gap, q.feature);
    });
    found.count = max_convex_points;
  }
  for (int i = 1; i < found.count; ++i) {
    const FacePoint moving = begin[i];
    int j = i;
    for (; j > 0 && begin[j - 1].feature > moving.feature; --j) begin[j] = begin[j - 1];
    begin[j] = moving;
  }
  const Placement& owner = face.of_a ? *pair.at_a : *pair.at_b;
  const Triple& half = face.of_a ? pair.half_a : pair.half_b;
  const std::size_t k = face.axis;
  const double toward = face.of_a ? pair.position[k] : -pair.position_b[k];
  const double sign = toward < 0.0 ? -1.0 : 1.0;
  Triple unit{};
  unit[k] = face.of_a ? sign : -sign;
  const Vector3<double> normal = owner.rotation * to_vector(unit);
  for (int i = 0; i < found.count; ++i) {
    const FacePoint& p = begin[i];
    if (p.gap > margin) continue;
    Triple x;
    x[(k + 1) % 3] = p.u;
    x[(k + 2) % 3] = p.v;
    x[k] = sign * (half[k] + 0.5 * p.gap);
    points.add(multiply_add(owner.rotation, to_vector(x), owner.position), normal, p.gap,
               p.feature);
  }
}

}  // namespace stiction
