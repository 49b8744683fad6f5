#pragma once

/// \file
/// What InverseDynamics is asked for: tasks, and the contacts that it may push against.

#include <Eigen/Geometry>
#include <limits>
#include <string>
#include <vector>

namespace stiction {

/// How hard a task pulls: a = reference acceleration + kp · error + kd · error of velocity.
struct TaskGains {
  double kp = 10.0;     ///< [1/s²], >= 0
  double kd = -1.0;     ///< [1/s]; negative: 2 √kp, the critical damping
  double weight = 1.0;  ///< of the squared error of the acceleration; 0 switches the task off

  [[nodiscard]] double damping() const;
};

/// Where the centre of mass of the robot should be. World axes.
struct CenterOfMassTask {
  TaskGains gains{.weight = 0.0};
  Eigen::Vector3d position = Eigen::Vector3d::Zero();      ///< [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();      ///< [m/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  ///< [m/s²]
};

/// Where a frame of the Model should be. World axes. The error of a whole pose is one screw.
struct BodyTask {
  enum class Part { position, orientation, both };
  std::string frame;  ///< name of a link or site
  Part part = Part::both;
  TaskGains gains;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();              ///< of its origin [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();      ///< [rad/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();          ///< of its origin [m/s²]
  Eigen::Vector3d angular_acceleration = Eigen::Vector3d::Zero();  ///< [rad/s²]
};

/// What the joints should do. Only the entries of actuated joints are used.
struct PostureTask {
  TaskGains gains{.weight = 0.0};
  Eigen::VectorXd q;         ///< Model::position_count() entries
  Eigen::VectorXd velocity;  ///< Model::velocity_count() entries, or empty for zero
  /// Factors of the weight, Model::velocity_count() entries, or empty for one.
  Eigen::VectorXd joint_weights;
};

/// A part of the robot that may push against a surface at rest.
struct ContactSpec {
  std::string frame;  ///< name of a link or site
  /// Where it touches, in the frame [m]. One point leaves the frame free to turn; three or more
  /// points (not on a line) hold it with all six degrees of freedom.
  std::vector<Eigen::Vector3d> points{Eigen::Vector3d::Zero()};
  /// A ball about the frame's origin that rolls without slip [m]; 0: the points. A ball has one
  /// contact point, below its centre.
  double radius = 0.0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< of the surface, world, away from it
  double friction = 1.0;                              ///< µ
  /// Sides of the friction pyramid, >= 3. It is inside the cone: forces along its sides reach
  /// µ cos(π/sides): 71 % of µ for 4 sides, 92 % for 8, 98 % for 16.
  int sides = 4;
  double least_force = 0.0;  ///< of the normal forces of all points together [N]
  double largest_force = std::numeric_limits<double>::infinity();  ///< the same [N]
  /// Feedback to the pose at which the contact was made (kp) and to rest (kd). Balls roll, so that
  /// kp pulls at the height of their centre alone. `weight` 0: hard, the acceleration is exactly
  /// the one of the feedback; else a task of that weight.
  TaskGains gains{.kp = 0.0, .kd = 20.0, .weight = 0.0};
  /// Of the squared distance to `force`, each point; > 0. With a wish of zero it works against the
  /// weight: the centre of mass sags by about force_weight · m² g / (points · kp).
  double force_weight = 1e-4;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< wished, all points together, world [N]
  /// Of the squared force of all points together (x, y, z) and of its squared moment about the
  /// frame's origin; >= 0. Axes are those of the frame; of a single point, whose frame may turn,
  /// those of the world. They add to `force_weight`: zeros leave it alone.
  Eigen::Matrix<double, 6, 1> wrench_weights = Eigen::Matrix<double, 6, 1>::Zero();

  /// A ball foot.
  static ContactSpec ball(std::string frame, double radius, double friction = 1.0);
  /// A rectangle [x_rear, x_front] × [−half_width, half_width] at height z of the frame.
  static ContactSpec rectangle(std::string frame, double x_rear, double x_front, double half_width,
                               double z, double friction = 1.0);
};

}  // namespace stiction
