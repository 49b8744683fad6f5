#pragma once

/// \file
/// Signed gap of two convex cores by their support functions alone.
///
/// Everything follows from the separation of a direction: s(n) = min n·(b - a) over points a of A
/// and b of B, which support points give exactly. For disjoint cores the distance is the largest
/// s(n) over unit n; for overlapping ones the smallest push that parts them is -s(n) of the best n.
/// So each method below only proposes directions, the largest s(n) seen is always a proven bound,
/// and a bad proposal costs time, never correctness. All happens in the axes of shape A.

#include <array>
#include <limits>

#include "stiction/collision/support.hpp"

namespace stiction {

/// Two cores, seen from A.
struct ConvexPair {
  ConvexCore a;
  ConvexCore b;
  Matrix3<double> rotation;  ///< R_AB
  Vector3<double> position;  ///< p_AB [m]
  double scale = 0.0;        ///< what lengths are compared with: both radii together [m]
  /// Of a gap beyond the limit: the search goes on until this share of it is proven.
  double proven_share = 0.0;

  /// Both have finitely many corners, so that all methods end exactly.
  [[nodiscard]] bool is_polytope() const { return a.is_polytope() && b.is_polytope(); }
};

/// A point of the difference B - A.
struct DifferencePoint {
  Vector3<double> w;  ///< b - a
  Vector3<double> a;  ///< in A's axes
  Vector3<double> b;  ///< in A's axes
};

/// The point of B - A that is least along n.
inline DifferencePoint least_along(ConvexPair& pair, const Vector3<double>& n) {
  DifferencePoint point;
  point.a = support_point(pair.a, n);
  point.b = multiply_add(pair.rotation, support_point(pair.b, -transpose_times(pair.rotation, n)),
                         pair.position);
  point.w = point.b - point.a;
  return point;
}

/// Up to four points of B - A and the weights of that point of their hull nearest to the origin.
struct Simplex {
  std::array<DifferencePoint, 4> point;
  std::array<double, 4> weight{};
  int count = 0;
};

/// Drops the points that do not carry the nearest point, and returns that. Four remain only if the
/// origin is inside of them.
Vector3<double> reduce_to_nearest(Simplex& simplex);

/// The best direction so far.
struct Separation {
  Vector3<double> normal{0.0, 0.0, 1.0};                  ///< unit, from A to B
  double gap = -std::numeric_limits<double>::infinity();  ///< s(normal) [m]
};

/// Evaluates a direction and keeps it if it is not worse than the best.
DifferencePoint propose(ConvexPair& pair, const Vector3<double>& n, Separation& best);

/// Walks towards the nearest points of disjoint cores until distance and separation agree to
/// `tolerance` or s(n) exceeds `limit`. Returns the distance found, an upper bound for the true
/// one; 0 if the cores overlap. Goes on from the simplex it is given, if that has points.
/// Implements [Gilbert1988].
double walk_to_nearest(ConvexPair& pair, double limit, double tolerance, Simplex& simplex,
                       Separation& best);

/// Grows a polytope inside B - A about the origin until its nearest face lies on the surface.
/// Begins with the points of the simplex and leaves the corners of the nearest face there.
/// Implements [VanDenBergen2001, section 3].
void expand_to_surface(ConvexPair& pair, Simplex& simplex, Separation& best);

/// Makes a nearly best direction exact: across the edges and faces that touch, and by Newton's
/// method on the unit sphere where surfaces are curved.
void polish(ConvexPair& pair, const Simplex& simplex, Separation& best);

/// Caps and sides of overlapping cylinders, wherever the best direction is: deep inside of one they
/// are nearly equal, and there are too many directions between for any search.
void try_cylinders(ConvexPair& pair, Separation& best);

/// What two cores have to do with each other.
struct CoreGap {
  Separation separation;
  Simplex simplex;  ///< its weighted points a and b are nearest to each other
};

/// Signed gap and normal of two cores. If the gap exceeds `limit`, only that is sure.
CoreGap find_core_gap(ConvexPair& pair, double limit);

}  // namespace stiction
