/// \file
/// Capsules against capsules: the distance of two segments, less both radii. Capsules whose axes
/// are nearly parallel touch along a line, and its ends are points of their own: each is a ball on
/// one axis against the other shape, so each is exact whatever the angle.

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/collision/closed_forms.hpp"

namespace stiction {
namespace {

/// Axes with a smaller sine between them are looked at for a line of contact.
constexpr double line_contact_sine = 0.1;
/// Shorter lines of contact than this part of both radii count as a point.
constexpr double shortest_line = 1e-3;
/// An inner point is its own only if it lies deeper than the ends by this part of both radii.
constexpr double deeper = 1e-9;
/// Of the squared sine; below it axes are parallel in the formulas.
constexpr double parallel_sine_squared = 1e-12;

struct Axis {
  Vector3<double> center;
  Vector3<double> direction;  ///< unit
  double half_length = 0.0;

  [[nodiscard]] Vector3<double> at(double t) const { return multiply_add(t, direction, center); }
  [[nodiscard]] double nearest(const Vector3<double>& point) const {
    return std::clamp(dot(direction, point - center), -half_length, half_length);
  }
};

struct CapsulePair {
  Axis a;
  Axis b;
  double radius_a = 0.0;
  double radius_b = 0.0;
  double sine_squared = 0.0;
  Vector3<double> fallback;  ///< the normal where the axes meet
};

struct Touch {
  double s = 0.0;  ///< on axis a [m]
  double t = 0.0;  ///< on axis b [m]
  int feature = 0;
  double gap = 0.0;
  Vector3<double> apart;  ///< from axis to axis
  double distance = 0.0;
};

CapsulePair make_pair(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                      const Placement& at_b) {
  CapsulePair pair{{at_a.position, at_a.rotation.c2, a.size.y},
                   {at_b.position, at_b.rotation.c2, b.size.y},
                   a.size.x,
                   b.size.x};
  const Vector3<double> both = cross(pair.a.direction, pair.b.direction);
  pair.sine_squared = dot(both, both);
  pair.fallback = pair.sine_squared > parallel_sine_squared
                      ? (1.0 / std::sqrt(pair.sine_squared)) * both
                      : at_a.rotation.c0;
  return pair;
}

Touch touch_at(const CapsulePair& pair, double s, double t, int feature) {
  Touch touch{s, t, feature};
  touch.apart = pair.b.at(t) - pair.a.at(s);
  touch.distance = norm(touch.apart);
  touch.gap = touch.distance - (pair.radius_a + pair.radius_b);
  return touch;
}

/// Closest points of both axes: those of the lines, then one clamped after the other.
Touch closest_touch(const CapsulePair& pair) {
  const Vector3<double> w = pair.a.center - pair.b.center;
  const double cosine = dot(pair.a.direction, pair.b.direction);
  const double d = dot(pair.a.direction, w);
  const double e = dot(pair.b.direction, w);
  double s = 0.0;
  if (pair.sine_squared > parallel_sine_squared) {
    s = std::clamp((cosine * e - d) / pair.sine_squared, -pair.a.half_length, pair.a.half_length);
  }
  const double t = std::clamp(cosine * s + e, -pair.b.half_length, pair.b.half_length);
  s = std::clamp(cosine * t - d, -pair.a.half_length, pair.a.half_length);
  return touch_at(pair, s, t, 0);
}

/// The ends of the stretch in which both axes run beside each other. Features: 1 and 2 where axis a
/// ends (-z, z), 3 and 4 where axis b does. False if there is no such stretch.
bool find_line(const CapsulePair& pair, std::array<Touch, 2>& line) {
  const double center = dot(pair.a.direction, pair.b.center - pair.a.center);
  const double cosine = dot(pair.a.direction, pair.b.direction);
  const double reach = std::abs(cosine) * pair.b.half_length;
  const double low = std::max(-pair.a.half_length, center - reach);
  const double high = std::min(pair.a.half_length, center + reach);
  if (!(high - low > shortest_line * (pair.radius_a + pair.radius_b))) return false;
  for (int end = 0; end < 2; ++end) {
    const double sign = end == 0 ? -1.0 : 1.0;
    const bool a_ends = end == 0 ? low == -pair.a.half_length : high == pair.a.half_length;
    const double t = (cosine < 0.0 ? -sign : sign) * pair.b.half_length;
    const double s = sign * pair.a.half_length;
    line[static_cast<std::size_t>(end)] =
        a_ends ? touch_at(pair, s, pair.b.nearest(pair.a.at(s)), end + 1)
               : touch_at(pair, pair.a.nearest(pair.b.at(t)), t, t < 0.0 ? 3 : 4);
  }
  if (line[0].feature > line[1].feature) std::swap(line[0], line[1]);
  return true;
}

void add_touch(const CapsulePair& pair, const Touch& touch, double margin, PointBuffer& points) {
  if (touch.gap > margin) return;
  const Vector3<double> normal = touch.distance > 1e-14 * (pair.radius_a + pair.radius_b)
                                     ? (1.0 / touch.distance) * touch.apart
                                     : pair.fallback;
  points.add(multiply_add(pair.radius_a + 0.5 * touch.gap, normal, pair.a.at(touch.s)), normal,
             touch.gap, touch.feature);
}

}  // namespace

void collide_capsule_capsule(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points) {
  const CapsulePair pair = make_pair(a, at_a, b, at_b);
  const Touch closest = closest_touch(pair);
  if (closest.gap > margin) return;
  std::array<Touch, 2> line;
  if (pair.sine_squared > line_contact_sine * line_contact_sine || !find_line(pair, line)) {
    add_touch(pair, closest, margin, points);
    return;
  }
  const double shallow = std::min(line[0].gap, line[1].gap);
  if (closest.gap < shallow - deeper * (pair.radius_a + pair.radius_b)) {
    add_touch(pair, closest, margin, points);
  }
  add_touch(pair, line[0], margin, points);
  add_touch(pair, line[1], margin, points);
}

}  // namespace stiction
