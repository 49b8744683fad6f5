// The way lies in a plane: of a sphere, the one through its centre and both points; of a cylinder,
// the one across its axis, with the height shared out along the way.

#include "stiction/spatial/wrapping.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace stiction {

namespace {

/// Lengths below this count as zero [m].
constexpr double tiny = 1e-15;

struct Point {
  double x = 0.0;
  double y = 0.0;
};

Point operator+(const Point& a, const Point& b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double s, const Point& a) { return {s * a.x, s * a.y}; }
double dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
double length(const Point& a) { return std::sqrt(dot(a, a)); }

/// Where a thread meets the circle about the origin and leaves it.
struct Touch {
  Point first;
  Point second;
  double arc = 0.0;
};

/// Of the straight line between both points, the one next to the origin.
Point nearest_to_center(const Point& a, const Point& b) {
  const Point way = b - a;
  const double t = std::clamp(-dot(way, a) / dot(way, way), 0.0, 1.0);
  return a + t * way;
}

bool segments_cross(const Point& a, const Point& a_end, const Point& b, const Point& b_end) {
  const Point u = a_end - a;
  const Point w = b_end - b;
  const double det = cross(u, w);
  if (std::abs(det) < tiny) return false;
  const Point apart = b - a;
  const double s = cross(apart, w) / det;
  const double t = cross(apart, u) / det;
  return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

/// Where a tangent from `p` touches the circle, looking from the centre `sense` times a turn to the
/// left.
Point tangent_point(const Point& p, double radius, double sense) {
  const double square = dot(p, p);
  const double along = radius * radius / square;
  const double across =
      sense * radius * std::sqrt(std::max(square - radius * radius, 0.0)) / square;
  return {along * p.x - across * p.y, along * p.y + across * p.x};
}

/// Angle from one direction to another, going left if `sense` is positive: 0 to 2π. Nearly a full
/// turn is rounding: the straight parts of such a way would cross.
double angle_between(const Point& from, const Point& to, double sense) {
  const double angle = sense * std::atan2(cross(from, to), dot(from, to));
  return angle < -1e-7 ? angle + 2.0 * std::numbers::pi : std::max(angle, 0.0);
}

/// Around the circle, on the side of `side` (a point on the circle) or else the shorter way.
std::optional<Touch> wrap_outside(const Point& a, const Point& b, double radius,
                                  const Point* side) {
  if (dot(a, a) < radius * radius || dot(b, b) < radius * radius) return std::nullopt;
  if (dot(b - a, b - a) < tiny) return std::nullopt;
  const Point nearest = nearest_to_center(a, b);
  const bool passes_by = dot(nearest, nearest) > radius * radius;
  if (passes_by && (side == nullptr || dot(*side, nearest) >= 0.0)) return std::nullopt;
  std::optional<Touch> best;
  double best_merit = 0.0;
  // A thread that turns left leaves `a` for the point to its left. Of two ways that are as good,
  // it turns left.
  for (const double sense : {1.0, -1.0}) {
    Touch way{tangent_point(a, radius, sense), tangent_point(b, radius, -sense)};
    if (segments_cross(a, way.first, b, way.second)) continue;
    double merit = 0.0;
    if (side != nullptr) {
      const Point middle = way.first + way.second;
      const double size = length(middle);
      merit = size > tiny ? dot(middle, *side) / size : side->x;
    } else {
      const Point chord = way.first - way.second;
      merit = -dot(chord, chord);
    }
    if (best && merit <= best_merit) continue;
    way.arc = radius * angle_between(way.first, way.second, sense);
    best = way;
    best_merit = merit;
  }
  return best;
}

/// How the distance from a point on the circle to one at distance `far` from the centre changes
/// with the angle between both, per radius, and the derivative of that.
struct Rate {
  double value;
  double slope;
};

Rate distance_rate(double far, double radius, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double distance = std::sqrt(far * far + radius * radius - 2.0 * far * radius * c);
  const double value = far * s / distance;
  return {value, (far * c - radius * value * value) / distance};
}

/// The angle from the direction of `a` at which a thread to `b` bends, where `whole` is the angle
/// between both. Newton's method, kept within bounds.
double bend_angle(double far_a, double far_b, double radius, double whole) {
  double low = 0.0;
  double high = whole;
  double angle = 0.5 * whole;
  for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
    const Rate towards_a = distance_rate(far_a, radius, angle);
    const Rate towards_b = distance_rate(far_b, radius, whole - angle);
    const double excess = towards_a.value - towards_b.value;
    if (excess == 0.0) break;
    (excess < 0.0 ? low : high) = angle;
    const double next = angle - excess / (towards_a.slope + towards_b.slope);
    const double before = angle;
    angle = next > low && next < high ? next : 0.5 * (low + high);
    if (std::abs(angle - before) < 1e-15) break;
  }
  return angle;
}

/// Through the circle as through a ring: the thread bends at one point of it. There the distances
/// to both ends change at the same rate along the circle.
std::optional<Touch> wrap_inside(const Point& a, const Point& b, double radius) {
  const double far_a = length(a);
  const double far_b = length(b);
  if (far_a <= radius || far_b <= radius) return std::nullopt;
  if (dot(b - a, b - a) > tiny) {
    const Point nearest = nearest_to_center(a, b);
    if (dot(nearest, nearest) <= radius * radius) return std::nullopt;
  }
  const double whole = std::atan2(cross(a, b), dot(a, b));  // from a to b
  const double angle = std::copysign(bend_angle(far_a, far_b, radius, std::abs(whole)), whole);
  const Point out = (radius / far_a) * a;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const Point bend{c * out.x - s * out.y, s * out.x + c * out.y};
  return Touch{bend, bend, 0.0};
}

/// Axes of the plane in which a thread goes around a sphere: `x` towards the start.
struct Plane {
  Vector3<double> x{1.0, 0.0, 0.0};
  Vector3<double> y{0.0, 1.0, 0.0};

  [[nodiscard]] Point flat(const Vector3<double>& p) const { return {dot(p, x), dot(p, y)}; }
  [[nodiscard]] Vector3<double> back(const Point& p) const { return p.x * x + p.y * y; }
};

/// A direction across `axis`, where start, centre and end are on one line.
Vector3<double> some_normal(const Vector3<double>& axis) {
  const double x = std::abs(axis.x);
  const double y = std::abs(axis.y);
  const double z = std::abs(axis.z);
  Vector3<double> other{1.0, 1.0, 1.0};
  if (z > x && z > y) {
    other.z = 0.0;
  } else if (y > x && y > z) {
    other.y = 0.0;
  } else {
    other.x = 0.0;
  }
  return cross(axis, other);
}

Plane plane_of_sphere(const Vector3<double>& start, const Vector3<double>& end) {
  Plane plane;
  plane.x = (1.0 / norm(start)) * start;
  Vector3<double> normal = cross(start, end);
  if (norm(normal) < tiny) normal = some_normal(plane.x);
  const Vector3<double> y = cross(normal, plane.x);
  plane.y = (1.0 / norm(y)) * y;
  return plane;
}

/// Gives the touching points of a cylinder their heights: the unrolled way is straight.
void climb(const Vector3<double>& start, const Vector3<double>& end, const Point& a, const Point& b,
           const Touch& touch, Wrap& wrap) {
  const double before = length(touch.first - a);
  const double after = length(touch.second - b);
  const double slope = (end.z - start.z) / (before + touch.arc + after);
  wrap.first.z = start.z + slope * before;
  wrap.second.z = start.z + slope * (before + touch.arc);
  wrap.arc = std::hypot(touch.arc, slope * touch.arc);
}

}  // namespace

Wrap wrap_around(const RoundObstacle& obstacle, const Vector3<double>& start,
                 const Vector3<double>& end, const Vector3<double>* side) {
  const double radius = obstacle.radius;
  if (radius < tiny || norm(start) < tiny || norm(end) < tiny) return {};
  const Plane plane = obstacle.cylinder ? Plane{} : plane_of_sphere(start, end);
  const Point a = plane.flat(start);
  const Point b = plane.flat(end);
  std::optional<Touch> touch;
  if (side == nullptr) {
    touch = wrap_outside(a, b, radius, nullptr);
  } else {
    const Point beside = plane.flat(*side);
    const double far = length(beside);
    if (far < radius) {
      touch = wrap_inside(a, b, radius);
    } else {
      const Point on_circle = (radius / far) * beside;
      touch = wrap_outside(a, b, radius, &on_circle);
    }
  }
  if (!touch) return {};
  Wrap wrap{true, plane.back(touch->first), plane.back(touch->second), touch->arc};
  if (obstacle.cylinder) climb(start, end, a, b, *touch, wrap);
  return wrap;
}

}  // namespace stiction
