#pragma once

/// \file
/// Shapes, meshes, height fields and contact materials: what a body looks like and touches with.

#include <Eigen/Geometry>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"

namespace stiction {

enum class ShapeKind { sphere, box, capsule, cylinder, ellipsoid, plane, height_field, mesh };

std::string_view to_string(ShapeKind kind);

/// Index that stands for the world where a body index is expected.
inline constexpr int world_body = -1;

/// A collision or visual shape, fixed to a body.
struct Shape {
  std::string name;  ///< may be empty
  ShapeKind kind = ShapeKind::sphere;
  /// [m] sphere: (r, -, -); box: half extents; capsule, cylinder: (r, half length along z, -), the
  /// capsule's without its caps; ellipsoid: radii; plane: half extents to draw, 0 for infinite (its
  /// normal is z); height field: none; mesh: none
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in its link, after build() its body
  int mesh = -1;                                           ///< index into the meshes, for kind mesh
  /// A mesh collides as its convex hull. True: as its triangles, which is slower, and possible only
  /// if it is fixed to the world or its motion is prescribed.
  bool as_triangles = false;
  int height_field = -1;    ///< index into the height fields, for kind height_field
  int material = 0;         ///< index into the materials; 0 is the default material
  bool collides = true;     ///< takes part in contact
  bool visible = true;      ///< is drawn
  int collision_group = 1;  ///< bit mask: what it is (MJCF contype)
  int collision_mask = 1;   ///< bit mask: what it touches (MJCF conaffinity)
  double margin = 0.0;      ///< extra distance at which contacts are looked for [m]
  /// How fast its surface runs along itself, as on a conveyor belt, in the shape's own axes [m/s].
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();
  std::array<float, 4> color{0.7F, 0.7F, 0.7F, 1.0F};  ///< red, green, blue, opacity
  int body = world_body;                               ///< set by build()
  Source source;
};

/// Triangles, and their convex hull for collision.
struct Mesh {
  std::string name;
  std::string file;
  std::vector<Eigen::Vector3d> vertices;       ///< [m], scaled
  std::vector<std::array<int, 3>> triangles;   ///< counter-clockwise seen from outside
  std::vector<Eigen::Vector3d> hull_vertices;  ///< of the convex hull; empty if flat or not wanted
  std::vector<std::array<int, 3>> hull_triangles;  ///< into hull_vertices
};

/// A grid of heights over [-x, x] x [-y, y].
struct HeightField {
  std::string name;
  std::string file;
  int rows = 0;                                         ///< along y
  int columns = 0;                                      ///< along x
  Eigen::Vector2d half_size = Eigen::Vector2d::Zero();  ///< [m]
  double base = 0.0;                                    ///< thickness below zero height [m]
  std::vector<double> heights;  ///< rows * columns, row by row from -y, each from -x [m]
};

/// How a surface behaves in contact.
struct Material {
  std::string name;
  double friction = 1.0;               ///< Coulomb coefficient, >= 0
  double restitution = 0.0;            ///< 0 (no bounce) to 1 (elastic)
  double restitution_threshold = 0.0;  ///< approach speed below which nothing bounces [m/s]
  /// True: frictionless against materials that are frictionless as well (MJCF condim 1). Against
  /// others its friction counts.
  bool frictionless = false;
  int priority = 0;  ///< of two materials, the one with the higher priority decides alone
  /// Largest moment about the normal of a contact, per normal force [m], >= 0.
  double spin_friction = 0.0;
  /// The same about its tangents: rolling friction [m], >= 0.
  double roll_friction = 0.0;
  /// Which of the two a contact has, as MJCF's condim: 4 spin, 6 both, 3 or less none. Of two
  /// materials the larger number counts for the contact, with the larger coefficients of both. 0:
  /// those that are not zero.
  int friction_dimensions = 0;
  /// Of viscoelastic contact, along the normal [N/m], >= 0. 0: it does not give way, and where both
  /// materials of a contact are so, the options of the step count. Two materials are springs in
  /// series.
  double stiffness = 0.0;
  /// The same for the damper [N·s/m], >= 0. 0: in the ratio to the stiffness that the options have;
  /// this holds for the contact if one of its two springs has none.
  double damping = 0.0;
};

/// How two materials behave against each other, where that is not the larger of both values.
struct MaterialPair {
  int material_a = 0;
  int material_b = 0;
  double friction = 1.0;
  double restitution = 0.0;
  double restitution_threshold = 0.0;  ///< [m/s]
  double spin_friction = 0.0;          ///< [m]
  double roll_friction = 0.0;          ///< [m]
};

/// Contact parameters between two shapes.
struct ContactMaterial {
  double friction = 1.0;
  double restitution = 0.0;
  double restitution_threshold = 0.0;  ///< [m/s]
  double spin_friction = 0.0;          ///< [m]
  double roll_friction = 0.0;          ///< [m]
  double stiffness = 0.0;              ///< of viscoelastic contact [N/m]; 0: that of the options
  double damping = 0.0;                ///< [N·s/m]; 0: in the ratio of the options
};

}  // namespace stiction
