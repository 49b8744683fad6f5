#pragma once

/// \file
/// Task-space inverse dynamics: which joint torques make the robot do what the tasks ask, with
/// forces that its contacts can take.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/control/quadratic_program.hpp"
#include "stiction/control/tasks.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

struct InverseDynamicsOptions {
  /// Largest |torque| of each actuated entry of v [N·m or N], Model::velocity_count() entries;
  /// empty: the effort limits of the joints.
  Eigen::VectorXd torque_limits;
  /// Weight of the squared accelerations, which decides what no task asks for; > 0.
  double regularization = 1e-8;
};

/// The answer for one state. If the status is not `solved`, torques, accelerations and forces are
/// those of the last state that was.
struct InverseDynamicsResult {
  ProgramStatus status = ProgramStatus::solved;
  std::string message;            ///< which constraints contradict each other; empty if solved
  Eigen::VectorXd torques;        ///< one per velocity, 0 for the floating base [N·m or N]
  Eigen::VectorXd accelerations;  ///< v̇, one per velocity
  Eigen::Matrix3Xd forces;        ///< at each point of each contact, world; 0 where not active [N]
  int iterations = 0;             ///< of the quadratic program
  /// What the dynamics of the floating base leaves: the wrench that nobody exerts [N, N·m].
  double base_residual = 0.0;

  [[nodiscard]] bool ok() const { return status == ProgramStatus::solved; }
};

/// Each call solves one quadratic program over (v̇, f):
///
///     min Σ weight ‖J v̇ + J̇v − a‖² + Σ force_weight ‖f − f_wished‖² + regularization ‖v̇‖²
///         + Σ wrench_weights · (Σ f, Σ r × f)²
///     M v̇ + h = Jᵀf in the rows of the floating base: nobody pushes it
///     J v̇ + J̇v = −kp e − kd J v at hard contacts
///     f in its friction pyramid, normal forces and torques M v̇ + h − Jᵀf within their limits
///
/// Add all tasks and contacts first; later change their fields, and switch contacts on and off. No
/// call after the first one with the same active contacts allocates. Coulomb friction in joints
/// and actuators' own dynamics are not part of the model; joint springs and dampers are.
class InverseDynamics {
 public:
  /// Throws std::invalid_argument if the options do not fit the Model.
  explicit InverseDynamics(Model model, InverseDynamicsOptions options = {});

  [[nodiscard]] CenterOfMassTask& center_of_mass() { return center_of_mass_; }
  [[nodiscard]] PostureTask& posture() { return posture_; }
  /// Both return an index; both throw std::invalid_argument if the frame does not exist or belongs
  /// to the world, or numbers make no sense.
  int add_body_task(BodyTask task);
  int add_contact(ContactSpec contact);
  [[nodiscard]] BodyTask& body_task(int index);
  [[nodiscard]] ContactSpec& contact(int index);
  [[nodiscard]] int contact_count() const { return static_cast<int>(contacts_.size()); }
  /// A contact begins active. When it becomes active, it keeps the pose of the next update().
  void set_active(int contact, bool active);
  [[nodiscard]] bool is_active(int contact) const;

  /// update() and solve().
  const InverseDynamicsResult& compute(const State& state);
  /// Kinematics and dynamics of a state. Throws std::invalid_argument if its size is wrong or it
  /// contains NaN.
  void update(const State& state);
  /// Solves for the last update(). Throws std::invalid_argument if a reference has the wrong size
  /// or contains NaN.
  const InverseDynamicsResult& solve();

  [[nodiscard]] const InverseDynamicsResult& result() const { return result_; }
  [[nodiscard]] const Model& model() const { return model_; }

  /// \name Of the last update()
  /// @{
  [[nodiscard]] const DynamicsData<double>& data() const { return data_; }
  [[nodiscard]] const Eigen::Vector3d& center_of_mass_position() const { return com_position_; }
  [[nodiscard]] const Eigen::Vector3d& center_of_mass_velocity() const { return com_velocity_; }
  /// Height of the lowest point of a contact above z = 0 along the normal [m].
  [[nodiscard]] double contact_height(int contact) const;
  /// Pose of the frame of a body task or contact.
  [[nodiscard]] Eigen::Isometry3d body_task_pose(int index) const;
  [[nodiscard]] Eigen::Isometry3d contact_pose(int index) const;
  /// @}

 private:
  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
  struct Place {
    int body = -1;
    Eigen::Isometry3d pose;  ///< of the frame in the body
  };
  struct BodyEntry {
    BodyTask task;
    Place place;
  };
  struct ContactEntry {
    ContactSpec spec;
    Place place;
    int first_point = 0;
    bool active = true;
    bool anchored = false;
    Eigen::Isometry3d anchor;
  };
  /// What a row of the program stands for.
  struct RowOwner {
    enum class Kind { base, motion, friction, normal_force, torque };
    Kind kind = Kind::base;
    int index = 0;  ///< of the contact, or the entry of v
  };

  [[nodiscard]] Place find_place(const std::string& frame) const;
  [[nodiscard]] Eigen::Isometry3d pose_of(const Place& place) const;
  void reserve();
  void check_references() const;
  void add_rows_of_center_of_mass();
  void add_rows_of(const BodyEntry& entry);
  void fill_center_jacobian();
  void add_task_rows(Eigen::Index count, double weight);
  void add_posture();
  void fill_motion_rows(const ContactEntry& contact);
  void add_motion_of(ContactEntry& contact, int index);
  void add_points_of(const ContactEntry& contact);
  void add_force_rows(const ContactEntry& contact, int index);
  void add_base_rows();
  void add_torque_rows();
  void finish_objective();
  void add_wrench(const ContactEntry& contact, Eigen::Index end);
  void read_solution();
  void describe_failure();
  [[nodiscard]] std::string name_of(const ProgramRow& row) const;

  Model model_;
  InverseDynamicsOptions options_;
  DynamicsData<double> data_;
  QuadraticProgramSolver solver_;
  InverseDynamicsResult result_;
  CenterOfMassTask center_of_mass_;
  PostureTask posture_;
  std::vector<BodyEntry> bodies_;
  std::vector<ContactEntry> contacts_;
  std::vector<int> base_entries_;      ///< entries of v that nobody drives
  std::vector<int> actuated_entries_;  ///< all others
  Eigen::VectorXd least_torque_, largest_torque_;
  int point_count_ = 0;
  bool reserved_ = false;

  Eigen::VectorXd q_, v_, bias_, passive_, posture_error_;
  Eigen::MatrixXd mass_;
  Eigen::Vector3d com_position_, com_velocity_;
  Rows rows_;                          ///< Jacobian of the task at work
  Eigen::Matrix<double, 6, 1> right_;  ///< what its rows should give
  Eigen::MatrixXd point_jacobians_;    ///< three rows per active point
  /// The program; each call uses the beginnings of the arrays.
  Eigen::MatrixXd H_, tasks_, A_, C_;
  Eigen::VectorXd g_, task_targets_, b_, lower_, upper_, none_;
  std::vector<RowOwner> equality_owners_, inequality_owners_;
  Eigen::Index n_ = 0, task_rows_ = 0, equalities_ = 0, inequalities_ = 0, points_ = 0;
};

/// Moves the floating base up or down so that the lowest point of these contacts is at z = 0.
/// Throws std::invalid_argument if a frame does not exist or the robot does not float.
void put_on_floor(const Model& model, const std::vector<ContactSpec>& contacts, State& state);

}  // namespace stiction
