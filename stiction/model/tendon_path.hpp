#pragma once

/// \file
/// The way of a spatial tendon, given where the bodies are.

#include "stiction/model/elements.hpp"
#include "stiction/spatial/wrapping.hpp"

namespace stiction {

/// Where a body is in the world.
struct BodyPlace {
  Matrix3<double> rotation = identity3<double>();
  Vector3<double> position;
};

/// A straight piece of the way between points of two bodies, world [m].
struct TendonSegment {
  int body_a = -1;
  int body_b = -1;
  Vector3<double> a;
  Vector3<double> b;
  double share = 1.0;  ///< of its length that counts: 1 / divisor
};

namespace detail {

inline Vector3<double> point_of(const BodyPlace& place, const Eigen::Vector3d& point) {
  return multiply_add(place.rotation, from_eigen(point), place.position);
}

/// The wrap of a thread from `start` to `end` around `part`, in world coordinates.
template <class PlaceOf>
Wrap wrap_part(const Tendon::Part& part, const PlaceOf& place_of, const Vector3<double>& start,
               const Vector3<double>& end) {
  const BodyPlace body = place_of(part.body);
  const Matrix3<double> axes = body.rotation * from_eigen(Eigen::Matrix3d(part.pose.linear()));
  const Vector3<double> center = point_of(body, part.pose.translation());
  const auto local = [&](const Vector3<double>& p) { return transpose_times(axes, p - center); };
  Vector3<double> side;
  if (part.has_side) side = local(point_of(place_of(part.side_body), part.side));
  Wrap wrap = wrap_around({part.kind == Tendon::Part::Kind::cylinder, part.radius}, local(start),
                          local(end), part.has_side ? &side : nullptr);
  if (wrap.touches) {
    wrap.first = multiply_add(axes, wrap.first, center);
    wrap.second = multiply_add(axes, wrap.second, center);
  }
  return wrap;
}

}  // namespace detail

/// Calls `visit(TendonSegment)` for each straight piece, and returns the length of the tendon.
/// `place_of(body)` returns a BodyPlace, also for the world (-1).
template <class PlaceOf, class Visit>
double walk_tendon(const Tendon& tendon, const PlaceOf& place_of, const Visit& visit) {
  using Kind = Tendon::Part::Kind;
  const std::vector<Tendon::Part>& path = tendon.path;
  double length = 0.0;
  double share = 1.0;
  const auto go = [&](const TendonSegment& segment) {
    visit(segment);
    length += share * norm(segment.b - segment.a);
  };
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Tendon::Part& part = path[i];
    if (part.kind == Kind::pulley) share = 1.0 / part.divisor;
    if (part.kind != Kind::site || path[i + 1].kind == Kind::pulley) continue;
    const bool straight = path[i + 1].kind == Kind::site;
    const Tendon::Part& next = path[straight ? i + 1 : i + 2];
    const Vector3<double> start = detail::point_of(place_of(part.body), part.pose.translation());
    const Vector3<double> end = detail::point_of(place_of(next.body), next.pose.translation());
    Wrap wrap;
    if (!straight) wrap = detail::wrap_part(path[i + 1], place_of, start, end);
    if (!wrap.touches) {
      go({part.body, next.body, start, end, share});
      continue;
    }
    const int around = path[i + 1].body;
    go({part.body, around, start, wrap.first, share});
    length += share * wrap.arc;
    go({around, next.body, wrap.second, end, share});
  }
  return length;
}

}  // namespace stiction
