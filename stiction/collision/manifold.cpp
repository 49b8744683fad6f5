/// \file
/// Faces are clipped against each other as in [SutherlandHodgman1974], with names of edges carried
/// along, so that a corner keeps its feature from step to step.

#include "stiction/collision/manifold.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

using Vector = Vector3<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Faces whose normal is this close to the common one (cosine; 3 degrees) can be stood upon.
constexpr double face_alignment = 0.9986;

/// Edges this close to parallel (sine) touch along a line. Further apart, their ends no longer lie
/// above each other, unless the edges are lines on round sides.
constexpr double edge_alignment = 1e-3;
constexpr double line_alignment = 0.1;

/// Nearer than this, in scales, two points are one, and a point beside a face is on it.
constexpr double same_point = 1e-7;
constexpr double on_edge = 1e-9;

/// A corner of the face that is being clipped. Edges are named by the id of the corner they begin
/// at, those of the clipping face with the bit of `clipping` set.
struct ClipCorner {
  Vector point;
  int id = -1;          ///< of the shape's corner; -1 if the corner was cut
  int edge_before = 0;  ///< names of the edges that end and begin here
  int edge_after = 0;
};
constexpr int clipping = 1 << 20;

struct ClipPolygon {
  std::array<ClipCorner, Manifold::most_points> corner;
  int count = 0;
  void add(const ClipCorner& c) {
    if (count < static_cast<int>(corner.size())) corner[at(count++)] = c;
  }
};

/// Spreads the names of two edges over 15 bits, the same for both orders.
int crossing_feature(int first, int second) {
  const auto low = static_cast<std::uint32_t>(std::min(first, second));
  const auto high = static_cast<std::uint32_t>(std::max(first, second));
  std::uint32_t mixed = low * 0x9e3779b1U + high * 0x85ebca77U;
  mixed ^= mixed >> 15;
  mixed *= 0x2c1b3c6dU;
  mixed ^= mixed >> 13;
  return 0x8000 + static_cast<int>(mixed & 0x7fffU);
}

/// 0 is the nearest point; then the corners of A and B, then crossings of edges.
int feature_of(const ClipCorner& corner, bool of_b) {
  if (corner.id >= 0) return 1 + (of_b ? 0x4000 : 0) + corner.id % 0x3fff;
  return crossing_feature(corner.edge_before + (of_b ? 1 << 21 : 0), corner.edge_after);
}

/// Writes the part of the polygon where dot(normal, p) <= offset. Segments and points are polygons
/// whose edges run back. False if that is the whole polygon; then nothing is written.
bool clip(const ClipPolygon& in, const Vector& normal, double offset, double tolerance,
          int edge_name, ClipPolygon& out) {
  std::array<double, Manifold::most_points> beyond;
  bool whole = true;
  for (int i = 0; i < in.count; ++i) {
    beyond[at(i)] = dot(normal, in.corner[at(i)].point) - offset;
    whole = whole && beyond[at(i)] <= tolerance;
  }
  if (whole) return false;
  out.count = 0;
  if (in.count == 1) return true;
  for (int i = 0; i < in.count; ++i) {
    const int after = i + 1 < in.count ? i + 1 : 0;
    const ClipCorner& here = in.corner[at(i)];
    const ClipCorner& next = in.corner[at(after)];
    const double d0 = beyond[at(i)];
    const double d1 = beyond[at(after)];
    if (d0 <= tolerance) out.add(here);
    if ((d0 <= tolerance) == (d1 <= tolerance)) continue;
    if (in.count == 2 && i == 1) continue;  // the way back of a segment
    ClipCorner cut;
    cut.point = multiply_add(d0 / (d0 - d1), next.point - here.point, here.point);
    const bool leaves = d0 <= tolerance;
    cut.edge_before = leaves ? here.edge_after : edge_name;
    cut.edge_after = leaves ? edge_name : here.edge_after;
    out.add(cut);
  }
  return true;
}

/// A polygon, and room for what is left of it.
struct ClipScratch {
  std::array<ClipPolygon, 2> polygons;
  std::size_t now = 0;

  void begin(const SupportFeature& feature) {
    now = 0;
    ClipPolygon& polygon = polygons[0];
    polygon.count = 0;
    int before = feature.count > 0 ? feature.id[at(feature.count - 1)] : 0;
    for (int i = 0; i < feature.count; ++i) {
      polygon.add({feature.corner[at(i)], feature.id[at(i)], before, feature.id[at(i)]});
      before = feature.id[at(i)];
    }
  }
  void cut(const Vector& normal, double offset, double tolerance, int edge_name) {
    if (clip(polygons[now], normal, offset, tolerance, edge_name, polygons[1 - now])) now = 1 - now;
  }
  [[nodiscard]] const ClipPolygon& polygon() const { return polygons[now]; }
};

/// Fixed memory of the thread: clearing it anew would take longer than clipping.
ClipScratch& clip_scratch() {
  thread_local ClipScratch scratch;
  return scratch;
}

/// How far a rounded surface is from its core, seen along the common normal.
struct Rounding {
  double radius = 0.0;
  double sine = 0.0;  ///< of the angle by which a capsule is tilted out of the tangent plane
  Vector end;         ///< its foremost end

  /// From a point of the core [m]. At the foremost end that is the radius; further up the side of a
  /// tilted capsule is met first.
  [[nodiscard]] double at(const Vector& point) const {
    if (!(radius > 0.0)) return 0.0;
    const double up = norm(point - end);
    const double cosine = std::sqrt(std::max(1.0 - sine * sine, 0.0));
    if (up * cosine >= radius * sine && cosine > 0.0) return radius / cosine;
    const double level = up * cosine;
    return up * sine + std::sqrt(std::max(radius * radius - level * level, 0.0));
  }
};

/// Of a core whose middle, axis and outward normal are given.
Rounding make_rounding(const ConvexCore& core, const Vector& middle, const Vector& axis,
                       const Vector& outward) {
  if (core.kind != ShapeKind::capsule) return {core.rounding, 0.0, middle};
  const double along = std::clamp(dot(axis, outward), -1.0, 1.0);
  return {core.rounding, std::fabs(along),
          multiply_add(std::copysign(core.size.y, along), axis, middle)};
}

/// What is common to all points of one pair.
struct Contact {
  Vector normal;  ///< from A to B
  Rounding a;
  Rounding b;
  double margin = 0.0;
  double scale = 0.0;
};

Contact make_contact(const ConvexPair& pair, const Vector& n, double margin) {
  return {n, make_rounding(pair.a, {}, {0.0, 0.0, 1.0}, n),
          make_rounding(pair.b, pair.position, pair.rotation.c2, -n), margin, pair.scale};
}

/// Adds a point between core points a and b = a + gap n.
void add_between(const Contact& contact, const Vector& a, double core_gap, int feature,
                 Manifold& manifold) {
  const double from_a = contact.a.at(a);
  const double from_b = contact.b.at(multiply_add(core_gap, contact.normal, a));
  const double gap = core_gap - from_a - from_b;
  if (gap > contact.margin) return;
  const double middle = 0.5 * (core_gap + from_a - from_b);
  manifold.add({multiply_add(middle, contact.normal, a), gap, feature});
}

/// Clips a feature of one shape against the prism over a face of the other.
void clip_against_face(const Contact& contact, const SupportFeature& face,
                       const SupportFeature& other, bool face_is_of_b, Manifold& manifold) {
  const Vector up = face_is_of_b ? -contact.normal : contact.normal;
  ClipScratch& scratch = clip_scratch();
  scratch.begin(other);
  for (int i = 0; i < face.count && scratch.polygon().count > 0; ++i) {
    const Vector& from = face.corner[at(i)];
    const Vector side = cross(face.corner[at((i + 1) % face.count)] - from, up);
    const double length = norm(side);
    if (!(length > 0.0)) continue;
    const Vector outward = (1.0 / length) * side;
    scratch.cut(outward, dot(outward, from), on_edge * contact.scale, face.id[at(i)] | clipping);
  }
  const ClipPolygon& polygon = scratch.polygon();
  for (int i = 0; i < polygon.count; ++i) {
    const ClipCorner& corner = polygon.corner[at(i)];
    const double gap = dot(corner.point - face.corner[0], face.normal) / dot(up, face.normal);
    const Vector a = face_is_of_b ? corner.point : multiply_subtract(gap, up, corner.point);
    add_between(contact, a, gap, feature_of(corner, !face_is_of_b), manifold);
  }
}

/// The round side that an edge of a core lies on: that of a cylinder, or of a capsule with its
/// caps.
struct RoundSide {
  Vector middle;
  Vector axis;  ///< unit
  double half_length = 0.0;
  double radius = 0.0;  ///< 0: the edge is sharp
  bool has_caps = false;

  /// Where the line x + t n meets the surface, `outward` (±1) along n; false if it does not.
  [[nodiscard]] bool meet(const Vector& x, const Vector& n, double outward, double& t) const {
    const Vector from = x - middle;
    const Vector across = multiply_subtract(dot(from, axis), axis, from);
    const Vector way = multiply_subtract(dot(n, axis), axis, n);
    if (!(radius > 0.0)) {
      t = -dot(across, way) / dot(way, way);
      return true;
    }
    if (!last_root(across, way, outward, t)) return false;
    const double along = dot(axis, multiply_add(t, n, from));
    if (!has_caps || std::fabs(along) <= half_length) return true;
    const Vector end = multiply_add(std::copysign(half_length, along), axis, middle);
    return last_root(x - end, n, outward, t);
  }

  /// How far a point is beyond the ends of the side, along the axis; signed.
  [[nodiscard]] double beyond(const Vector& point) const {
    if (!(radius > 0.0) || has_caps) return 0.0;
    const double along = dot(axis, point - middle);
    return along - std::clamp(along, -half_length, half_length);
  }

 private:
  /// The root of |from + t way| = radius that is foremost.
  bool last_root(const Vector& from, const Vector& way, double outward, double& t) const {
    const double a = dot(way, way);
    const double b = dot(from, way);
    const double discriminant = b * b - a * (dot(from, from) - radius * radius);
    if (!(discriminant >= 0.0) || !(a > 0.0)) return false;
    t = (outward * std::sqrt(discriminant) - b) / a;
    return true;
  }
};

RoundSide make_side(const ConvexCore& core, const Vector& middle, const Vector& axis) {
  if (core.kind == ShapeKind::cylinder) return {middle, axis, core.size.y, core.size.x, false};
  if (core.kind == ShapeKind::capsule) return {middle, axis, core.size.y, core.rounding, true};
  return {};
}

/// Adds the point at one end of two lines that run side by side, one on each side: `foot` on the
/// first, `way` from there to the second. It lies on the line along the normal where the surfaces
/// meet first if they come nearer.
void add_line_end(const Contact& contact, const RoundSide& a, const RoundSide& b,
                  const Vector& foot, const Vector& way, int feature, Manifold& manifold) {
  const Vector& n = contact.normal;
  const double height = dot(n, way);
  const Vector beside = multiply_subtract(height, n, way);
  Vector x = multiply_add(a.radius / (a.radius + b.radius), beside, foot);
  double from = 0.0;
  double to = height;
  for (int round = 0;; ++round) {
    if (!a.meet(x, n, 1.0, from) || !b.meet(x, n, -1.0, to)) return;
    if (round == 3) break;
    // Tilted sides end a little before their axes do.
    const double beyond_a = a.beyond(multiply_add(from, n, x));
    x = multiply_subtract(beyond_a, a.axis, x);
    x = multiply_subtract(b.beyond(multiply_add(to, n, x)), b.axis, x);
  }
  if (to - from > contact.margin) return;
  manifold.add({multiply_add(0.5 * (from + to), n, x), to - from, feature});
}

/// Two edges that run side by side touch at both ends of what they share.
void share_edges(const Contact& contact, const SupportFeature& a, const SupportFeature& b,
                 RoundSide side_a, RoundSide side_b, Manifold& manifold) {
  if (a.count != 2 || b.count != 2) return;
  const Vector edge = a.corner[1] - a.corner[0];
  const Vector other = b.corner[1] - b.corner[0];
  const double length = norm(edge);
  const double across = std::fabs(dot(contact.normal, cross(edge, other)));
  const bool round = side_a.radius + side_b.radius > 0.0;
  const double alignment = round ? line_alignment : edge_alignment;
  if (!(across <= alignment * length * norm(other)) || !(length > 0.0)) return;
  if (std::fabs(dot(contact.normal, edge)) > alignment * length) return;
  const Vector along = (1.0 / length) * edge;
  if (!(side_a.radius > 0.0)) side_a = {a.corner[0], along};
  if (!(side_b.radius > 0.0)) side_b = {b.corner[0], (1.0 / norm(other)) * other};
  ClipScratch& scratch = clip_scratch();
  scratch.begin(b);
  const double tolerance = on_edge * contact.scale;
  scratch.cut(along, dot(along, a.corner[1]), tolerance, a.id[1] | clipping);
  scratch.cut(-along, -dot(along, a.corner[0]), tolerance, a.id[0] | clipping);
  const ClipPolygon& polygon = scratch.polygon();
  for (int i = 0; i < polygon.count; ++i) {
    const ClipCorner& corner = polygon.corner[at(i)];
    const Vector foot = multiply_add(dot(along, corner.point - a.corner[0]), along, a.corner[0]);
    const int feature = feature_of(corner, true);
    if (round) {
      add_line_end(contact, side_a, side_b, foot, corner.point - foot, feature, manifold);
      continue;
    }
    const double gap = dot(contact.normal, corner.point - foot);
    add_between(contact, multiply_subtract(gap, contact.normal, corner.point), gap, feature,
                manifold);
  }
}

/// Whether the nearest points of one core found so far are all the same corner.
bool is_corner(const Simplex& simplex, Vector DifferencePoint::*point) {
  for (std::size_t i = 1; i < static_cast<std::size_t>(simplex.count); ++i) {
    const Vector d = simplex.point[i].*point - simplex.point[0].*point;
    if (dot(d, d) > 0.0) return false;
  }
  return simplex.count > 0;
}

/// Whether a round core has only one point that is foremost along n (in the core's axes).
bool is_single(const ConvexCore& core, const Vector& n) {
  constexpr double straight = 1e-9;
  switch (core.kind) {
    case ShapeKind::sphere:
    case ShapeKind::ellipsoid:
      return true;
    case ShapeKind::capsule:
      return std::fabs(n.z) > straight;
    case ShapeKind::cylinder:
      return std::fabs(n.z) > straight && std::hypot(n.x, n.y) > straight;
    default:
      return false;
  }
}

/// Where two edges across the normal cross above each other: the point on the first.
bool crossing(const Vector& normal, const SupportFeature& a, const SupportFeature& b,
              Vector& point) {
  if (a.count != 2 || b.count != 2) return false;
  const Vector edge = a.corner[1] - a.corner[0];
  const Vector other = b.corner[1] - b.corner[0];
  const double across = dot(normal, cross(edge, other));
  const double length = norm(edge);
  const double other_length = norm(other);
  if (!(std::fabs(across) > 1e-6 * length * other_length)) return false;
  if (std::fabs(dot(normal, edge)) > 1e-7 * length ||
      std::fabs(dot(normal, other)) > 1e-7 * other_length)
    return false;
  const double t = dot(normal, cross(b.corner[0] - a.corner[0], other)) / across;
  if (!(t >= 0.0 && t <= 1.0)) return false;
  point = multiply_add(t, edge, a.corner[0]);
  return true;
}

/// The point of core A that is nearest to core B.
Vector nearest_of_a(ConvexPair& pair, const CoreGap& core) {
  const Vector& n = core.separation.normal;
  const double gap = core.separation.gap;
  const Simplex& simplex = core.simplex;
  const Vector into_b = -transpose_times(pair.rotation, n);
  if (is_single(pair.a, n)) return support_point(pair.a, n);
  if (is_single(pair.b, into_b)) {
    const Vector b = multiply_add(pair.rotation, support_point(pair.b, into_b), pair.position);
    return multiply_subtract(gap, n, b);
  }
  if (!pair.is_polytope()) {
    // Points of curved cores are only near the line of touch; the lines themselves are exact.
    SupportFeature a;
    SupportFeature b;
    support_edge(pair.a, n, a);
    support_edge(pair.b, into_b, b);
    move_feature(pair.rotation, pair.position, b);
    Vector point;
    if (crossing(n, a, b, point)) return point;
  }
  if (pair.a.is_polytope() && is_corner(simplex, &DifferencePoint::a)) return simplex.point[0].a;
  if (pair.b.is_polytope() && is_corner(simplex, &DifferencePoint::b))
    return multiply_subtract(gap, n, simplex.point[0].b);
  Vector a;
  Vector b;
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.count); ++i) {
    a = multiply_add(simplex.weight[i], simplex.point[i].a, a);
    b = multiply_add(simplex.weight[i], simplex.point[i].b, b);
  }
  return multiply_subtract(0.5 * gap, n, 0.5 * (a + b));
}

/// Points that lie upon each other become one, with the smaller feature.
void merge_equal(Manifold& manifold, double distance) {
  int kept = 0;
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& p = manifold.point[at(i)];
    int twin = 0;
    while (twin < kept && norm(manifold.point[at(twin)].point - p.point) > distance) ++twin;
    if (twin == kept) {
      manifold.point[at(kept++)] = p;
    } else if (p.feature < manifold.point[at(twin)].feature) {
      manifold.point[at(twin)] = p;
    }
  }
  manifold.count = kept;
}

double deepest_gap(const Manifold& manifold) {
  double gap = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) gap = std::min(gap, manifold.point[at(i)].gap);
  return gap;
}

}  // namespace

void find_manifold(ConvexPair& pair, const CoreGap& core, double margin, Manifold& manifold) {
  const Vector& n = core.separation.normal;
  const Vector into_b = -transpose_times(pair.rotation, n);
  const Contact contact = make_contact(pair, n, margin);
  manifold.count = 0;
  thread_local SupportFeature a;
  thread_local SupportFeature b;
  support_face(pair.a, n, a);
  support_face(pair.b, into_b, b);
  move_feature(pair.rotation, pair.position, b);
  const double along_a = dot(n, a.normal);
  const double along_b = -dot(n, b.normal);
  // A is preferred where both are equal to rounding, so that the choice does not flicker.
  if (along_a > face_alignment && along_a > along_b - 1e-6) {
    clip_against_face(contact, a, b, false, manifold);
  } else if (along_b > face_alignment) {
    clip_against_face(contact, b, a, true, manifold);
  } else if (a.count > 1 && b.count > 1) {
    support_edge(pair.a, n, a);
    support_edge(pair.b, into_b, b);
    move_feature(pair.rotation, pair.position, b);
    share_edges(contact, a, b, make_side(pair.a, {}, {0.0, 0.0, 1.0}),
                make_side(pair.b, pair.position, pair.rotation.c2), manifold);
  }
  merge_equal(manifold, same_point * pair.scale);
  const double gap = core.separation.gap - pair.a.rounding - pair.b.rounding;
  if (!(deepest_gap(manifold) <= gap + on_edge * pair.scale))
    add_between(contact, nearest_of_a(pair, core), core.separation.gap, 0, manifold);
  thin_out(manifold, max_convex_points, on_edge * pair.scale);
  order_by_feature(manifold);
}

void thin_out(Manifold& manifold, int most, double tie) {
  if (manifold.count <= most) return;
  const double deepest = deepest_gap(manifold);
  int next = 0;
  while (manifold.point[at(next)].gap > deepest + tie) ++next;
  // How far each point is from those kept, less twice what it is further away.
  std::array<double, Manifold::most_points> worth;
  worth.fill(std::numeric_limits<double>::infinity());
  for (int kept = 0; kept < most; ++kept) {
    std::swap(manifold.point[at(kept)], manifold.point[at(next)]);
    std::swap(worth[at(kept)], worth[at(next)]);
    next = kept + 1;
    for (int i = kept + 1; i < manifold.count; ++i) {
      const ManifoldPoint& p = manifold.point[at(i)];
      const double distance = norm(p.point - manifold.point[at(kept)].point);
      worth[at(i)] = std::min(worth[at(i)], distance - 2.0 * (p.gap - deepest));
      const double gain = worth[at(i)] - worth[at(next)];
      if (gain > tie || (gain >= -tie && p.feature < manifold.point[at(next)].feature)) next = i;
    }
  }
  manifold.count = most;
}

void order_by_feature(Manifold& manifold) {
  std::sort(manifold.point.begin(), manifold.point.begin() + manifold.count,
            [](const ManifoldPoint& x, const ManifoldPoint& y) {
              return x.feature != y.feature ? x.feature < y.feature : x.gap < y.gap;
            });
  for (int i = 1; i < manifold.count; ++i) {
    int& feature = manifold.point[at(i)].feature;
    feature = std::max(feature, manifold.point[at(i - 1)].feature + 1);
  }
}

}  // namespace stiction
