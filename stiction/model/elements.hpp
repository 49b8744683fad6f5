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

/// What lies between a control u and the input of the force, the activation a.
enum class ActuatorDynamics {
  none,          ///< the control is the input
  integrator,    ///< ȧ = u
  filter,        ///< ȧ = (u − a) / dynamics[0], by explicit steps
  filter_exact,  ///< the same, exact for a control that stays during the step
  muscle,        ///< a filter that rises and falls at different rates [Millard2013]
};

/// How the force of a muscle depends on its length and speed, in MuJoCo's form. Lengths L are in
/// units of the resting length L0: the length range of the actuator is `range` of L.
struct MuscleCurve {
  std::array<double, 2> range{0.75, 1.05};
  double peak_force = -1.0;  ///< [N]; negative: scale / acceleration at unit force at the start
  double scale = 200.0;
  double shortest = 0.5;  ///< L below which it does not pull
  double longest = 1.6;   ///< L above which it does not pull actively
  double speed = 1.5;     ///< of shortening at which it does not pull [L0/s]
  double passive = 1.3;   ///< passive force at `longest`, in peak forces
  double stretch = 1.2;   ///< active force while it is stretched fast, in peak forces
};

/// force = (gain[0] + gain[1] l + gain[2] l̇) a + bias[0] + bias[1] l + bias[2] l̇, clamped to its
/// range. Its length l and the moment ∂l/∂q, along which the force acts, are those of what it
/// drives, times `gear`: a joint, a tendon, a site (gear: force and torque in its axes) or a crank.
/// dynamics/transmission.hpp has the formulas.
struct Actuator {
  std::string name;
  ActuatorKind kind = ActuatorKind::motor;
  int joint = -1;                                ///< the joint that it drives, or
  int tendon = -1;                               ///< the tendon that it pulls, or
  int frame = -1;                                ///< the site that it pushes, or the crank's pin
  int reference = -1;                            ///< site: frame of the gear; crank: the slider
  double rod = 0.0;                              ///< of the crank [m]; 0: there is none
  bool in_parent = false;                        ///< joint: the gear is in the axes of the parent
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};  ///< one entry per velocity of the joint
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  bool control_limited = false;
  std::array<double, 2> control_range{0, 0};
  bool force_limited = false;
  std::array<double, 2> force_range{0, 0};
  bool enabled = true;  ///< false: no force, and its activation stays
  ActuatorDynamics dynamics = ActuatorDynamics::none;
  std::array<double, 3> dynamics_values{1, 0,
                                        0};  ///< time constants [s]; muscle: rise, fall, width
  bool activation_limited = false;
  std::array<double, 2> activation_range{0, 0};
  bool early = false;   ///< the force uses the activation at the end of the step
  int activation = -1;  ///< entry of State::activation, set by build(); -1 without dynamics
  std::optional<MuscleCurve> muscle_gain;    ///< in place of `gain`
  std::optional<MuscleCurve> muscle_bias;    ///< in place of `bias`
  std::array<double, 2> length_range{0, 0};  ///< of muscles
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
  int index = -1;       ///< of the joint, frame, actuator, body or shape
  double noise = 0.0;   ///< standard deviation
  double cutoff = 0.0;  ///< largest absolute value, 0 for none
  Source source;
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
  Eigen::VectorXd control;     ///< one entry per actuator
  Eigen::VectorXd activation;  ///< one entry per actuator with dynamics
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
