/// \file
/// The polytope that grows inside the difference of two overlapping cores.
/// Implements [VanDenBergen2001, section 3].
/// Deviations: offsets of faces are signed, so that cores which just do not touch are no special
/// case; the search ends by the proven bounds (largest separation seen, nearest face).

#include <algorithm>
#include <cmath>

#include "stiction/collision/gjk.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;

constexpr int most_points = 250;
constexpr int most_faces = 2 * most_points;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Face {
  std::array<int, 3> corner{};  ///< counter-clockwise seen from outside
  Vector normal;                ///< outward, unit
  double offset = 0.0;          ///< of its plane along the normal [m]
};

/// Points and faces in fixed memory; the faces have no order.
class Polytope {
 public:
  /// From the simplex, completed to a tetrahedron. False if the difference is flat.
  bool begin(ConvexPair& pair, const Simplex& simplex, Separation& best);
  [[nodiscard]] const Face& nearest_face() const;
  [[nodiscard]] bool holds(const DifferencePoint& point) const;
  /// False if memory or rounding do not permit it; the polytope is then as it was or closed no
  /// more, and must not be used further.
  bool add(const DifferencePoint& point);
  [[nodiscard]] Simplex corners_of(const Face& face) const;

 private:
  struct Edge {
    int from = 0;
    int to = 0;
  };
  bool complete(ConvexPair& pair, Separation& best);
  bool try_direction(ConvexPair& pair, const Vector& n, Separation& best);
  [[nodiscard]] double spread(const DifferencePoint& point) const;
  void add_face(int i, int j, int k);
  void toggle_edge(int from, int to);

  std::array<DifferencePoint, most_points> points_;
  std::array<Face, most_faces> faces_;
  std::array<Edge, most_faces> horizon_;
  int point_count_ = 0;
  int face_count_ = 0;
  int edge_count_ = 0;
  double scale_ = 0.0;
};

/// How far a point leads out of the point, line or plane of those that are there already.
double Polytope::spread(const DifferencePoint& point) const {
  const Vector d = point.w - points_[0].w;
  if (point_count_ == 1) return norm(d);
  const Vector e = points_[1].w - points_[0].w;
  if (point_count_ == 2) return norm(cross(e, d)) / norm(e);
  const Vector m = cross(e, points_[2].w - points_[0].w);
  return std::fabs(dot(m, d)) / norm(m);
}

bool Polytope::try_direction(ConvexPair& pair, const Vector& n, Separation& best) {
  const DifferencePoint point = propose(pair, n, best);
  if (!(spread(point) > 1e-10 * scale_)) return false;
  points_[at(point_count_++)] = point;
  return true;
}

bool Polytope::complete(ConvexPair& pair, Separation& best) {
  constexpr Vector axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  while (point_count_ < 4) {
    Vector n[3] = {axes[0], axes[1], axes[2]};
    int count = 3;
    const Vector e = points_[1].w - points_[0].w;
    if (point_count_ == 2) {
      const Vector x = std::fabs(e.x) < std::fabs(e.y) ? axes[0] : axes[1];
      n[0] = cross(e, std::fabs(e.z) < std::min(std::fabs(e.x), std::fabs(e.y)) ? axes[2] : x);
      n[1] = cross(e, n[0]);
      n[2] = n[0] + (1.0 / norm(e)) * n[1];
    } else if (point_count_ == 3) {
      n[0] = cross(e, points_[2].w - points_[0].w);
      count = 1;
    }
    bool found = false;
    for (int i = 0; i < count && !found; ++i) {
      const double length = norm(n[i]);
      if (!(length > 0.0)) continue;
      const Vector unit = (1.0 / length) * n[i];
      found = try_direction(pair, unit, best) || try_direction(pair, -unit, best);
    }
    if (!found) return false;
  }
  return true;
}

bool Polytope::begin(ConvexPair& pair, const Simplex& simplex, Separation& best) {
  scale_ = pair.scale;
  face_count_ = 0;
  points_[0] = simplex.count > 0 ? simplex.point[0] : least_along(pair, {1.0, 0.0, 0.0});
  point_count_ = 1;
  for (int i = 1; i < simplex.count; ++i) {
    if (spread(simplex.point[at(i)]) > 1e-10 * scale_)
      points_[at(point_count_++)] = simplex.point[at(i)];
  }
  if (!complete(pair, best)) return false;
  const Vector& p = points_[0].w;
  const double volume = dot(cross(points_[1].w - p, points_[2].w - p), points_[3].w - p);
  if (volume > 0.0) std::swap(points_[1], points_[2]);
  add_face(0, 1, 2);
  add_face(0, 3, 1);
  add_face(0, 2, 3);
  add_face(1, 3, 2);
  return true;
}

void Polytope::add_face(int i, int j, int k) {
  Face& face = faces_[at(face_count_++)];
  face.corner = {i, j, k};
  const Vector& p = points_[at(i)].w;
  const Vector m = cross(points_[at(j)].w - p, points_[at(k)].w - p);
  const double length = norm(m);
  // A face without area has no direction; its neighbours stand for it.
  const bool sound = length > 1e-14 * scale_ * scale_;
  face.normal = sound ? (1.0 / length) * m : Vector{};
  face.offset = sound ? dot(face.normal, p) : std::numeric_limits<double>::infinity();
}

const Face& Polytope::nearest_face() const {
  return *std::min_element(faces_.begin(), faces_.begin() + face_count_,
                           [](const Face& x, const Face& y) { return x.offset < y.offset; });
}

bool Polytope::holds(const DifferencePoint& point) const {
  return std::any_of(points_.begin(), points_.begin() + point_count_, [&](const auto& other) {
    return other.w.x == point.w.x && other.w.y == point.w.y && other.w.z == point.w.z;
  });
}

/// Edges of removed faces: those that come twice, once in each direction, are inside the hole.
void Polytope::toggle_edge(int from, int to) {
  for (int i = 0; i < edge_count_; ++i) {
    if (horizon_[at(i)].from == to && horizon_[at(i)].to == from) {
      horizon_[at(i)] = horizon_[at(--edge_count_)];
      return;
    }
  }
  horizon_[at(edge_count_++)] = {from, to};
}

bool Polytope::add(const DifferencePoint& point) {
  if (point_count_ == most_points) return false;
  edge_count_ = 0;
  for (int i = 0; i < face_count_;) {
    const Face& face = faces_[at(i)];
    const bool flat = std::isinf(face.offset);
    const Vector away = point.w - points_[at(face.corner[0])].w;
    if (flat || dot(face.normal, away) <= 1e-15 * scale_) {
      ++i;
      continue;
    }
    if (edge_count_ + 3 > most_faces) return false;
    for (std::size_t k = 0; k < 3; ++k) toggle_edge(face.corner[k], face.corner[(k + 1) % 3]);
    faces_[at(i)] = faces_[at(--face_count_)];
  }
  if (edge_count_ < 3 || face_count_ + edge_count_ > most_faces) return false;
  points_[at(point_count_)] = point;
  for (int i = 0; i < edge_count_; ++i)
    add_face(horizon_[at(i)].from, horizon_[at(i)].to, point_count_);
  ++point_count_;
  return true;
}

Simplex Polytope::corners_of(const Face& face) const {
  Simplex simplex;
  simplex.count = 3;
  for (std::size_t k = 0; k < 3; ++k) simplex.point[k] = points_[at(face.corner[k])];
  // The foot of the origin in the face.
  const Vector foot = face.offset * face.normal;
  const Vector p = simplex.point[0].w - foot;
  const Vector q = simplex.point[1].w - foot;
  const Vector r = simplex.point[2].w - foot;
  double weights[3] = {dot(face.normal, cross(q, r)), dot(face.normal, cross(r, p)),
                       dot(face.normal, cross(p, q))};
  double sum = 0.0;
  for (double& weight : weights) sum += weight = std::max(weight, 0.0);
  for (std::size_t k = 0; k < 3; ++k)
    simplex.weight[k] = sum > 0.0 ? weights[k] / sum : (k == 0 ? 1.0 : 0.0);
  return simplex;
}

/// The difference lies in a plane: any push across it parts the cores.
void part_flat(ConvexPair& pair, const Simplex& simplex, Separation& best) {
  if (simplex.count >= 3) {
    const Vector m =
        cross(simplex.point[1].w - simplex.point[0].w, simplex.point[2].w - simplex.point[0].w);
    const double length = norm(m);
    if (length > 0.0) {
      propose(pair, (1.0 / length) * m, best);
      propose(pair, (-1.0 / length) * m, best);
    }
  }
  for (const Vector& n : {Vector{1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0}, Vector{0.0, 0.0, 1.0}}) {
    propose(pair, n, best);
    propose(pair, -n, best);
  }
}

}  // namespace

void expand_to_surface(ConvexPair& pair, Simplex& simplex, Separation& best) {
  // Fixed memory of the thread, for clearing it anew would cost as much as the search.
  thread_local Polytope polytope;
  if (!polytope.begin(pair, simplex, best)) {
    part_flat(pair, simplex, best);
    return;
  }
  // Curved cores are left to Newton's method once the right place is known.
  const double tolerance = (pair.is_polytope() ? 1e-13 : 1e-5) * pair.scale;
  for (;;) {
    const Face& face = polytope.nearest_face();
    if (std::isinf(face.offset)) break;
    simplex = polytope.corners_of(face);
    const DifferencePoint point = propose(pair, -face.normal, best);
    if (-best.gap - face.offset <= tolerance || polytope.holds(point)) break;
    if (!polytope.add(point)) break;
  }
  polish(pair, simplex, best);
  try_cylinders(pair, best);
}

}  // namespace stiction
