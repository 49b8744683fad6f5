#include "stiction/collision/rays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/collision/rays_surface.hpp"

namespace stiction {
namespace {

using Vector = Vector3<double>;

struct Ray {
  Vector origin;
  Vector direction;
};

/// The nearest of several candidates, in the axes of the shape.
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  Vector normal;  ///< outwards
  void offer(double candidate, const Vector& outwards) {
    if (candidate < 0.0 || !(candidate < distance)) return;
    distance = candidate;
    normal = outwards;
  }
};

Vector at(const Ray& ray, double t) { return multiply_add(t, ray.direction, ray.origin); }

Vector unit(const Vector& v) { return (1.0 / norm(v)) * v; }

/// Both roots of a t² + 2 b t + c = 0, ascending; false if there are none. Avoids the difference of
/// like numbers.
bool solve_quadratic(double a, double b, double c, std::array<double, 2>& roots) {
  const double discriminant = fma(b, b, -a * c);
  if (!(discriminant >= 0.0) || a == 0.0) return false;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  roots = {q / a, q != 0.0 ? c / q : 0.0};
  if (roots[0] > roots[1]) std::swap(roots[0], roots[1]);
  return true;
}

void meet_sphere(const Ray& ray, const Vector& center, double radius, Nearest& nearest,
                 double least_z = -std::numeric_limits<double>::infinity(),
                 double most_z = std::numeric_limits<double>::infinity()) {
  // The discriminant by the distance of the line from the centre: exact for far origins.
  const Vector from_center = ray.origin - center;
  const double middle = -dot(ray.direction, from_center);
  const Vector foot = multiply_add(middle, ray.direction, from_center);
  const double half_chord = fma(radius, radius, -dot(foot, foot));
  if (!(half_chord >= 0.0)) return;
  for (const double sign : {-1.0, 1.0}) {
    const double t = fma(sign, std::sqrt(half_chord), middle);
    const Vector point = at(ray, t) - center;
    if (point.z >= least_z && point.z <= most_z) nearest.offer(t, unit(point));
  }
}

void meet_plane(const Ray& ray, Nearest& nearest) {
  if (ray.direction.z < 0.0) nearest.offer(-ray.origin.z / ray.direction.z, {0.0, 0.0, 1.0});
}

/// Two parallel faces at ±size along one axis; `inside` bounds them.
void meet_slab(const Ray& ray, double origin, double direction, double size, auto&& inside,
               auto&& normal, Nearest& nearest) {
  if (direction == 0.0) return;
  for (const double sign : {-1.0, 1.0}) {
    const double t = (sign * size - origin) / direction;
    if (t >= 0.0 && inside(at(ray, t))) nearest.offer(t, normal(sign));
  }
}

void meet_box(const Ray& ray, const Vector& size, Nearest& nearest) {
  const Vector& o = ray.origin;
  const Vector& d = ray.direction;
  const auto within = [](double value, double bound) { return std::abs(value) <= bound; };
  meet_slab(
      ray, o.x, d.x, size.x,
      [&](const Vector& p) { return within(p.y, size.y) && within(p.z, size.z); },
      [](double sign) {
        return Vector{sign, 0.0, 0.0};
      },
      nearest);
  meet_slab(
      ray, o.y, d.y, size.y,
      [&](const Vector& p) { return within(p.x, size.x) && within(p.z, size.z); },
      [](double sign) {
        return Vector{0.0, sign, 0.0};
      },
      nearest);
  meet_slab(
      ray, o.z, d.z, size.z,
      [&](const Vector& p) { return within(p.x, size.x) && within(p.y, size.y); },
      [](double sign) {
        return Vector{0.0, 0.0, sign};
      },
      nearest);
}

/// The side of a cylinder about z.
void meet_tube(const Ray& ray, double radius, double half_length, Nearest& nearest) {
  const Vector& o = ray.origin;
  const Vector& d = ray.direction;
  std::array<double, 2> roots;
  if (!solve_quadratic(fma(d.x, d.x, d.y * d.y), fma(o.x, d.x, o.y * d.y),
                       fma(o.x, o.x, fma(o.y, o.y, -radius * radius)), roots)) {
    return;
  }
  for (const double t : roots) {
    const Vector p = at(ray, t);
    if (std::abs(p.z) <= half_length) nearest.offer(t, unit({p.x, p.y, 0.0}));
  }
}

void meet_cylinder(const Ray& ray, double radius, double half_length, Nearest& nearest) {
  meet_tube(ray, radius, half_length, nearest);
  meet_slab(
      ray, ray.origin.z, ray.direction.z, half_length,
      [&](const Vector& p) { return fma(p.x, p.x, p.y * p.y) <= radius * radius; },
      [](double sign) {
        return Vector{0.0, 0.0, sign};
      },
      nearest);
}

void meet_capsule(const Ray& ray, double radius, double half_length, Nearest& nearest) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  meet_tube(ray, radius, half_length, nearest);
  meet_sphere(ray, {0.0, 0.0, half_length}, radius, nearest, 0.0, endless);
  meet_sphere(ray, {0.0, 0.0, -half_length}, radius, nearest, -endless, 0.0);
}

/// A sphere seen through scaled axes.
void meet_ellipsoid(const Ray& ray, const Vector& size, Nearest& nearest) {
  const Vector o{ray.origin.x / size.x, ray.origin.y / size.y, ray.origin.z / size.z};
  const Vector d{ray.direction.x / size.x, ray.direction.y / size.y, ray.direction.z / size.z};
  const double length = norm(d);
  Nearest scaled;
  meet_sphere({o, (1.0 / length) * d}, {}, 1.0, scaled);
  if (!std::isfinite(scaled.distance)) return;
  const Vector& n = scaled.normal;
  nearest.offer(scaled.distance / length, unit({n.x / size.x, n.y / size.y, n.z / size.z}));
}

std::optional<ShapeRayHit> meet_facets(const ShapeGeometry& geometry, const Ray& ray,
                                       double max_distance) {
  if (geometry.terrain) {
    return cast_ray_on_terrain(*geometry.terrain, ray.origin, ray.direction, max_distance);
  }
  if (geometry.triangles) {
    return cast_ray_on_triangles(*geometry.triangles, ray.origin, ray.direction, max_distance);
  }
  if (geometry.hull) {
    return cast_ray_on_hull(*geometry.hull, ray.origin, ray.direction, max_distance);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ShapeRayHit> cast_ray_on_shape(const ShapeGeometry& geometry,
                                             const Placement& placement, const Vector& origin,
                                             const Vector& direction, double max_distance) {
  const Ray ray{transpose_times(placement.rotation, origin - placement.position),
                transpose_times(placement.rotation, direction)};
  const Vector& size = geometry.size;
  Nearest nearest;
  switch (geometry.kind) {
    case ShapeKind::sphere:
      meet_sphere(ray, {}, size.x, nearest);
      break;
    case ShapeKind::box:
      meet_box(ray, size, nearest);
      break;
    case ShapeKind::capsule:
      meet_capsule(ray, size.x, size.y, nearest);
      break;
    case ShapeKind::cylinder:
      meet_cylinder(ray, size.x, size.y, nearest);
      break;
    case ShapeKind::ellipsoid:
      meet_ellipsoid(ray, size, nearest);
      break;
    case ShapeKind::plane:
      meet_plane(ray, nearest);
      break;
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      if (const auto hit = meet_facets(geometry, ray, max_distance)) {
        nearest.offer(hit->distance, hit->normal);
      }
      break;
  }
  if (!(nearest.distance <= max_distance) || !std::isfinite(nearest.distance)) return std::nullopt;
  const double side = dot(nearest.normal, ray.direction) > 0.0 ? -1.0 : 1.0;
  return ShapeRayHit{nearest.distance, placement.rotation * (side * nearest.normal)};
}

}  // namespace stiction
