/// \file
/// Makes nearly best directions exact.
///
/// Where a flat or straight part of a shape touches, the normal is across it: each edge takes one
/// freedom from the normal, a face both. Within the freedoms that are left the separation
/// s(n) = -h_A(n) - h_B(-n) is smooth, and Newton's method on the unit sphere finds its maximum:
/// the gradient of s is w = b - a, its second derivative in the tangent plane is -h_A''(n) -
/// h_B''(-n) - s.

#include <algorithm>
#include <cmath>

#include "stiction/collision/gjk.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;

Vector unit(const Vector& v) {
  const double length = norm(v);
  return length > 0.0 ? (1.0 / length) * v : v;
}

/// Directions that the normal has to be across of: at most two, orthonormal.
struct Straight {
  std::array<Vector, 2> direction;
  int count = 0;

  /// False if it was known already or there are two.
  bool add(const Vector& d) {
    const double length = norm(d);
    if (count == 2 || !(length > 0.0)) return false;
    Vector e = (1.0 / length) * d;
    if (count == 1) {
      e = multiply_subtract(dot(direction[0], e), direction[0], e);
      if (norm(e) < 1e-6) return false;
      e = unit(e);
      e = unit(multiply_subtract(dot(direction[0], e), direction[0], e));
    }
    direction[static_cast<std::size_t>(count++)] = e;
    return true;
  }

  /// The unit vector nearest to n that is across of all.
  [[nodiscard]] Vector apply(const Vector& n) const {
    if (count == 2) {
      const Vector c = unit(cross(direction[0], direction[1]));
      return dot(c, n) < 0.0 ? -c : c;
    }
    return count == 1 ? unit(multiply_subtract(dot(direction[0], n), direction[0], n)) : n;
  }
};

/// Whether going from one support point to another runs along something straight, and which way.
bool straight_between(const ConvexCore& core, const Vector& axis, const Vector& from,
                      const Vector& to, Vector& along) {
  along = to - from;
  if (core.is_polytope()) return dot(along, along) > 0.0;
  if (core.kind != ShapeKind::cylinder) return false;
  // From one rim to the other: along the side.
  if (std::fabs(dot(axis, along)) < core.size.y) return false;
  along = axis;
  return true;
}

Straight straight_parts(const ConvexPair& pair, const Simplex& simplex) {
  Straight parts;
  const Vector axis_a{0.0, 0.0, 1.0};
  const int count = std::min(simplex.count, 3);
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
    if (pair.is_polytope()) {
      parts.add(simplex.point[i].w - simplex.point[0].w);
      continue;
    }
    Vector along;
    if (straight_between(pair.a, axis_a, simplex.point[0].a, simplex.point[i].a, along))
      parts.add(along);
    if (straight_between(pair.b, pair.rotation.c2, simplex.point[0].b, simplex.point[i].b, along))
      parts.add(along);
  }
  return parts;
}

/// x·h''(n) y of the core's support function at a unit n, all in the core's axes.
double curvature(const ConvexCore& core, const Vector& n, const Vector& x, const Vector& y) {
  if (core.kind == ShapeKind::cylinder) {
    const double across2 = fma(n.x, n.x, n.y * n.y);
    if (!(across2 > 0.0)) return 0.0;
    const double tx = n.x * x.y - n.y * x.x;
    const double ty = n.x * y.y - n.y * y.x;
    return core.size.x * tx * ty / (across2 * std::sqrt(across2));
  }
  if (core.kind == ShapeKind::ellipsoid) {
    const auto scaled = [&](const Vector& v) {
      return Vector{core.size.x * v.x, core.size.y * v.y, core.size.z * v.z};
    };
    const Vector dn = scaled(n);
    const Vector dx = scaled(x);
    const Vector dy = scaled(y);
    const double h = norm(dn);
    return h > 0.0 ? (dot(dx, dy) - dot(dn, dx) * dot(dn, dy) / (h * h)) / h : 0.0;
  }
  return 0.0;
}

/// Tangents at n within the freedoms left; returns how many.
int free_tangents(const Straight& parts, const Vector& n, std::array<Vector, 2>& tangent) {
  if (parts.count == 2) return 0;
  if (parts.count == 1) {
    tangent[0] = unit(cross(parts.direction[0], n));
    return 1;
  }
  const Vector helper = std::fabs(n.x) < 0.6 ? Vector{1.0, 0.0, 0.0} : Vector{0.0, 1.0, 0.0};
  tangent[0] = unit(cross(n, helper));
  tangent[1] = cross(n, tangent[0]);
  return 2;
}

/// Longest step [rad].
constexpr double longest = 0.5;

/// Newton's step in the tangent plane at n, or one uphill where s is not curved like a maximum;
/// false if there is no freedom left.
bool newton_step(const ConvexPair& pair, const Straight& parts, const Vector& n, const Vector& w,
                 Vector& step) {
  std::array<Vector, 2> tangent;
  const int count = free_tangents(parts, n, tangent);
  if (count == 0) return false;
  const double s = dot(n, w);
  const Vector nb = -transpose_times(pair.rotation, n);
  const auto second = [&](const Vector& x, const Vector& y) {
    return curvature(pair.a, n, x, y) + curvature(pair.b, nb, transpose_times(pair.rotation, x),
                                                  transpose_times(pair.rotation, y));
  };
  const double g0 = dot(tangent[0], w);
  const double h00 = second(tangent[0], tangent[0]) + s;
  if (count == 1) {
    step = (h00 > 1e-12 * pair.scale ? g0 / h00 : std::copysign(longest, g0)) * tangent[0];
    return true;
  }
  const double g1 = dot(tangent[1], w);
  const double h11 = second(tangent[1], tangent[1]) + s;
  const double h01 = second(tangent[0], tangent[1]);
  const double determinant = h00 * h11 - h01 * h01;
  if (h00 > 0.0 && determinant > 1e-14 * pair.scale * pair.scale) {
    step = ((h11 * g0 - h01 * g1) / determinant) * tangent[0] +
           ((h00 * g1 - h01 * g0) / determinant) * tangent[1];
  } else {
    const double slope = std::max(std::hypot(g0, g1), 1e-300);
    step = (longest * g0 / slope) * tangent[0] + (longest * g1 / slope) * tangent[1];
  }
  return true;
}

/// Newton's method; where a step jumps over an edge, the edge joins the straight parts.
void climb(ConvexPair& pair, Straight parts, Vector n, Separation& best) {
  n = parts.apply(n);
  if (!(dot(n, n) > 0.5)) return;  // it was along something straight
  DifferencePoint here = propose(pair, n, best);
  double reach = 1.0;
  for (int round = 0; round < 24; ++round) {
    Vector step;
    if (!newton_step(pair, parts, n, here.w, step)) return;
    const double length = norm(step);
    if (length > longest) step = (longest / length) * step;
    const Vector next = parts.apply(unit(multiply_add(reach, step, n)));
    const DifferencePoint there = propose(pair, next, best);
    const double rounding = 4e-16 * pair.scale;
    if (dot(next, there.w) >= dot(n, here.w) - rounding) {
      n = next;
      here = there;
      reach = 1.0;
      if (length < 1e-13) return;
      continue;
    }
    Vector along;
    const bool jumped =
        (straight_between(pair.a, {0.0, 0.0, 1.0}, here.a, there.a, along) && parts.add(along)) ||
        (straight_between(pair.b, pair.rotation.c2, here.b, there.b, along) && parts.add(along));
    if (jumped) {
      n = parts.apply(n);
      if (!(dot(n, n) > 0.5)) return;
      here = propose(pair, n, best);
    } else {
      reach *= 0.25;
      if (reach < 1e-3) return;  // a ridge: the best direction is on it already
    }
  }
}

/// Caps and sides of a cylinder, if the normal is nearly along or across its axis.
void try_cylinder(ConvexPair& pair, const ConvexCore& core, const Vector& axis,
                  const Straight& parts, Separation& best) {
  if (core.kind != ShapeKind::cylinder) return;
  const double along = dot(axis, best.normal);
  if (std::fabs(along) > 0.99) propose(pair, along > 0.0 ? axis : -axis, best);
  if (std::fabs(along) < 0.1) {
    Straight side = parts;
    if (side.add(axis)) climb(pair, side, best.normal, best);
  }
}

/// Across the axis, about where the other shape is.
Vector sideways(const Vector& axis, const Vector& best, const Vector& between) {
  for (const Vector& d : {best, between, Vector{axis.y, axis.z, axis.x}}) {
    const Vector across = multiply_subtract(dot(axis, d), axis, d);
    if (norm(across) > 1e-3 * norm(d)) return unit(across);
  }
  return axis;
}

void try_whole_cylinder(ConvexPair& pair, const ConvexCore& core, const Vector& axis,
                        Separation& best) {
  if (core.kind != ShapeKind::cylinder) return;
  const Vector start = sideways(axis, best.normal, pair.position);
  propose(pair, axis, best);
  propose(pair, -axis, best);
  Straight side;
  side.add(axis);
  climb(pair, side, start, best);
}

}  // namespace

void try_cylinders(ConvexPair& pair, Separation& best) {
  try_whole_cylinder(pair, pair.a, {0.0, 0.0, 1.0}, best);
  try_whole_cylinder(pair, pair.b, pair.rotation.c2, best);
}

void polish(ConvexPair& pair, const Simplex& simplex, Separation& best) {
  const Straight parts = straight_parts(pair, simplex);
  if (parts.count == 2) {
    const Vector n = parts.apply(best.normal);
    propose(pair, n, best);
    // Of touching cores the direction so far may be rounding alone, even its sign.
    if (best.gap < 0.0) propose(pair, -n, best);
  }
  if (parts.count < 2) climb(pair, parts, best.normal, best);
  if (pair.is_polytope()) return;
  climb(pair, Straight{}, best.normal, best);
  try_cylinder(pair, pair.a, {0.0, 0.0, 1.0}, parts, best);
  try_cylinder(pair, pair.b, pair.rotation.c2, parts, best);
}

}  // namespace stiction
