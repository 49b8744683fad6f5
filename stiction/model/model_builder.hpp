#pragma once

/// \file
/// ModelBuilder: links and joints go in, a checked Model comes out.

#include <Eigen/Geometry>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/model/elements.hpp"
#include "stiction/model/fluid.hpp"
#include "stiction/model/joint.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// A rigid piece of a robot, before fixed joints are merged.
struct LinkSpec {
  std::string name;
  double mass = 0.0;                                         ///< [kg]; 0 only if it does not move
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in the link frame [m]
  Eigen::Matrix3d inertia =
      Eigen::Matrix3d::Zero();  ///< about the centre of mass, link axes [kg·m²]
  std::vector<Shape> shapes;    ///< their `pose` is in the link frame
  /// A link without mass that only joins two joints (MJCF bodies with several joints).
  bool virtual_link = false;
  /// Fraction of its weight that an upward force at its centre of mass carries (MJCF gravcomp).
  double gravity_compensation = 0.0;
  /// Its inertia may break the triangle inequality, with a warning, if its moments are positive.
  bool keeps_inertia = false;
  /// Principal axes, where the file says them: of equal moments, the medium sees these.
  std::optional<Eigen::Quaterniond> inertia_axes{};
  /// What the medium sees of it, poses in the link; none: a box of the same inertia.
  std::vector<FluidEllipsoid> fluid_ellipsoids{};
  Source source;
};

/// How a link hangs on another one, or on the world.
struct JointSpec {
  std::string name;
  JointKind kind = JointKind::revolute;
  int parent = world_body;  ///< link index from add_link(), or world_body
  int child = 0;            ///< link index from add_link()
  /// The joint frame in the parent link. Floating (parent: the world only): the initial pose.
  Eigen::Isometry3d pose_in_parent = Eigen::Isometry3d::Identity();
  /// The joint frame in the child link (MJCF joints may sit away from the body's origin).
  Eigen::Isometry3d pose_in_child = Eigen::Isometry3d::Identity();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< in the joint frame, unit length
  bool kinematic = false;                           ///< floating only: motion is prescribed
  double initial_position = 0.0;                    ///< of revolute, continuous, prismatic
  JointLimits limits;
  double damping = 0.0;           ///< [N·m·s/rad or N·s/m], >= 0
  double friction = 0.0;          ///< Coulomb friction [N·m or N], >= 0
  double armature = 0.0;          ///< rotor inertia on the joint axis [kg·m² or kg], >= 0
  double stiffness = 0.0;         ///< spring [N·m/rad or N/m], >= 0
  double spring_reference = 0.0;  ///< q at which the spring rests
  /// Forces that carry weight count as forces of its actuators (MJCF actuatorgravcomp).
  bool actuators_carry_weight = false;
  /// If both are positive, time constant [s] and damping ratio of spring and damper, whose numbers
  /// a reader finds once the Model is there (MJCF springdamper).
  std::array<double, 2> spring_damper{0, 0};
  Source source;
};

/// A named pose on a link, such as an MJCF site.
struct FrameSpec {
  std::string name;
  int link = world_body;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Source source;
};

/// A stored state, joint by joint, so that a reader need not know the order of the Model.
struct KeyframeSpec {
  struct JointValue {
    int joint = 0;          ///< joint index from add_joint()
    std::vector<double> q;  ///< empty: the initial position
    std::vector<double> v;  ///< empty: zero
  };
  std::string name;
  double time = 0.0;
  std::vector<JointValue> joints;
  std::vector<double> control;  ///< in the order of add_actuator(); missing ones are zero
  /// Of actuators with dynamics, in the order of add_actuator(); missing ones are zero.
  std::vector<double> activation{};
  Source source;
};

/// Collects links, joints and the rest, then checks everything and makes the Model.
///
/// Indices given to and returned by its functions are those of the builder (order of adding);
/// build() renumbers them: fixed joints are merged and bodies put in depth-first order.
class ModelBuilder {
 public:
  void set_name(std::string name) { name_ = std::move(name); }
  void set_gravity(const Eigen::Vector3d& gravity) { gravity_ = gravity; }  ///< [m/s²]
  void set_time_step(double seconds) { time_step_ = seconds; }              ///< the file's wish [s]
  /// What the scene moves in: density [kg/m³], viscosity [Pa·s], velocity [m/s].
  void set_fluid(double density, double viscosity, const Eigen::Vector3d& wind) {
    fluid_ = {density, viscosity, wind, {}, {}};
  }

  int add_link(LinkSpec link);
  int add_joint(JointSpec joint);
  int add_frame(FrameSpec frame);
  int add_mesh(Mesh mesh);
  int add_height_field(HeightField field);
  int add_material(Material material);
  /// How two materials (or one against itself) behave where that is not the larger of both values.
  /// Each pair once; order does not matter.
  void add_material_pair(MaterialPair pair);
  /// A shape that is fixed to the world. Returns its place in the order of adding.
  int add_world_shape(Shape shape);
  /// Its joints are indices from add_joint(), the bodies of its path links (world_body for the
  /// world).
  int add_tendon(Tendon tendon);
  /// `joint` is the index from add_joint(), `tendon` the one from add_tendon(), `frame` and
  /// `reference` those from add_frame().
  int add_actuator(Actuator actuator);
  /// An actuator that pulls together what these shapes touch, named as in add_contact_pair().
  int add_adhesion(Actuator actuator, std::vector<std::pair<int, int>> shapes);
  /// Its index is the one from add_joint(), add_frame(), add_actuator(), add_tendon(), or
  /// add_link() where the target is a body (or a frame whose kind is link: pass Target::body and
  /// let sim use its frame).
  int add_sensor(Sensor sensor);
  /// A sensor whose ContactQuery sees contacts of these shapes, named as in add_contact_pair(), on
  /// the sides that are not `any`.
  int add_contact_sensor(Sensor sensor, std::vector<std::pair<int, int>> shapes_a,
                         std::vector<std::pair<int, int>> shapes_b);
  /// Bodies are links (world_body for the world), joints and tendons those of add_joint() and
  /// add_tendon().
  void add_coupling(Coupling coupling);
  void add_keyframe(KeyframeSpec keyframe);
  /// Shapes of the bodies that these two links belong to never touch: also those of links that are
  /// fixed to them. Order does not matter; world_body is allowed.
  void exclude_collision(int link_a, int link_b);
  /// The same for these two links alone, not for what is fixed to them.
  void exclude_link_collision(int link_a, int link_b);
  /// Shapes named by (link, position in its `shapes`), world shapes by (world_body, order of
  /// adding).
  void add_contact_pair(std::pair<int, int> shape_a, std::pair<int, int> shape_b, double friction,
                        double margin, double spin_friction = 0.0, double roll_friction = 0.0);

  [[nodiscard]] int link_count() const { return static_cast<int>(links_.size()); }
  [[nodiscard]] int joint_count() const { return static_cast<int>(joints_.size()); }
  [[nodiscard]] const LinkSpec& link(int index) const {
    return links_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] LinkSpec& link(int index) { return links_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Shape& world_shape(int place) const {
    return world_shapes_[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] const Tendon& tendon(int index) const {
    return tendons_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Actuator& actuator(int index) const {
    return actuators_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const JointSpec& joint(int index) const {
    return joints_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::optional<int> find_link(const std::string& name) const;
  [[nodiscard]] std::optional<int> find_joint(const std::string& name) const;

  /// Every problem that build() would complain about, and warnings.
  [[nodiscard]] ProblemList check() const;

  /// Makes the Model. Throws InputError that lists every problem at once.
  [[nodiscard]] Model build() const;

 private:
  friend class ModelAssembler;
  friend class ModelChecker;

  struct PairSpec {
    std::pair<int, int> shape_a;
    std::pair<int, int> shape_b;
    double friction;
    double margin;
    double spin_friction;
    double roll_friction;
  };

  std::string name_;
  Eigen::Vector3d gravity_{0.0, 0.0, -9.81};
  double time_step_ = 0.001;
  Fluid fluid_;  ///< without what it pushes on
  std::vector<LinkSpec> links_;
  std::vector<JointSpec> joints_;
  std::vector<FrameSpec> frames_;
  std::vector<Mesh> meshes_;
  std::vector<HeightField> height_fields_;
  std::vector<Material> materials_{Material{"default", 1.0, 0.0, 0.0}};
  std::vector<MaterialPair> material_pairs_;
  std::vector<Shape> world_shapes_;
  std::vector<Tendon> tendons_;
  std::vector<Actuator> actuators_;
  /// Shapes of adhesive actuators, by position in `actuators_`.
  std::map<int, std::vector<std::pair<int, int>>> adhesive_shapes_;
  std::vector<Sensor> sensors_;
  /// Shapes of contact sensors, by position in `sensors_`.
  std::map<int, std::array<std::vector<std::pair<int, int>>, 2>> sensor_shapes_;
  std::vector<Coupling> couplings_;
  std::vector<KeyframeSpec> keyframes_;
  std::vector<std::pair<int, int>> excludes_;
  std::vector<std::pair<int, int>> link_excludes_;
  std::vector<PairSpec> pairs_;
};

}  // namespace stiction
