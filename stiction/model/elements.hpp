#pragma once

/// \file
/// Frames, actuators, sensors, couplings and keyframes: data that a Model has besides its
/// bodies.

#include <Eigen/Geometry>
#include <array>
#include <limits>
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

/// A thread: over joints (fixed), or through points in space (spatial). A force along it pulls
/// where its length would change.
struct Tendon {
  enum class Kind {
    fixed,    ///< length = Σ coefficient · q
    spatial,  ///< length = that of the shortest way through sites and around geoms
  };
  struct Term {
    int joint = -1;  ///< with one velocity
    double coefficient = 1.0;
  };
  /// A piece of the way of a spatial tendon. A sphere or cylinder is between two sites; what comes
  /// after a pulley, up to the next one, counts 1/divisor of its length.
  struct Part {
    enum class Kind { site, sphere, cylinder, pulley };
    Kind kind = Kind::site;
    int body = -1;                                           ///< -1 is the world
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in the body; cylinders along z
    double radius = 0.0;                                     ///< sphere, cylinder [m]
    bool has_side = false;  ///< the way passes on the side of a point, or within, if that is inside
    int side_body = -1;
    Eigen::Vector3d side = Eigen::Vector3d::Zero();  ///< in side_body [m]
    double divisor = 1.0;                            ///< pulley, > 0
  };
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  std::string name;
  Kind kind = Kind::fixed;
  std::vector<Term> terms;  ///< fixed
  std::vector<Part> path;   ///< spatial
  double stiffness = 0.0;   ///< >= 0
  double damping = 0.0;     ///< >= 0
  /// Lengths between which the spring is slack. If `spring_at_rest`, build() sets both to the
  /// length where the springs of the joints rest.
  std::array<double, 2> spring_range{0, 0};
  bool spring_at_rest = false;
  std::array<double, 2> limits{-infinity, infinity};       ///< of the length
  double margin = 0.0;                                     ///< it stops this far from its limits
  double friction = 0.0;                                   ///< Coulomb friction along it [N], >= 0
  std::array<double, 2> force_range{-infinity, infinity};  ///< of each actuator on it
  double initial_length = 0.0;  ///< at the initial positions; set by build()
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
  int joint = -1;           ///< the joint that it drives, or
  int tendon = -1;          ///< the tendon that it pulls, or
  int frame = -1;           ///< the site that it pushes, or the crank's pin
  int reference = -1;       ///< site: frame of the gear; crank: the slider
  double rod = 0.0;         ///< of the crank [m]; 0: there is none
  bool adheres = false;     ///< in place of all these: it pulls together what `shapes` touch
  std::vector<int> shapes;  ///< ascending indices of Model::shapes(), set by build()
  bool in_parent = false;   ///< joint: the gear is in the axes of the parent
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
  actuator_position,  ///< gear times the position or length that it acts on
  actuator_velocity,
  tendon_position,  ///< its length
  tendon_velocity,
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
  enum class Target { none, joint, frame, actuator, body, shape, tendon };
  std::string name;
  SensorKind kind = SensorKind::other;
  std::string type;  ///< the word in the file, such as `jointpos`
  Target target = Target::none;
  int index = -1;                  ///< of the joint, frame, actuator, body, shape or tendon
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
    tendon,   ///< the same for the lengths of two tendons
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
  int joint_b = -1;   ///< joint; -1: joint_a stays where it is
  int tendon_a = -1;  ///< tendon
  int tendon_b = -1;  ///< tendon; -1: tendon_a keeps its length
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
  bool control_given = false;  ///< the file says what `control` is, be it zero
};

/// Two shapes that collide regardless of their groups, with their own friction (all three
/// coefficients) if it is not negative.
struct ContactPair {
  int shape_a = -1;
  int shape_b = -1;
  double friction = -1.0;
  double margin = 0.0;
  double spin_friction = 0.0;  ///< [m]
  double roll_friction = 0.0;  ///< [m]
};

}  // namespace stiction
