#pragma once

/// \file
/// Model: everything about robots and scene that does not change while time passes.

#include <Eigen/Geometry>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stiction/model/body_constants.hpp"
#include "stiction/model/elements.hpp"
#include "stiction/model/fluid.hpp"
#include "stiction/model/joint.hpp"
#include "stiction/model/model_numbers.hpp"
#include "stiction/model/model_parameters.hpp"
#include "stiction/model/shape.hpp"
#include "stiction/model/state.hpp"

namespace stiction {

/// Bodies, joints, shapes and the rest: a handle to two shared parts. The structure never changes
/// after ModelBuilder::build(). The numbers (ModelParameters and what follows from them) belong to
/// one handle or are shared; set_…() copies them before the first change if they are shared, so a
/// handle never changes another one. A copy costs two reference counts. Bodies are in depth-first
/// order: each body's parent comes before it, and its subtree directly after it. Joint i carries
/// body i. Fixed joints are merged; every link of the file is kept as a frame of the same name.
class Model {
 public:
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] int body_count() const { return static_cast<int>(numbers_->constants.size()); }
  [[nodiscard]] int position_count() const;    ///< entries of q
  [[nodiscard]] int velocity_count() const;    ///< entries of v
  [[nodiscard]] int activation_count() const;  ///< actuators with dynamics
  [[nodiscard]] const Eigen::Vector3d& gravity() const { return parameters().gravity; }
  [[nodiscard]] double time_step() const;   ///< as given in the file [s]
  [[nodiscard]] double total_mass() const;  ///< of all bodies whose motion is not prescribed [kg]

  [[nodiscard]] const std::vector<Joint>& joints() const;
  [[nodiscard]] const Joint& joint(int index) const {
    return joints()[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::string& body_name(int body) const;
  [[nodiscard]] int parent(int body) const {
    return constants()[static_cast<std::size_t>(body)].parent;
  }
  [[nodiscard]] const BodyInertia& body_inertia(int body) const {
    return parameters().bodies[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] Eigen::Isometry3d joint_pose(int body) const;  ///< joint frame in the parent body
  [[nodiscard]] Eigen::Vector3d joint_axis(int body) const;    ///< in the joint frame

  [[nodiscard]] const std::vector<Frame>& frames() const;
  [[nodiscard]] const std::vector<Shape>& shapes() const;
  [[nodiscard]] const std::vector<Mesh>& meshes() const;
  [[nodiscard]] const std::vector<HeightField>& height_fields() const;
  [[nodiscard]] const std::vector<Material>& materials() const { return parameters().materials; }
  [[nodiscard]] const std::vector<Actuator>& actuators() const { return parameters().actuators; }
  [[nodiscard]] const std::vector<Sensor>& sensors() const;
  [[nodiscard]] const std::vector<Coupling>& couplings() const;
  [[nodiscard]] const std::vector<GravityCompensation>& gravity_compensation() const;
  [[nodiscard]] const std::vector<Tendon>& tendons() const;
  [[nodiscard]] const Fluid& fluid() const;
  [[nodiscard]] const std::vector<Keyframe>& keyframes() const;
  [[nodiscard]] const std::vector<ContactPair>& contact_pairs() const;

  /// Index by name; empty if not found. A frame is searched among links first, then among sites.
  [[nodiscard]] std::optional<int> find_body(std::string_view name) const;
  [[nodiscard]] std::optional<int> find_joint(std::string_view name) const;
  [[nodiscard]] std::optional<int> find_frame(std::string_view name) const;
  [[nodiscard]] std::optional<int> find_actuator(std::string_view name) const;
  [[nodiscard]] std::optional<int> find_keyframe(std::string_view name) const;

  /// Whether groups, excludes and kinship let these two shapes touch.
  [[nodiscard]] bool may_collide(int shape_a, int shape_b) const;
  /// The pairs that excludes keep apart, ascending and the smaller index first, unless a contact
  /// pair brings them together: with groups and contact_pairs() all that may_collide() knows.
  [[nodiscard]] std::vector<std::pair<int, int>> excluded_shapes() const;

  /// Contact parameters between two shapes: the friction of a contact pair, else the pair of their
  /// materials, else the larger of both values.
  [[nodiscard]] ContactMaterial contact_material(int shape_a, int shape_b) const;

  /// The same between two materials, where no pair of shapes has its own friction.
  [[nodiscard]] ContactMaterial material_between(int material_a, int material_b) const {
    return numbers_->material_between(material_a, material_b);
  }
  /// Whether any material or pair of materials has restitution.
  [[nodiscard]] bool has_restitution() const { return numbers_->bouncing_entries > 0; }
  /// Whether any of them may have torsional or rolling friction; pairs of shapes are not asked.
  [[nodiscard]] bool has_turning_friction() const { return numbers_->turning_entries > 0; }

  /// Positions at which the file shows the robot.
  [[nodiscard]] const Eigen::VectorXd& initial_positions() const;
  /// Initial positions at rest, at time zero.
  [[nodiscard]] State initial_state() const;
  /// State of a keyframe.
  [[nodiscard]] State keyframe_state(int keyframe) const;

  [[nodiscard]] const ModelParameters& parameters() const { return numbers_->parameters; }
  /// The same robot with other numbers; shares names, shapes and structure with this one. Throws
  /// InputError if the numbers are invalid.
  [[nodiscard]] Model with_parameters(ModelParameters parameters) const;
  /// Whether both handles share one structure: they differ in numbers alone, and one Workspace,
  /// Collider or DynamicsData serves both.
  [[nodiscard]] bool has_structure_of(const Model& other) const {
    return structure_ == other.structure_;
  }

  /// \name Changes of single numbers of this handle
  /// Each costs as much as the numbers changed, but for the first change of numbers that other
  /// handles share, which copies them. Throw InputError, and change nothing, if the numbers are not
  /// possible.
  /// @{
  void set_gravity(const Eigen::Vector3d& gravity);
  void set_body_inertia(int body, const BodyInertia& inertia);
  void set_damping(int velocity, double damping);
  void set_friction(int velocity, double friction);
  void set_armature(int velocity, double armature);
  void set_stiffness(int joint, double stiffness);
  void set_material(int material, const Material& value);
  void set_actuator(int actuator, const Actuator& value);
  /// @}

  /// For the kernels: one entry per body and per velocity.
  [[nodiscard]] const std::vector<BodyConstants>& constants() const { return numbers_->constants; }
  [[nodiscard]] const std::vector<DegreeOfFreedom>& degrees_of_freedom() const;
  /// Stiffness of the joints' springs, one per velocity [N·m/rad or N/m].
  [[nodiscard]] const Eigen::VectorXd& spring_stiffness() const {
    return numbers_->spring_stiffness;
  }
  /// Whether any joint has a spring or a damper.
  [[nodiscard]] bool has_passive_forces() const { return numbers_->passive_dofs > 0; }
  /// Entries of v with Coulomb friction, ascending.
  [[nodiscard]] const std::vector<int>& friction_dofs() const { return numbers_->friction_dofs; }
  /// Whether a floating body falls with one acceleration, whatever its state: equal moments of
  /// inertia about its origin, no damping.
  [[nodiscard]] bool falls_uniformly(int body) const {
    return numbers_->falls_uniformly[static_cast<std::size_t>(body)] != 0;
  }

 private:
  friend class ModelAssembler;
  struct Structure;
  Model(std::shared_ptr<const Structure> structure, ModelParameters parameters);

  /// The numbers, for this handle alone.
  ModelNumbers& own_numbers();

  std::shared_ptr<const Structure> structure_;
  std::shared_ptr<ModelNumbers> numbers_;  ///< written only where nobody shares them
};

}  // namespace stiction
