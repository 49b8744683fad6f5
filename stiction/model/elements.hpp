#pragma once

/// \file
/// Frames, actuators, sensors, couplings and keyframes: data that a Model has besides its
/// bodies.

#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/model/sensor_data.hpp"

namespace stiction {

/// A named pose on a body.
struct Frame {
  enum class Kind { link, site };  ///< a link of the file, or an MJCF site
  std::string name;
  Kind kind = Kind::link;
  int body = -1;                                           ///< -1 is the world
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in the body
};

/// A force against gravity on a body, whatever its motion: -mass · gravity at a point.
struct GravityCompensation {
  int body = -1;
  double mass = 0.0;                                ///< whose weight is carried [kg]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in the body [m]
};

/// A tendon over joints. Its length is Σ coefficient · q; a force along it acts on each joint by
/// its coefficient.
struct Tendon {
  struct Term {
    int joint = -1;  ///< with one velocity
    double coefficient = 1.0;
  };
  std::string name;
  std::vector<Term> terms;
  double stiffness = 0.0;                    ///< >= 0
  double damping = 0.0;                      ///< >= 0
  std::array<double, 2> spring_range{0, 0};  ///< lengths between which the spring is slack
  Source source;
};

enum class ActuatorKind { motor, position, velocity, general };
std::string_view to_string(ActuatorKind kind);

/// force = (gain[0] + gain[1] l + gain[2] l̇) u + bias[0] + bias[1] l + bias[2] l̇, with l = gear q,
/// clamped to its range; the joint gets gear times the force. On a tendon, q is its length.
struct Actuator {
  std::string name;
  ActuatorKind kind = ActuatorKind::motor;
  int joint = -1;                                ///< the joint that it drives, or
  int tendon = -1;                               ///< the tendon that it pulls
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};  ///< one entry per velocity of the joint
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  bool control_limited = false;
  std::array<double, 2> control_range{0, 0};
  bool force_limited = false;
  std::array<double, 2> force_range{0, 0};
  Source source;
};

/// What a sensor measures.
enum class SensorKind {
  joint_position,
  joint_velocity,
  joint_force,  ///< of a joint's actuator
  actuator_force,
  ball_quaternion,
  ball_angular_velocity,
  frame_position,
  frame_quaternion,
  frame_linear_velocity,
  frame_angular_velocity,
  frame_linear_acceleration,
  frame_angular_acceleration,
  gyro,
  accelerometer,
  velocimeter,
  magnetometer,
  force,
  torque,
  touch,
  rangefinder,
  subtree_center_of_mass,
  subtree_linear_velocity,
  subtree_angular_momentum,
  clock,  ///< simulation time
  frame_x_axis,
  frame_y_axis,
  frame_z_axis,
  joint_limit_position,
  joint_limit_velocity,
  joint_limit_force,
  potential_energy,
  kinetic_energy,
  contact,
  other,  ///< known to the file format, but not supported by Stiction; stays last
};
std::string_view to_string(SensorKind kind);

/// A sensor, as data; `sim` evaluates it.
struct Sensor {
  enum class Target { none, joint, frame, actuator, body, shape };
  std::string name;
  SensorKind kind = SensorKind::other;
  std::string type;  ///< the word in the file, such as `jointpos`
  Target target = Target::none;
  int index = -1;                  ///< of the joint, frame, actuator, body or shape
  double noise = 0.0;              ///< standard deviation
  double cutoff = 0.0;             ///< largest absolute value, 0 for none
  int reference = -1;              ///< the frame that a frame is seen from; -1: the world
  std::optional<SensorZone> zone;  ///< touch, contact: where contacts count; empty: everywhere
  std::optional<ContactQuery> contacts;  ///< contact
  /// force, torque, subtree: set by build() if the target is only a part of its body
  std::optional<CarriedPart> part;
  Source source;

  [[nodiscard]] int size() const;  ///< numbers that it gives
};

/// A coupling that closes a loop or ties joints, as data.
struct Coupling {
  enum class Kind {
    connect,  ///< a point of body_a stays at a point of body_b
    weld,     ///< body_a keeps its pose relative to body_b
    joint,    ///< q_a = Σ coefficients[k] (q_b - initial q_b)^k + initial q_a
  };
  std::string name;
  Kind kind = Kind::connect;
  bool active = true;
  int body_a = -1;  ///< connect, weld; -1 is the world
  int body_b = -1;
  /// connect: the point is the translation; weld: the frames that coincide
  Eigen::Isometry3d pose_a = Eigen::Isometry3d::Identity();  ///< in body_a
  Eigen::Isometry3d pose_b = Eigen::Isometry3d::Identity();  ///< in body_b
  int joint_a = -1;                                          ///< joint
  int joint_b = -1;  ///< joint; -1: joint_a stays where it is
  std::array<double, 5> coefficients{0, 1, 0, 0, 0};
  bool mimic = false;  ///< comes from URDF's element `mimic`
  Source source;
};

/// A stored state by name.
struct Keyframe {
  std::string name;
  double time = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  Eigen::VectorXd control;  ///< one entry per actuator
};

/// Two shapes that collide regardless of their groups, with their own friction if it is not
/// negative.
struct ContactPair {
  int shape_a = -1;
  int shape_b = -1;
  double friction = -1.0;
  double margin = 0.0;
};

}  // namespace stiction
