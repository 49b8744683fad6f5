#include "stiction/collision/rays_surface.hpp"

#include <cmath>
#include <limits>

#include "stiction/collision/convex_hull_shape.hpp"
#include "stiction/collision/height_field.hpp"
#include "stiction/collision/triangle_mesh.hpp"

namespace stiction {
namespace {

using Vector = Vector3<double>;
constexpr double endless = std::numeric_limits<double>::infinity();

/// The part of a ray within a box, and the faces where it enters and leaves.
struct Stretch {
  double begin = 0.0;
  double end = 0.0;
  Vector begin_normal;  ///< outwards; none if the ray begins inside
  Vector end_normal;
  bool empty() const { return !(begin <= end); }

  void clip(double origin, double direction, double low, double high, const Vector& axis) {
    if (direction == 0.0) {
      if (origin < low || origin > high) end = -endless;
      return;
    }
    const double sign = direction > 0.0 ? 1.0 : -1.0;
    const double enter = ((direction > 0.0 ? low : high) - origin) / direction;
    const double leave = ((direction > 0.0 ? high : low) - origin) / direction;
    if (enter > begin) {
      begin = enter;
      begin_normal = -sign * axis;
    }
    if (leave < end) {
      end = leave;
      end_normal = sign * axis;
    }
  }
};

/// Follows a ray over the cells of a height field.
class TerrainWalk {
 public:
  TerrainWalk(const Terrain& terrain, const Vector& origin, const Vector& direction)
      : terrain_(terrain), origin_(origin), direction_(direction) {}

  std::optional<ShapeRayHit> first_hit(double max_distance);

 private:
  [[nodiscard]] Vector at(double t) const { return multiply_add(t, direction_, origin_); }
  [[nodiscard]] double height(const SurfaceTriangle& triangle, double t) const {
    return dot(triangle.normal, at(t) - triangle.corner[0]);
  }
  /// The crossing of the surface on a stretch of the ray over one triangle.
  [[nodiscard]] std::optional<ShapeRayHit> cross(int triangle, double begin, double end) const;
  [[nodiscard]] std::optional<ShapeRayHit> cross_cell(double begin, double end) const;
  /// When the ray comes to the next line of the grid, of which the first is at `first`.
  [[nodiscard]] static double next_line(double origin, double direction, int cell, double size,
                                        double first);
  [[nodiscard]] int cell_of(double place, double half, double size, int count) const {
    return static_cast<int>(std::clamp(std::floor((place + half) / size), 0.0, count - 1.0));
  }

  const Terrain& terrain_;
  Vector origin_;
  Vector direction_;
  int row_ = 0;
  int column_ = 0;
  bool inside_ = false;  ///< the ray is in the solid and looks for the way out
};

std::optional<ShapeRayHit> TerrainWalk::cross(int index, double begin, double end) const {
  const SurfaceTriangle triangle = terrain_.triangle(index);
  const double side = inside_ ? -1.0 : 1.0;
  const double first = side * height(triangle, begin);
  const double last = side * height(triangle, end);
  if (first >= 0.0 && last >= 0.0) return std::nullopt;
  const double t =
      dot(triangle.normal, triangle.corner[0] - origin_) / dot(triangle.normal, direction_);
  return ShapeRayHit{first < 0.0 ? begin : std::clamp(t, begin, end), triangle.normal};
}

std::optional<ShapeRayHit> TerrainWalk::cross_cell(double begin, double end) const {
  const int first_triangle = 2 * (row_ * (terrain_.columns() - 1) + column_);
  const Vector corner = terrain_.vertex(row_, column_);
  // Positive on the side of the second triangle (+x), linear along the ray.
  const auto aside = [&](double t) {
    const Vector p = at(t) - corner;
    return p.x * terrain_.cell_y() - p.y * terrain_.cell_x();
  };
  const double at_begin = aside(begin);
  const double at_end = aside(end);
  const int from = at_begin > 0.0 || (at_begin == 0.0 && at_end > 0.0) ? 1 : 0;
  const int to = at_end > 0.0 || (at_end == 0.0 && from == 1) ? 1 : 0;
  if (from == to) return cross(first_triangle + from, begin, end);
  const double middle = begin + (end - begin) * at_begin / (at_begin - at_end);
  if (const auto hit = cross(first_triangle + from, begin, middle)) return hit;
  return cross(first_triangle + to, middle, end);
}

double TerrainWalk::next_line(double origin, double direction, int cell, double size,
                              double first) {
  if (direction == 0.0) return endless;
  return (fma(size, direction > 0.0 ? cell + 1 : cell, first) - origin) / direction;
}

std::optional<ShapeRayHit> TerrainWalk::first_hit(double max_distance) {
  Stretch stretch{0.0, endless, {}, {}};
  stretch.clip(origin_.x, direction_.x, -terrain_.half_x(), terrain_.half_x(), {1.0, 0.0, 0.0});
  stretch.clip(origin_.y, direction_.y, -terrain_.half_y(), terrain_.half_y(), {0.0, 1.0, 0.0});
  stretch.clip(origin_.z, direction_.z, terrain_.bottom(), terrain_.top(), {0.0, 0.0, 1.0});
  if (stretch.empty() || stretch.begin > max_distance) return std::nullopt;
  const Vector start = at(stretch.begin);
  column_ = cell_of(start.x, terrain_.half_x(), terrain_.cell_x(), terrain_.columns() - 1);
  row_ = cell_of(start.y, terrain_.half_y(), terrain_.cell_y(), terrain_.rows() - 1);
  if (terrain_.cover({std::clamp(start.x, -terrain_.half_x(), terrain_.half_x()),
                      std::clamp(start.y, -terrain_.half_y(), terrain_.half_y()),
                      std::clamp(start.z, terrain_.bottom(), terrain_.top())})) {
    if (stretch.begin > 0.0) return ShapeRayHit{stretch.begin, stretch.begin_normal};
    inside_ = true;
  }
  double t = stretch.begin;
  while (t <= max_distance) {
    const double to_x =
        next_line(origin_.x, direction_.x, column_, terrain_.cell_x(), -terrain_.half_x());
    const double to_y =
        next_line(origin_.y, direction_.y, row_, terrain_.cell_y(), -terrain_.half_y());
    const double end = std::max(t, std::min({to_x, to_y, stretch.end}));
    if (const auto hit = cross_cell(t, end)) return hit;
    if (end >= stretch.end) break;
    t = end;
    if (to_x <= to_y) column_ += direction_.x > 0.0 ? 1 : -1;
    if (to_y <= to_x) row_ += direction_.y > 0.0 ? 1 : -1;
    if (column_ < 0 || row_ < 0 || column_ >= terrain_.columns() - 1 ||
        row_ >= terrain_.rows() - 1) {
      break;
    }
  }
  if (inside_) return ShapeRayHit{stretch.end, stretch.end_normal};
  return std::nullopt;
}

/// Distance along the ray to a triangle, or infinity. Borders belong to the triangle, a little more
/// than they should, so that nothing slips through between two of them.
double distance_to(const SurfaceTriangle& triangle, const Vector& origin, const Vector& direction) {
  constexpr double border = -1e-12;
  const Vector to_corner = triangle.corner[0] - origin;
  const Vector first = triangle.corner[1] - triangle.corner[0];
  const Vector second = triangle.corner[2] - triangle.corner[0];
  const Vector area = cross(first, second);
  const double facing = dot(area, direction);
  if (facing == 0.0) return endless;
  const Vector turned = cross(to_corner, direction);
  const double along_second = -dot(turned, first) / facing;
  const double along_first = dot(turned, second) / facing;
  if (along_first < border || along_second < border || along_first + along_second > 1.0 - border) {
    return endless;
  }
  const double t = dot(area, to_corner) / facing;
  return t >= 0.0 ? t : endless;
}

}  // namespace

std::optional<ShapeRayHit> cast_ray_on_terrain(const Terrain& terrain, const Vector& origin,
                                               const Vector& direction, double max_distance) {
  return TerrainWalk(terrain, origin, direction).first_hit(max_distance);
}

std::optional<ShapeRayHit> cast_ray_on_triangles(const TriangleMesh& mesh, const Vector& origin,
                                                 const Vector& direction, double max_distance) {
  ShapeRayHit best{endless, {}};
  int best_index = -1;
  const auto reaches = [&](const Vector& low, const Vector& high) {
    Stretch stretch{0.0, std::min(best.distance, max_distance), {}, {}};
    stretch.clip(origin.x, direction.x, low.x, high.x, {});
    stretch.clip(origin.y, direction.y, low.y, high.y, {});
    stretch.clip(origin.z, direction.z, low.z, high.z, {});
    return !(stretch.begin > stretch.end + 1e-9 * std::abs(stretch.end));
  };
  mesh.visit_if(reaches, [&](const SurfaceTriangle& triangle) {
    const double t = distance_to(triangle, origin, direction);
    if (t > best.distance || (t == best.distance && triangle.index > best_index)) return;
    best = {t, triangle.normal};
    best_index = triangle.index;
  });
  if (!std::isfinite(best.distance)) return std::nullopt;
  return best;
}

std::optional<ShapeRayHit> cast_ray_on_hull(const ConvexHull& hull, const Vector& origin,
                                            const Vector& direction, double max_distance) {
  Stretch stretch{0.0, endless, {}, {}};
  bool enters = false;
  for (const ConvexHull::Face& face : hull.faces()) {
    const auto corner = static_cast<std::size_t>(hull.corners(face)[0]);
    const double height = dot(face.normal, hull.vertices()[corner] - origin);
    const double facing = dot(face.normal, direction);
    if (facing == 0.0) {
      if (height < 0.0) return std::nullopt;
    } else if (facing < 0.0 && height / facing > stretch.begin) {
      stretch.begin = height / facing;
      stretch.begin_normal = face.normal;
      enters = true;
    } else if (facing > 0.0 && height / facing < stretch.end) {
      stretch.end = height / facing;
      stretch.end_normal = face.normal;
    }
  }
  if (stretch.empty()) return std::nullopt;
  const ShapeRayHit hit = enters ? ShapeRayHit{stretch.begin, stretch.begin_normal}
                                 : ShapeRayHit{stretch.end, stretch.end_normal};
  if (!(hit.distance <= max_distance)) return std::nullopt;
  return hit;
}

}  // namespace stiction
