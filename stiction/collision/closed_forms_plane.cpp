/// \file
/// What a half-space meets: its gap to a point is the height over the plane, so the gap to a shape
/// is that of the shape's furthest points against the normal.

#include <array>
#include <cmath>

#include "stiction/collision/closed_forms.hpp"

namespace stiction {
namespace {

/// Height of the shape's origin over the plane [m].
double height_over(const Placement& plane, const Vector3<double>& position) {
  return dot(plane.rotation.c2, position - plane.position);
}

/// `surface` is the point of the second shape's surface.
void add_on_plane(const Vector3<double>& surface, const Vector3<double>& normal, double gap,
                  int feature, PointBuffer& points) {
  points.add(multiply_subtract(0.5 * gap, normal, surface), normal, gap, feature);
}

/// Below this slope of a cap against the plane its lowest rim point is where rounding puts it, and
/// the cylinder's own x axis stands in: then no two rim points differ by more than this times r.
constexpr double flat_cap_slope = 1e-10;

/// Unit direction in a cap, in the cylinder's x and y axes, in which the cap goes down most
/// steeply.
std::array<double, 2> downhill(double normal_x, double normal_y) {
  const double slope = std::sqrt(normal_x * normal_x + normal_y * normal_y);
  if (!(slope > flat_cap_slope)) return {1.0, 0.0};
  return {-normal_x / slope, -normal_y / slope};
}

}  // namespace

void collide_plane_sphere(const ShapeGeometry&, const Placement& at_a, const ShapeGeometry& b,
                          const Placement& at_b, double margin, PointBuffer& points) {
  const double radius = b.size.x;
  const double gap = height_over(at_a, at_b.position) - radius;
  if (gap > margin) return;
  const Vector3<double>& normal = at_a.rotation.c2;
  points.add(multiply_subtract(radius + 0.5 * gap, normal, at_b.position), normal, gap, 0);
}

void collide_plane_box(const ShapeGeometry&, const Placement& at_a, const ShapeGeometry& b,
                       const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double>& normal = at_a.rotation.c2;
  const double height = height_over(at_a, at_b.position);
  const double hx = b.size.x * dot(normal, at_b.rotation.c0);
  const double hy = b.size.y * dot(normal, at_b.rotation.c1);
  const double hz = b.size.z * dot(normal, at_b.rotation.c2);
  if (height - (std::abs(hx) + std::abs(hy) + std::abs(hz)) > margin) return;
  const Vector3<double> ex = b.size.x * at_b.rotation.c0;
  const Vector3<double> ey = b.size.y * at_b.rotation.c1;
  const Vector3<double> ez = b.size.z * at_b.rotation.c2;
  for (int corner = 0; corner < 8; ++corner) {
    const double sx = (corner & 1) != 0 ? 1.0 : -1.0;
    const double sy = (corner & 2) != 0 ? 1.0 : -1.0;
    const double sz = (corner & 4) != 0 ? 1.0 : -1.0;
    const double gap = height + (sx * hx + sy * hy + sz * hz);
    if (gap > margin) continue;
    const Vector3<double> arm = multiply_add(sz, ez, multiply_add(sy, ey, sx * ex));
    add_on_plane(at_b.position + arm, normal, gap, corner, points);
  }
}

void collide_plane_capsule(const ShapeGeometry&, const Placement& at_a, const ShapeGeometry& b,
                           const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double>& normal = at_a.rotation.c2;
  const double radius = b.size.x;
  const double half_length = b.size.y;
  const double height = height_over(at_a, at_b.position) - radius;
  const double rise = half_length * dot(normal, at_b.rotation.c2);
  const int ends = half_length > 0.0 ? 2 : 1;
  for (int end = 0; end < ends; ++end) {
    const double sign = end == 0 ? -1.0 : 1.0;
    const double gap = height + sign * rise;
    if (gap > margin) continue;
    const Vector3<double> center =
        multiply_add(sign * half_length, at_b.rotation.c2, at_b.position);
    points.add(multiply_subtract(radius + 0.5 * gap, normal, center), normal, gap, end);
  }
}

void collide_plane_cylinder(const ShapeGeometry&, const Placement& at_a, const ShapeGeometry& b,
                            const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double>& normal = at_a.rotation.c2;
  const double radius = b.size.x;
  const double half_length = b.size.y;
  const Vector3<double> n = transpose_times(at_b.rotation, normal);
  const double height = height_over(at_a, at_b.position);
  const auto [cx, cy] = downhill(n.x, n.y);
  // The lowest rim point, a quarter turn, half a turn, three quarters.
  const std::array<std::array<double, 2>, 4> rim{{{cx, cy}, {-cy, cx}, {-cx, -cy}, {cy, -cx}}};
  for (int feature = 0; feature < 8; ++feature) {
    const auto& u = rim[static_cast<std::size_t>(feature & 3)];
    const Vector3<double> arm{radius * u[0], radius * u[1],
                              (feature & 4) != 0 ? half_length : -half_length};
    const double gap = height + dot(n, arm);
    if (gap > margin) continue;
    add_on_plane(multiply_add(at_b.rotation, arm, at_b.position), normal, gap, feature, points);
  }
}

void collide_plane_ellipsoid(const ShapeGeometry&, const Placement& at_a, const ShapeGeometry& b,
                             const Placement& at_b, double margin, PointBuffer& points) {
  const Vector3<double>& normal = at_a.rotation.c2;
  const Vector3<double> n = transpose_times(at_b.rotation, normal);
  const Vector3<double> w{b.size.x * n.x, b.size.y * n.y, b.size.z * n.z};
  const double support = norm(w);
  const double gap = height_over(at_a, at_b.position) - support;
  if (gap > margin) return;
  const double scale = support > 0.0 ? -1.0 / support : 0.0;
  const Vector3<double> arm =
      scale * Vector3<double>{b.size.x * w.x, b.size.y * w.y, b.size.z * w.z};
  add_on_plane(multiply_add(at_b.rotation, arm, at_b.position), normal, gap, 0, points);
}

}  // namespace stiction
