#pragma once

/// \file
/// Readings of a Model's sensors.
///
/// Positions, velocities and ranges are those of the State at hand. Accelerations and forces are
/// the means over the last step, at the positions and in the axes of its start: what a step of
/// MuJoCo leaves in its `sensordata`, too.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stiction/collision/ray_scene.hpp"
#include "stiction/core/random.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/contact_sensing.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/sim/workspace.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// What each kind reads, units and axes:
/// - joint_position, joint_velocity: of a joint with one coordinate [rad or m, and per second]
/// - joint_force: what actuators, servos and joint forces gave to a joint in the last step
/// - actuator_force: of one actuator, before its gear
/// - actuator_position, actuator_velocity: gear times the position or length that it acts on
/// - tendon_position, tendon_velocity: length of a tendon and how fast it grows [m or rad]
/// - ball_quaternion (quat_xyzw), ball_angular_velocity (body axes): of a spherical joint
/// - joint_limit_…: distance from the limit that stops a joint (negative beyond it) and its rate,
///   and the force of the limit in the last step; 0 while no limit acts
/// - frame_…: pose, axes, velocity and acceleration of a frame's origin, world axes; the linear
///   acceleration is the proper one, g upwards at rest, as in MJCF. With a reference: pose, axes
///   and velocities as seen by who moves along with that frame
/// - gyro, velocimeter, accelerometer: angular and linear velocity, proper acceleration, frame axes
/// - magnetometer: MJCF's default field (0, -0.5, 0) in frame axes
/// - force, torque: from its parent on the frame's body with all that hangs on it, frame axes,
///   moment about the frame's origin. On a link that is fixed to another, what goes through that
///   fixed joint; forces of locks and from outside are taken to act before it
/// - touch: sum of the normal forces of the contacts of the frame's body that press through the
///   sensor's zone, or of all its contacts [N]
/// - contact: what its ContactQuery asks for
/// - rangefinder: from the frame's origin along its z to the first shape of another body, whether
///   it collides or not [m]; -1 if there is none
/// - subtree_…: of a link and all that hangs on it, or of all bodies if the frame is the world's:
///   centre of mass, its velocity, angular momentum about it, world axes
/// - clock: time of the state [s]; potential_energy, kinetic_energy: of all bodies [J]
class SensorArray {
 public:
  explicit SensorArray(const Model& model);

  /// Numbers of all sensors together.
  [[nodiscard]] int size() const { return static_cast<int>(values_.size()); }

  /// Reads all sensors. `workspace` and `report` are those of the step that led to `state`, or of
  /// stiction::evaluate() at it; before the first step bodies read as if they were held where they
  /// are. `model` has the structure of the one that the array was made for. With `noise` each
  /// sensor that has a deviation errs by it, quaternions by a turn [rad]; then readings are cut off
  /// at the sensor's largest value. Allocates nothing.
  std::span<const double> evaluate(const Model& model, const State& state,
                                   const Workspace& workspace, const StepReport& report,
                                   Random* noise = nullptr);

  /// The numbers of one sensor, in the order of Model::sensors(), as they were evaluated last.
  [[nodiscard]] std::span<const double> reading(int sensor) const;
  /// The same by name. Throws std::invalid_argument if there is none.
  [[nodiscard]] std::span<const double> reading(std::string_view name) const;

 private:
  struct Place {
    SensorKind kind = SensorKind::other;
    int index = -1;  ///< as Sensor::index
    int body = -1;   ///< of a frame; -1 is the world
    Matrix3<double> rotation;
    Vector3<double> translation;  ///< of a frame in its body [m]
    std::size_t first = 0;        ///< in values_
    std::size_t size = 0;
    int reference = -1;  ///< in references_
    int part = -1;       ///< in parts_
    int zone = -1;       ///< in zones_
  };
  /// A part of a body, with its inertia about the body's origin, body axes.
  struct Part {
    RigidInertia<double> inertia;
    std::vector<int> bodies;
    std::vector<int> shapes;
  };
  /// Where a frame is and how it moves, world axes.
  struct FrameMotion {
    Matrix3<double> rotation;
    Vector3<double> arm;  ///< from the body's origin
    Vector3<double> position;
    Motion<double> velocity;
    Motion<double> acceleration;  ///< proper: less gravity
  };

  void prepare(const Model& model, const State& state, const Workspace& workspace);
  void sum_forces(const Model& model, const Workspace& workspace);
  void keep_details(const Sensor& sensor, Place& place);
  [[nodiscard]] Place place_of(int frame) const;
  void place_shapes();
  [[nodiscard]] FrameMotion motion(const Model& model, const DynamicsData<double>& data,
                                   const Place& place) const;
  void read(const Place& place, const Model& model, const State& state, const Workspace& workspace,
            const StepReport& report);
  void read_joint(const Place& place, const Model& model, const State& state,
                  const Workspace& workspace);
  void read_tendon(const Place& place, const Model& model, const State& state);
  void read_frame(const Place& place, const Model& model);
  void read_limit(const Place& place, const Model& model, const State& state,
                  const StepReport& report);
  void read_scene(const Place& place, const Model& model, const State& state);
  void read_last_step(const Place& place, const Model& model, const StepReport& report);
  void read_contacts(const Place& place, const Model& model, const StepReport& report);
  void read_force(const Place& place, const Model& model, const StepReport& report);
  [[nodiscard]] Force<double> force_on_part(const Part& part, int body, const Model& model,
                                            const StepReport& report) const;
  /// The zone of a sensor where its frame is; null if it has none.
  [[nodiscard]] const ZoneAt* zone_at(const Place& place, const FrameMotion& frame);
  void read_subtree(const Place& place, const Model& model);
  void put(const Place& place, const Vector3<double>& value);
  void disturb(const Place& place, double deviation, Random& noise);
  void cut_off(const Place& place, double largest);

  Model model_;  ///< for its structure
  SceneLayout layout_;
  std::vector<Place> places_;      ///< one per sensor
  std::vector<Place> references_;  ///< frames that others are seen from
  std::vector<Part> parts_;
  std::vector<ZoneAt> zones_;
  bool needs_step_ = false;    ///< some sensor reads accelerations or forces
  bool needs_forces_ = false;  ///< some sensor reads forces between bodies
  DynamicsData<double> now_;
  DynamicsData<double> before_;                ///< at the start of the last step
  TendonSet tendons_;                          ///< now
  std::vector<MomentTerm> moment_;             ///< of an actuator, now
  std::vector<double> acceleration_;           ///< v̇ of the last step
  std::vector<double> actuator_forces_;        ///< one per velocity
  std::vector<Force<double>> impulses_;        ///< of contacts and locks on each body
  std::vector<Force<double>> between_bodies_;  ///< from the parent on each body, about its origin
  std::optional<RayScene> rays_;               ///< if there is a rangefinder
  double h_ = 0.0;                             ///< of the last step, 0 if there was none [s]
  std::vector<double> values_;
};

/// Force of all contacts on a body in a step of length `time_step`, world axes [N]; world_body for
/// the force on the world.
Eigen::Vector3d contact_force(const StepReport& report, int body, double time_step);

}  // namespace stiction
