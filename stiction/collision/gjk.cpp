#include "stiction/collision/gjk.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Polytopes end after finitely many steps, curved cores by their tolerance; this only ends what
/// rounding keeps going round in circles.
constexpr int most_steps = 64;

/// Agreement of distance and separation, in scales, at which a gap is final.
constexpr double fine = 1e-12;

/// For curved cores: where walking makes room for Newton's method.
constexpr double coarse = 1e-5;

/// Distances below this, in scales, are too short for their direction to be a normal.
constexpr double touching = 1e-6;

bool holds(const Simplex& simplex, const DifferencePoint& point) {
  for (int i = 0; i < simplex.count; ++i) {
    const DifferencePoint& other = simplex.point[static_cast<std::size_t>(i)];
    if (other.w.x == point.w.x && other.w.y == point.w.y && other.w.z == point.w.z) return true;
  }
  return false;
}

void append(Simplex& simplex, const DifferencePoint& point) {
  simplex.point[static_cast<std::size_t>(simplex.count++)] = point;
}

/// Tries to prove a direction that Newton's method has found: the points foremost in directions
/// just beside it are the ends of what touches, and their hull holds the nearest point. Takes
/// them as simplex if distance and separation then agree to `tolerance`. For cores that overlap no
/// more than by `touching` the depth must agree: they then are at a best direction, and any other
/// is better by less than that.
bool prove(ConvexPair& pair, const Separation& best, double tolerance, Simplex& simplex) {
  constexpr double beside = 1e-8;
  const Vector3<double>& n = best.normal;
  const Vector3<double> helper =
      std::fabs(n.x) < 0.6 ? Vector3<double>{1.0, 0.0, 0.0} : Vector3<double>{0.0, 1.0, 0.0};
  const Vector3<double> x = cross(n, helper);
  const Vector3<double> y = cross(n, x);
  Simplex ends;
  for (const Vector3<double>& d : {x, y, -x, -y}) {
    const DifferencePoint point = least_along(pair, multiply_add(beside, d, n));
    if (!holds(ends, point)) append(ends, point);
  }
  const double distance = norm(reduce_to_nearest(ends));
  if (best.gap < -touching * pair.scale) return false;
  if (ends.count == 4 || std::fabs(distance - std::fabs(best.gap)) > tolerance) return false;
  simplex = ends;
  return true;
}

/// Adds the support point of the best direction, which Newton's method has found, and returns the
/// distance with it.
double nearest_with_best(ConvexPair& pair, const Separation& best, Simplex& simplex) {
  const DifferencePoint point = least_along(pair, best.normal);
  if (simplex.count == 4 || holds(simplex, point)) return norm(reduce_to_nearest(simplex));
  append(simplex, point);
  return norm(reduce_to_nearest(simplex));
}

}  // namespace

DifferencePoint propose(ConvexPair& pair, const Vector3<double>& n, Separation& best) {
  const DifferencePoint point = least_along(pair, n);
  const double gap = dot(n, point.w);
  // A normal that is off by d costs only d² of the separation, so equal to rounding is equal: the
  // later proposal is then the better founded one.
  if (gap >= best.gap - 4e-16 * pair.scale) best = {n, gap};
  return point;
}

double walk_to_nearest(ConvexPair& pair, double limit, double tolerance, Simplex& simplex,
                       Separation& best) {
  Vector3<double> v = simplex.count > 0 ? reduce_to_nearest(simplex) : pair.position;
  double distance = simplex.count > 0 ? norm(v) : std::numeric_limits<double>::infinity();
  for (int step = 0; step < most_steps && simplex.count < 4; ++step) {
    const double length = norm(v);
    if (simplex.count > 0 && length <= 1e-15 * pair.scale) return 0.0;
    const Vector3<double> n = length > 0.0 ? (1.0 / length) * v : Vector3<double>{1.0, 0.0, 0.0};
    const DifferencePoint point = propose(pair, n, best);
    // Not >=: the distance is infinite at first, and a share of 0 asks for nothing.
    if (best.gap > limit && !(best.gap < pair.proven_share * distance)) return distance;
    if (distance - best.gap <= tolerance) return distance;
    if (holds(simplex, point)) return distance;
    const Simplex before = simplex;
    append(simplex, point);
    v = reduce_to_nearest(simplex);
    const double reached = norm(v);
    if (simplex.count < 4 && !(reached < distance)) {  // rounding: no more to gain
      simplex = before;
      return distance;
    }
    distance = reached;
  }
  return simplex.count == 4 ? 0.0 : distance;
}

CoreGap find_core_gap(ConvexPair& pair, double limit) {
  CoreGap result;
  Separation& best = result.separation;
  Simplex& simplex = result.simplex;
  const double final = fine * pair.scale;
  double tolerance = pair.is_polytope() ? final : coarse * pair.scale;
  for (int round = 0; round < 7; ++round) {
    double distance = walk_to_nearest(pair, limit, tolerance, simplex, best);
    if (best.gap > limit) return result;
    if (distance == 0.0) break;
    polish(pair, simplex, best);
    if (distance - best.gap <= final) return result;
    if (pair.is_polytope()) break;
    if (prove(pair, best, final, simplex)) return result;
    distance = nearest_with_best(pair, best, simplex);
    if (distance - best.gap <= final) return result;
    if (distance == 0.0) break;
    tolerance = std::max(0.03 * tolerance, final);
  }
  const double distance = norm(reduce_to_nearest(simplex));
  if (simplex.count == 4 || distance <= touching * pair.scale)
    expand_to_surface(pair, simplex, best);
  return result;
}

}  // namespace stiction
