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
#include "stiction/model/joint.hpp"
#include "stiction/model/shape.hpp"
#include "stiction/model/state.hpp"

namespace stiction {

/// Mass, centre of mass and inertia of a body, in body axes.
struct BodyInertia {
  double mass = 0.0;                                         ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in the body frame [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< about the centre of mass [kg·m²]
};

/// The numbers of a Model that may differ between copies of one robot (domain randomisation).
/// Change a copy, then call Model::with_parameters().
struct ModelParameters {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  std::vector<BodyInertia> bodies;           ///< one per body
  Eigen::VectorXd damping;                   ///< one per velocity [N·m·s/rad or N·s/m]
  Eigen::VectorXd friction;                  ///< one per velocity, Coulomb [N·m or N]
  Eigen::VectorXd armature;                  ///< one per velocity [kg·m² or kg]
  Eigen::VectorXd stiffness;                 ///< one per joint [N·m/rad or N/m]
  std::vector<Material> materials;
  std::vector<MaterialPair> material_pairs;
  std::vector<Actuator> actuators;

  /// Multiplies a body's mass and inertia by a factor.
  void scale_mass(int body, double factor);
};

/// Bodies, joints, shapes and the rest. Immutable after ModelBuilder::build(); copies share all
/// that does not change, so a copy is cheap. Bodies are in depth-first order: each body's parent
/// comes before it, and its subtree directly after it. Joint i carries body i. Fixed joints are
/// merged; every link of the file is kept as a frame of the same name.
class Model {
 public:
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] int body_count() const { return static_cast<int>(constants_.size()); }
  [[nodiscard]] int position_count() const;  ///< entries of q
  [[nodiscard]] int velocity_count() const;  ///< entries of v
  [[nodiscard]] const Eigen::Vector3d& gravity() const { return parameters_.gravity; }
  [[nodiscard]] double time_step() const;   ///< as given in the file [s]
  [[nodiscard]] double total_mass() const;  ///< of all bodies whose motion is not prescribed [kg]

  [[nodiscard]] const std::vector<Joint>& joints() const;
  [[nodiscard]] const Joint& joint(int index) const {
    return joints()[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::string& body_name(int body) const;
  [[nodiscard]] int parent(int body) const {
    return constants_[static_cast<std::size_t>(body)].parent;
  }
  [[nodiscard]] const BodyInertia& body_inertia(int body) const {
    return parameters_.bodies[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] Eigen::Isometry3d joint_pose(int body) const;  ///< joint frame in the parent body
  [[nodiscard]] Eigen::Vector3d joint_axis(int body) const;    ///< in the joint frame

  [[nodiscard]] const std::vector<Frame>& frames() const;
  [[nodiscard]] const std::vector<Shape>& shapes() const;
  [[nodiscard]] const std::vector<Mesh>& meshes() const;
  [[nodiscard]] const std::vector<HeightField>& height_fields() const;
  [[nodiscard]] const std::vector<Material>& materials() const { return parameters_.materials; }
  [[nodiscard]] const std::vector<Actuator>& actuators() const { return parameters_.actuators; }
  [[nodiscard]] const std::vector<Sensor>& sensors() const;
  [[nodiscard]] const std::vector<Coupling>& couplings() const;
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

  /// Positions at which the file shows the robot.
  [[nodiscard]] const Eigen::VectorXd& initial_positions() const;
  /// Initial positions at rest, at time zero.
  [[nodiscard]] State initial_state() const;
  /// State of a keyframe.
  [[nodiscard]] State keyframe_state(int keyframe) const;

  [[nodiscard]] const ModelParameters& parameters() const { return parameters_; }
  /// The same robot with other numbers; shares names, shapes and structure with this one. Throws
  /// InputError if the numbers are invalid.
  [[nodiscard]] Model with_parameters(ModelParameters parameters) const;

  /// For the kernels: one entry per body and per velocity.
  [[nodiscard]] const std::vector<BodyConstants>& constants() const { return constants_; }
  [[nodiscard]] const std::vector<DegreeOfFreedom>& degrees_of_freedom() const;

 private:
  friend class ModelAssembler;
  struct Structure;
  Model(std::shared_ptr<const Structure> structure, ModelParameters parameters);

  std::shared_ptr<const Structure> structure_;
  ModelParameters parameters_;
  std::vector<BodyConstants> constants_;
};

}  // namespace stiction
