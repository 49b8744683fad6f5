#pragma once

/// \file
/// What `simulate`, `compare` and `view` share: the scene and the options of the step on the
/// command line, where a run starts and what acts on it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/stiction/model_argument.hpp"
#include "stiction/record/recording.hpp"
#include "stiction/sim/simulation.hpp"

namespace CLI {
class App;
}

namespace stiction {

/// A scene on the command line. A URDF robot gets a ground plane through the origin and starts
/// where it just touches it; one that is fixed and hangs through the plane gets none.
struct SceneArgument {
  ModelArgument model;
  std::string keyframe;       ///< start there, and take targets and controls from there; empty: the
                              ///< file's first keyframe if it has one, else the initial positions
  std::string initial_state;  ///< start there instead: a state file, or RECORDING@TIME
  std::string pose;  ///< joint positions to start with, such as `hip=0.4,knee=-45deg`, which pd and
                     ///< random hold; or a keyframe that they hold

  void add_to(CLI::App& command);
  /// Reads the file and prints warnings to stderr: those of the reader, and what is unusual about
  /// its robots. Throws InputError.
  [[nodiscard]] Model load() const;
  /// Throws InputError.
  [[nodiscard]] State start(const Model& model) const;
  /// Files that are read, which a run must not overwrite. Throws InputError.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

/// Options of the step on the command line: a flag for each row of the table that is for runs.
struct StepArguments {
  StepOptions chosen;

  /// The flags write into this, which must stay where it is.
  void add_to(CLI::App& command);
  /// What was chosen, checked as a whole. Throws CLI::ValidationError with what is possible.
  [[nodiscard]] StepOptions options() const;
};

/// What acts on the robot during a run: `zero`, `constant`, `pd`, `random` or `policy:FILE`; tables
/// and sines on top of it; and pushes.
struct ControlArguments {
  /// At most one that is no table or sine. Without one: `constant` if the keyframe has controls,
  /// else `pd` if a robot with joints stands free in the scene, joint positions were given, or a
  /// table or sine names a joint, else `zero`.
  std::vector<std::string> kinds;
  std::vector<std::string> values;  ///< of `constant`, one per actuator or one for all; empty: the
                                    ///< keyframe's
  std::vector<std::string> controls;  ///< of single actuators: NAME=VALUE[,NAME=VALUE...]
  double stiffness = 0.0;  ///< kp of `pd` and `random`; 0: by the weight that the joint carries
  double damping = 0.0;    ///< kd; 0: critical
  std::vector<double> command;      ///< of a policy: forward, left [m/s], turning [rad/s]
  std::vector<std::string> pushes;  ///< BODY:FX,FY,FZ:START:DURATION [N, s]
  std::uint64_t seed = 1;

  void add_to(CLI::App& command);
  /// Files that are read, which a run must not overwrite.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

/// Applies ControlArguments before each step. Same seed, same run, bit for bit; what it does
/// depends on arguments and the state's time alone, so that a run which goes on from a state does
/// the same.
///
/// Joints with position actuators follow these with the file's gains; the others get servos. Under
/// `random` all targets are drawn anew every 0.2 s around the pose. A policy sets the targets of
/// its servos from the state whenever the time is a multiple of its interval, and at once if the
/// servos are not its own.
class Controls {
 public:
  /// Throws InputError if joints, bodies or numbers do not fit the Model.
  Controls(const ControlArguments& arguments, const SceneArgument& scene, const Model& model);
  /// Sets control and servos, and pushes.
  void apply(Simulation& simulation) const;
  [[nodiscard]] std::string description() const;  ///< for RunDescription::controls
  [[nodiscard]] std::uint64_t seed() const;
  /// The same with other random targets.
  [[nodiscard]] Controls with_seed(std::uint64_t seed) const;
  /// How often a policy answers [s]; none without one. With a policy apply() reads positions,
  /// velocities and servos of the simulation, not its time alone.
  [[nodiscard]] std::optional<double> policy_interval() const;
  /// What the policy is to reach: forward, left [m/s], turning [rad/s]; none without a policy.
  [[nodiscard]] std::optional<Eigen::Vector3d> command() const;
  /// Of all copies of these controls; only with a policy.
  void set_command(const Eigen::Vector3d& command) const;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

/// All files that a run reads. Throws InputError.
[[nodiscard]] std::vector<std::filesystem::path> input_files(const SceneArgument& scene,
                                                             const ControlArguments& control);

/// Index of the keyframe of that name, of the first one if the name is empty; none if the model has
/// none. Throws InputError that names what exists.
[[nodiscard]] std::optional<int> keyframe_of(const Model& model, const std::string& name,
                                             const std::string& file);

/// Tells on stderr if a duration is no whole number of steps [s].
void tell_duration(double duration, double time_step);

/// Names of scene, options and controls, for the record.
[[nodiscard]] RunDescription describe_run(const SceneArgument& scene, const StepOptions& options,
                                          const Controls& controls, const Model& model);

}  // namespace stiction
