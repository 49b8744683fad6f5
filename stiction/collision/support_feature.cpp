#include "stiction/collision/support_feature.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

using Vector = Vector3<double>;

double& coordinate(Vector& v, int axis) { return axis == 0 ? v.x : (axis == 1 ? v.y : v.z); }
double coordinate(const Vector& v, int axis) { return axis == 0 ? v.x : (axis == 1 ? v.y : v.z); }

/// Bit i is set where coordinate i is positive.
int box_corner_id(const Vector& corner) {
  return (corner.x > 0.0 ? 1 : 0) + (corner.y > 0.0 ? 2 : 0) + (corner.z > 0.0 ? 4 : 0);
}

void box_face(const Vector& half, const Vector& direction, SupportFeature& feature) {
  const double x = std::fabs(direction.x);
  const double y = std::fabs(direction.y);
  const double z = std::fabs(direction.z);
  const int axis = z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
  const double side = std::copysign(1.0, coordinate(direction, axis));
  coordinate(feature.normal, axis) = side;
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  constexpr double loop[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  for (const auto& signs : loop) {
    // Mirrored on the negative side, which keeps the turn.
    Vector corner;
    coordinate(corner, axis) = side * coordinate(half, axis);
    coordinate(corner, u) = side * signs[0] * coordinate(half, u);
    coordinate(corner, v) = signs[1] * coordinate(half, v);
    feature.add(corner, box_corner_id(corner));
  }
}

void box_edge(const Vector& half, const Vector& direction, SupportFeature& feature) {
  const double x = std::fabs(direction.x);
  const double y = std::fabs(direction.y);
  const double z = std::fabs(direction.z);
  const int axis = z <= x && z <= y ? 2 : (y <= x ? 1 : 0);
  for (const double sign : {-1.0, 1.0}) {
    Vector corner{std::copysign(half.x, direction.x), std::copysign(half.y, direction.y),
                  std::copysign(half.z, direction.z)};
    coordinate(corner, axis) = sign * coordinate(half, axis);
    feature.add(corner, box_corner_id(corner));
  }
}

void side_line(const Vector& size, const Vector& direction, SupportFeature& feature) {
  const double across = std::hypot(direction.x, direction.y);
  const double s = across > 0.0 ? size.x / across : 0.0;
  feature.add({s * direction.x, s * direction.y, -size.y}, 16);
  feature.add({s * direction.x, s * direction.y, size.y}, 17);
}

/// Eight points of a rim that are fixed to the cylinder.
void cap(const Vector& size, double side, SupportFeature& feature) {
  const double c = size.x;
  const double d = size.x * std::sqrt(0.5);
  const double x[8] = {c, d, 0.0, -d, -c, -d, 0.0, d};
  const double y[8] = {0.0, d, c, d, 0.0, -d, -c, -d};
  feature.normal = {0.0, 0.0, side};
  for (int i = 0; i < 8; ++i) {
    const int k = side > 0.0 ? i : 7 - i;
    feature.add({x[k], y[k], side * size.y}, (side > 0.0 ? 8 : 0) + k);
  }
}

void hull_face(ConvexCore& core, const Vector& direction, SupportFeature& feature) {
  const ConvexHull& hull = *core.hull;
  core.last_vertex = hull.support(direction, core.last_vertex);
  const ConvexHull::Face* face = hull.support_face(core.last_vertex, direction);
  if (face == nullptr) {
    support_edge(core, direction, feature);
    return;
  }
  feature.normal = face->normal;
  const auto corners = hull.corners(*face);
  const int count = std::min(face->count, SupportFeature::most_corners);
  for (int i = 0; i < count; ++i) {
    const int vertex = corners[static_cast<std::size_t>(i * face->count / count)];
    feature.add(hull.vertices()[static_cast<std::size_t>(vertex)], vertex);
  }
}

void hull_edge(ConvexCore& core, const Vector& direction, SupportFeature& feature) {
  const ConvexHull& hull = *core.hull;
  core.last_vertex = hull.support(direction, core.last_vertex);
  const Vector& from = hull.vertices()[static_cast<std::size_t>(core.last_vertex)];
  int other = -1;
  double least = 2.0;
  for (const int vertex : hull.neighbours(core.last_vertex)) {
    const Vector edge = hull.vertices()[static_cast<std::size_t>(vertex)] - from;
    const double along = std::fabs(dot(edge, direction)) / std::max(norm(edge), 1e-300);
    if (along < least) {
      least = along;
      other = vertex;
    }
  }
  feature.add(from, core.last_vertex);
  if (other >= 0) feature.add(hull.vertices()[static_cast<std::size_t>(other)], other);
}

}  // namespace

void support_face(ConvexCore& core, const Vector& direction, SupportFeature& feature) {
  feature.count = 0;
  feature.normal = {};
  switch (core.kind) {
    case ShapeKind::box:
      return box_face(core.size, direction, feature);
    case ShapeKind::cylinder:
      if (direction.z * direction.z < 0.5 * dot(direction, direction))
        return side_line(core.size, direction, feature);
      return cap(core.size, std::copysign(1.0, direction.z), feature);
    case ShapeKind::mesh:
      return hull_face(core, direction, feature);
    default:
      return support_edge(core, direction, feature);
  }
}

void support_edge(ConvexCore& core, const Vector& direction, SupportFeature& feature) {
  feature.count = 0;
  feature.normal = {};
  switch (core.kind) {
    case ShapeKind::box:
      return box_edge(core.size, direction, feature);
    case ShapeKind::capsule:
      feature.add({0.0, 0.0, -core.size.y}, 0);
      feature.add({0.0, 0.0, core.size.y}, 1);
      return;
    case ShapeKind::cylinder:
      return side_line(core.size, direction, feature);
    case ShapeKind::mesh:
      return hull_edge(core, direction, feature);
    default:
      feature.add(support_point(core, direction), 0);
  }
}

void move_feature(const Matrix3<double>& rotation, const Vector& position,
                  SupportFeature& feature) {
  for (int i = 0; i < feature.count; ++i) {
    Vector& corner = feature.corner[static_cast<std::size_t>(i)];
    corner = multiply_add(rotation, corner, position);
  }
  feature.normal = rotation * feature.normal;
}

}  // namespace stiction
