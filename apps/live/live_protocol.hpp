#pragma once

/// \file
/// Words between the live server and its pages. docs/page_format.md is the contract.

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stiction/sim/option_table.hpp"

namespace stiction {

/// What a viewer may change while a simulation runs.
struct LiveSettings {
  StepOptions options;    ///< those of the table that are for runs; the time step is the real one
  double friction = 1.0;  ///< factor on the friction coefficients of all materials
  double speed = 1.0;     ///< target real-time factor
  /// \name What pauses the simulation
  /// @{
  bool pause_uncertified = false;  ///< a step that was not certified
  bool pause_energy = true;        ///< energy that grew beyond all bounds
  bool pause_fall = false;         ///< a robot that falls over
  /// @}
};

/// Settings to change; those without a value stay.
struct SettingsChange {
  /// By the names of the table. A value has the type of its option.
  std::map<std::string, OptionValue> options;
  std::optional<double> friction;
  std::optional<double> speed;
  std::optional<bool> pause_uncertified, pause_energy, pause_fall;
};

/// \name Requests of a client
/// @{
struct PlayRequest {};
struct PauseRequest {};
struct ResetRequest {};
struct StatusRequest {};
struct ReleaseRequest {};
struct StepRequest {
  int count = 1;
};
struct GotoRequest {
  std::int64_t frame = 0;
};
struct DragRequest {
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< in the body [m]
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< in the world [m]
};
/// A value in place of what drives the robot otherwise; none: as before.
struct ControlRequest {
  int actuator = 0;
  std::optional<double> value;
};
struct TargetRequest {
  int body = 0;                 ///< that a joint with a servo carries
  std::optional<double> value;  ///< [rad or m]
};
/// A velocity for a policy: forward, left [m/s], turning [rad/s].
struct CommandRequest {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
};
/// Another scene, by its place in LiveStatus::scenes.
struct OpenRequest {
  int scene = 0;
};
/// Keeps the present state under a name, or goes back to it.
struct SavePoseRequest {
  std::string name;
};
struct RestorePoseRequest {
  std::string name;
};
/// Records from now on, or ends that.
struct RecordRequest {
  bool on = true;
};
/// @}

using LiveRequest = std::variant<PlayRequest, PauseRequest, ResetRequest, StatusRequest,
                                 ReleaseRequest, StepRequest, GotoRequest, DragRequest,
                                 SettingsChange, ControlRequest, TargetRequest, CommandRequest,
                                 OpenRequest, SavePoseRequest, RestorePoseRequest, RecordRequest>;

/// Most steps of one StepRequest.
inline constexpr int most_steps_at_once = 100000;

/// Reads a text message. Throws std::invalid_argument, whose text is for the client, if it is no
/// request: numbers are finite afterwards, and options are some that there are, but values of
/// options, words and indices are not looked at yet.
[[nodiscard]] LiveRequest parse_request(std::string_view text);

/// Where a live simulation is.
struct LiveStatus {
  bool playing = false;
  std::int64_t frame = 0;  ///< shown
  std::int64_t first = 0;  ///< oldest that is kept
  std::int64_t last = 0;   ///< newest
  double time = 0.0;       ///< of the state shown [s]
  std::uint64_t hash = 0;  ///< of the state shown
  LiveSettings settings;
  std::int64_t steps = 0;  ///< done since the last reset, also those that were taken back
  std::int64_t not_certified = 0;
  std::int64_t refused = 0;
  double worst_residual = 0.0;             ///< of all steps since the last reset
  double real_time_factor = 0.0;           ///< reached of late; 0 while nothing moves
  std::string message;                     ///< why the simulation stopped by itself; else empty
  std::vector<double> controls;            ///< of all actuators, as the last step had them
  std::map<int, double> targets;           ///< of joints with servos, by the body that they carry
  std::optional<Eigen::Vector3d> command;  ///< of a policy, where one drives the robot
  std::vector<std::string> scenes;         ///< names of scenes that can be opened
  int scene = 0;                           ///< which of them runs
  std::vector<std::string> poses;          ///< names of those that were saved
  std::string recording;                   ///< the file that is written now; else empty
};

[[nodiscard]] std::string status_message(const LiveStatus& status);
/// `scene` is the JSON of scene_json().
[[nodiscard]] std::string scene_message(const std::string& scene, const LiveSettings& settings);
[[nodiscard]] std::string error_message(std::string_view what);

}  // namespace stiction
