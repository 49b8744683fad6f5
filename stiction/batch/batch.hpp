#pragma once

/// \file
/// Many robots of one structure, stepped together on several threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

/// What the contacts of a watched body did in the last step of one environment.
struct ContactSummary {
  Vector3<double> force;      ///< of all contacts on the body, world axes [N]
  double slip_speed = 0.0;    ///< the fastest tangential one of contacts that press [m/s]
  std::int32_t touching = 0;  ///< contacts that press
};

/// How far reset_randomly() goes from the state that it starts from. Uniform, both ways.
struct RandomSpread {
  double joint_position = 0.0;  ///< of joints with one velocity [rad or m]; limits are kept
  double joint_velocity = 0.0;  ///< [rad/s or m/s]
  double base_position = 0.0;   ///< of floating bases, horizontally [m]
  double base_height = 0.0;     ///< of floating bases, upwards only [m]
  double base_yaw = 0.0;        ///< of floating bases, about the vertical [rad]
  double base_velocity = 0.0;   ///< of floating bases, each axis [m/s]
  double base_turning = 0.0;    ///< of floating bases, each axis [rad/s]
  friend bool operator==(const RandomSpread&, const RandomSpread&) = default;
};

/// `count` environments. Each has a state, inputs, and numbers of its own (masses, friction,
/// gains); all share one structure. Arrays hold one row per environment, one after another, and
/// belong to the batch: write inputs and states straight into them. Spans stay valid as long as the
/// batch, unless a function says otherwise.
///
/// An environment has the same bits as a Simulation of the same Model, state and inputs: whatever
/// its index, the number of environments and the number of threads. One that cannot go on (a NaN
/// among its inputs, numbers that overflow) is frozen at its last state and says why, until it is
/// reset; the others do not notice.
///
/// No two threads may call functions of one batch at the same time.
class Batch {
 public:
  /// The most environments of a batch.
  static constexpr int most_environments = 10'000'000;
  /// The most threads of a batch.
  static constexpr int most_threads = 1024;

  /// All environments start at the Model's initial state. `threads` = 0: as many as the machine
  /// has. Throws std::invalid_argument if a number or an option is impossible.
  explicit Batch(const Model& model, int count, StepOptions options = {}, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  [[nodiscard]] int count() const;
  [[nodiscard]] int threads() const;
  [[nodiscard]] double time_step() const;  ///< [s]
  [[nodiscard]] const StepOptions& options() const;
  /// The Model that the batch was made of.
  [[nodiscard]] const Model& model() const;

  /// \name State arrays, to read and to write
  /// @{
  [[nodiscard]] std::span<double> times();       ///< one per environment [s]
  [[nodiscard]] std::span<double> positions();   ///< count × Model::position_count()
  [[nodiscard]] std::span<double> velocities();  ///< count × Model::velocity_count()
  [[nodiscard]] std::span<double> positions(int environment);
  [[nodiscard]] std::span<double> velocities(int environment);
  /// Everything that the next step of an environment depends on, to store or to compare.
  [[nodiscard]] State state(int environment) const;
  /// Sets it, and wakes the environment if it was frozen. Throws std::invalid_argument if the state
  /// does not fit the Model.
  void set_state(int environment, const State& state);
  /// Bits of all states, in the order of the environments.
  [[nodiscard]] std::uint64_t hash() const;
  /// @}

  /// \name Input arrays: kept from step to step, zero at first
  /// @{
  [[nodiscard]] std::span<double> controls();  ///< count × actuators
  [[nodiscard]] std::span<double> controls(int environment);
  [[nodiscard]] std::span<double> joint_forces();  ///< count × velocities [N·m or N]
  [[nodiscard]] std::span<double> joint_forces(int environment);

  /// Gives every environment these servos. The arrays below have one number per environment and
  /// servo then; earlier spans of them are invalid. Throws std::invalid_argument if a servo is not
  /// possible.
  void set_servos(std::span<const JointServo> servos);
  [[nodiscard]] int servo_count() const;
  [[nodiscard]] std::span<double> servo_targets();           ///< [rad or m]
  [[nodiscard]] std::span<double> servo_velocity_targets();  ///< [rad/s or m/s]
  [[nodiscard]] std::span<double> servo_stiffness();         ///< kp
  [[nodiscard]] std::span<double> servo_damping();           ///< kd
  [[nodiscard]] std::span<double> servo_feed_forward();      ///< [N·m or N]

  /// A force on a body during the next call of step(), all its substeps.
  void push(int environment, const ExternalForce& force);
  /// @}

  /// \name Numbers of each environment
  /// @{
  /// To change its numbers (Model::set_…). The first change of one copies them for it.
  [[nodiscard]] Model& model(int environment);
  [[nodiscard]] const Model& model(int environment) const;
  /// Mass and inertia of all bodies as in the batch's Model, times a factor per environment; or of
  /// one body. Throws std::invalid_argument if a factor is not a positive number, or if there are
  /// not `count` of them.
  void scale_masses(std::span<const double> factors, int body = -1);
  /// Friction of all materials as in the batch's Model, times a factor per environment. Pairs of
  /// shapes or materials with a friction of their own keep it.
  void scale_friction(std::span<const double> factors);
  /// Damping of all joints as in the batch's Model, times a factor per environment.
  void scale_joint_damping(std::span<const double> factors);
  /// Gains of all position, velocity and other actuators as in the batch's Model, times a factor
  /// per environment.
  void scale_gains(std::span<const double> factors);
  /// @}

  /// Steps each environment `substeps` times with the same inputs. With a mask (one per
  /// environment) only those that are not zero there. Throws std::invalid_argument if the mask has
  /// another length or `substeps` is below 1; never for what environments contain.
  void step(int substeps = 1, std::span<const std::uint8_t> mask = {});
  /// The same bits, and `goes_on` is asked now and then, by the calling thread. If it answers
  /// false, the call ends with all environments at the same substep, and returns false.
  bool step(int substeps, std::span<const std::uint8_t> mask, const std::function<bool()>& goes_on);

  /// \name What the last step() did, one per environment; those left out keep theirs
  /// @{
  /// The worst status of the substeps.
  [[nodiscard]] std::span<const StepStatus> statuses() const;
  [[nodiscard]] std::span<const double> residuals() const;         ///< worst of the certificates
  [[nodiscard]] std::span<const std::int32_t> iterations() const;  ///< summed over the substeps
  [[nodiscard]] std::span<const std::int32_t> contacts() const;    ///< that press, last substep
  /// @}

  /// Not zero for environments that cannot go on before they are reset.
  [[nodiscard]] std::span<const std::uint8_t> frozen() const;
  [[nodiscard]] int frozen_count() const;
  /// Why an environment is frozen, with its index; empty if it is not.
  [[nodiscard]] const std::string& fault(int environment) const;
  /// Over all steps of an environment since the batch was made.
  [[nodiscard]] const RunCounts& counts(int environment) const;
  /// The same of all environments together.
  [[nodiscard]] RunCounts counts() const;

  /// \name Readings after each call of step()
  /// @{
  /// Bodies whose contacts are summed up, such as feet. Throws std::invalid_argument if there is no
  /// such body.
  void watch_bodies(std::vector<int> bodies);
  /// count × watched bodies.
  [[nodiscard]] std::span<const ContactSummary> contact_summaries() const;
  /// Whether the Model's sensors are read after each call of step(). Off at first.
  void read_sensors(bool wanted);
  [[nodiscard]] int sensor_size() const;                  ///< numbers of all sensors together
  [[nodiscard]] std::span<const double> sensors() const;  ///< count × sensor_size()

  /// A height scan: points of a body's frame that turn with the body about the vertical alone.
  /// Throws std::invalid_argument if there is no such body, or if a point is not finite.
  void set_height_scan(int body, std::span<const Eigen::Vector3d> points);
  /// count × points: height of the first shape below each point, world [m]; −infinity where there
  /// is none. Only shapes that are fixed to the world count. Read at the positions after step(), or
  /// when scan_heights() is called.
  [[nodiscard]] std::span<const double> heights() const;
  void scan_heights();
  /// @}

  /// \name Resets. They wake frozen environments, keep numbers, and set inputs to zero, or controls
  /// to those of the keyframe. The mask is as that of step().
  /// @{
  void reset(std::span<const std::uint8_t> mask = {});
  /// Throws std::invalid_argument if there is no such keyframe.
  void reset_to_keyframe(std::string_view name, std::span<const std::uint8_t> mask = {});
  /// A random state around a keyframe, or around the initial state if the name is empty. What is
  /// drawn depends on seed, environment index and how often that environment was reset so before.
  /// `first_index` is the index of environment 0 in a larger set that is shared out.
  void reset_randomly(std::string_view keyframe, const RandomSpread& spread, std::uint64_t seed,
                      std::span<const std::uint8_t> mask = {}, std::uint64_t first_index = 0);
  /// @}

 private:
  struct Worker;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stiction
