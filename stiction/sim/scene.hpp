#pragma once

/// \file
/// SceneBuilder: floors, boxes, balls and walls in a few lines, without a file.

#include <Eigen/Geometry>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/model/model_builder.hpp"
#include "stiction/model/state.hpp"

namespace stiction {

/// A pose without turn.
Eigen::Isometry3d at(const Eigen::Vector3d& position);
inline Eigen::Isometry3d at(double x, double y, double z) { return at(Eigen::Vector3d(x, y, z)); }
/// A pose turned by `angle` [rad] about `axis` (any length) at its own origin.
Eigen::Isometry3d at(const Eigen::Vector3d& position, double angle, const Eigen::Vector3d& axis);

/// A thin layer over ModelBuilder for scenes of free, fixed and kinematic bodies. Solid bodies get
/// the inertia of their shape. Names must differ; sizes are half extents, as everywhere. All
/// mistakes are reported by build().
///
/// Robots come in beside: give builder() to the readers of files.
class SceneBuilder {
 public:
  /// Stands where a material may be given: the one that use_material() set last.
  static constexpr int current_material = -1;

  explicit SceneBuilder(std::string name = "scene");

  /// Adds a material; shapes added from now on have it unless they name another. Before the first
  /// call: friction 1, restitution 0. The larger value counts where two materials meet.
  int use_material(double friction, double restitution = 0.0, double restitution_threshold = 0.0);
  /// The same for a material with torsional or rolling friction, or with a name of its own.
  int use_material(Material material);
  void set_gravity(const Eigen::Vector3d& gravity) { builder_.set_gravity(gravity); }  ///< [m/s²]
  void set_time_step(double seconds) { builder_.set_time_step(seconds); }              ///< [s]

  /// An endless plane; its normal is the pose's z.
  void add_plane(const std::string& name,
                 const Eigen::Isometry3d& pose = Eigen::Isometry3d::Identity(),
                 int material = current_material);

  /// Free bodies with their frame in the centre. Each returns its link in builder().
  int add_sphere(const std::string& name, double radius, double mass, const Eigen::Isometry3d& pose,
                 int material = current_material);
  int add_box(const std::string& name, const Eigen::Vector3d& half_extents, double mass,
              const Eigen::Isometry3d& pose, int material = current_material);
  /// Along z; half_length is without the caps.
  int add_capsule(const std::string& name, double radius, double half_length, double mass,
                  const Eigen::Isometry3d& pose, int material = current_material);
  int add_cylinder(const std::string& name, double radius, double half_length, double mass,
                   const Eigen::Isometry3d& pose, int material = current_material);
  int add_ellipsoid(const std::string& name, const Eigen::Vector3d& radii, double mass,
                    const Eigen::Isometry3d& pose, int material = current_material);

  /// A free body of any shapes (poses in the body) and inertia.
  int add_body(const std::string& name, const BodyInertia& inertia, std::vector<Shape> shapes,
               const Eigen::Isometry3d& pose);
  /// A body whose motion its entries of v prescribe: a moving wall, a turntable.
  int add_kinematic(const std::string& name, std::vector<Shape> shapes,
                    const Eigen::Isometry3d& pose);
  /// Fixed to the world; the shape's own pose counts.
  void add_fixed(Shape shape);

  /// Shapes for the three above, with a material of this scene.
  [[nodiscard]] Shape sphere(double radius, const Eigen::Isometry3d& pose = at(0, 0, 0),
                             int material = current_material) const;
  [[nodiscard]] Shape box(const Eigen::Vector3d& half_extents,
                          const Eigen::Isometry3d& pose = at(0, 0, 0),
                          int material = current_material) const;
  [[nodiscard]] Shape capsule(double radius, double half_length,
                              const Eigen::Isometry3d& pose = at(0, 0, 0),
                              int material = current_material) const;
  [[nodiscard]] Shape cylinder(double radius, double half_length,
                               const Eigen::Isometry3d& pose = at(0, 0, 0),
                               int material = current_material) const;
  /// A box whose surface runs at a velocity along its own axes [m/s].
  [[nodiscard]] Shape conveyor(const Eigen::Vector3d& half_extents,
                               const Eigen::Vector3d& surface_velocity,
                               const Eigen::Isometry3d& pose = at(0, 0, 0),
                               int material = current_material) const;

  /// For all that is not here: joints, couplings, actuators, sensors, robots.
  [[nodiscard]] ModelBuilder& builder() { return builder_; }

  /// Makes the Model. Throws InputError that lists every problem at once.
  [[nodiscard]] Model build() const { return builder_.build(); }

 private:
  [[nodiscard]] Shape shape(ShapeKind kind, const Eigen::Vector3d& size,
                            const Eigen::Isometry3d& pose, int material) const;
  int add_solid(const std::string& name, const Shape& shape, double mass,
                const Eigen::Isometry3d& pose);
  int add_floating(LinkSpec link, const Eigen::Isometry3d& pose, bool kinematic);

  ModelBuilder builder_;
  int material_ = 0;
};

/// Sets or reads the motion of a floating or kinematic body, in the world [m/s, rad/s]. Throws
/// std::invalid_argument if there is no such body.
void set_velocity(const Model& model, State& state, std::string_view body,
                  const Eigen::Vector3d& linear,
                  const Eigen::Vector3d& angular = Eigen::Vector3d::Zero());
Eigen::Vector3d linear_velocity(const Model& model, const State& state, std::string_view body);
Eigen::Vector3d angular_velocity(const Model& model, const State& state, std::string_view body);
/// Sets or reads where such a body is.
void set_pose(const Model& model, State& state, std::string_view body,
              const Eigen::Isometry3d& pose);
Eigen::Isometry3d pose_of(const Model& model, const State& state, std::string_view body);

}  // namespace stiction
