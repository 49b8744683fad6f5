/// \file
/// Which function finds the points of which two shapes.

#include <array>

#include "stiction/collision/closed_forms.hpp"
#include "stiction/collision/convex_pairs.hpp"
#include "stiction/collision/terrain_pairs.hpp"

namespace stiction {
namespace {

/// The kinds, with meshes told apart by what stands for them.
enum class Role { sphere, box, capsule, cylinder, ellipsoid, hull, plane, height_field, triangles };
constexpr std::size_t role_count = 9;

Role role_of(const ShapeGeometry& shape) {
  switch (shape.kind) {
    case ShapeKind::sphere:
      return Role::sphere;
    case ShapeKind::box:
      return Role::box;
    case ShapeKind::capsule:
      return Role::capsule;
    case ShapeKind::cylinder:
      return Role::cylinder;
    case ShapeKind::ellipsoid:
      return Role::ellipsoid;
    case ShapeKind::plane:
      return Role::plane;
    case ShapeKind::height_field:
      return Role::height_field;
    case ShapeKind::mesh:
      break;
  }
  return shape.triangles ? Role::triangles : Role::hull;
}

/// The same points for the shapes in the other order.
template <NarrowFunction function>
void turned_round(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
                  const Placement& at_b, double margin, PointBuffer& points) {
  const int before = points.count();
  function(b, at_b, a, at_a, margin, points);
  for (int i = before; i < points.count(); ++i) points[i].normal = -points[i].normal;
}

using Table = std::array<std::array<NarrowFunction, role_count>, role_count>;

/// Enters a function for both orders.
template <NarrowFunction function>
void enter(Table& table, Role a, Role b) {
  const auto row = static_cast<std::size_t>(a);
  const auto column = static_cast<std::size_t>(b);
  table[row][column] = function;
  if (row != column) table[column][row] = turned_round<function>;
}

void enter_closed_forms(Table& table) {
  enter<collide_plane_sphere>(table, Role::plane, Role::sphere);
  enter<collide_plane_box>(table, Role::plane, Role::box);
  enter<collide_plane_capsule>(table, Role::plane, Role::capsule);
  enter<collide_plane_cylinder>(table, Role::plane, Role::cylinder);
  enter<collide_plane_ellipsoid>(table, Role::plane, Role::ellipsoid);
  enter<collide_sphere_sphere>(table, Role::sphere, Role::sphere);
  enter<collide_sphere_box>(table, Role::sphere, Role::box);
  enter<collide_sphere_capsule>(table, Role::sphere, Role::capsule);
  enter<collide_capsule_capsule>(table, Role::capsule, Role::capsule);
  enter<collide_capsule_box>(table, Role::capsule, Role::box);
  enter<collide_box_box>(table, Role::box, Role::box);
}

/// These take both orders.
void enter_convex_pairs(Table& table) {
  for (const Role general : {Role::cylinder, Role::ellipsoid, Role::hull}) {
    for (const Role other :
         {Role::sphere, Role::box, Role::capsule, Role::cylinder, Role::ellipsoid, Role::hull}) {
      table[static_cast<std::size_t>(general)][static_cast<std::size_t>(other)] = collide_convex;
      table[static_cast<std::size_t>(other)][static_cast<std::size_t>(general)] = collide_convex;
    }
  }
  enter<collide_plane_hull>(table, Role::plane, Role::hull);
}

void enter_surfaces(Table& table) {
  for (const Role surface : {Role::height_field, Role::triangles}) {
    enter<collide_sphere_surface>(table, Role::sphere, surface);
    enter<collide_box_surface>(table, Role::box, surface);
    enter<collide_capsule_surface>(table, Role::capsule, surface);
    enter<collide_cylinder_surface>(table, Role::cylinder, surface);
    enter<collide_ellipsoid_surface>(table, Role::ellipsoid, surface);
    enter<collide_hull_surface>(table, Role::hull, surface);
  }
}

Table make_table() {
  Table table{};
  enter_closed_forms(table);
  enter_convex_pairs(table);
  enter_surfaces(table);
  return table;
}

}  // namespace

bool tells_gap(const ShapeGeometry& a, const ShapeGeometry& b) {
  const Role of_a = role_of(a);
  const Role of_b = role_of(b);
  const auto is_general = [](Role role) {
    return role == Role::cylinder || role == Role::ellipsoid || role == Role::hull;
  };
  if (of_a == Role::plane || of_b == Role::plane) {
    return of_a == Role::hull || of_b == Role::hull;
  }
  return of_a < Role::plane && of_b < Role::plane && (is_general(of_a) || is_general(of_b));
}

NarrowFunction narrow_function(const ShapeGeometry& a, const ShapeGeometry& b) {
  static const Table table = make_table();
  return table[static_cast<std::size_t>(role_of(a))][static_cast<std::size_t>(role_of(b))];
}

}  // namespace stiction
