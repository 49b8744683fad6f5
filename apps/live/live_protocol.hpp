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

#include "stiction/sim/option_table.hpp"

namespace stiction {

/// What a viewer may change while a simulation runs.
struct LiveSettings {
  StepOptions options;    ///< those of the table that are for runs; the time step is the real one
  double friction = 1.0;  ///< factor on the friction coefficients of all materials
  double speed = 1.0;     ///< target real-time factor
};

/// Settings to change; those without a value stay.
struct SettingsChange {
  /// By the names of the table. A value has the type of its option.
  std::map<std::string, OptionValue> options;
  std::optional<double> friction;
  std::optional<double> speed;
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
/// @}

using LiveRequest =
    std::variant<PlayRequest, PauseRequest, ResetRequest, StatusRequest, ReleaseRequest,
                 StepRequest, GotoRequest, DragRequest, SettingsChange>;

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
  double worst_residual = 0.0;    ///< of all steps since the last reset
  double real_time_factor = 0.0;  ///< reached of late; 0 while nothing moves
  std::string message;            ///< why the simulation stopped by itself; else empty
};

[[nodiscard]] std::string status_message(const LiveStatus& status);
/// `scene` is the JSON of scene_json().
[[nodiscard]] std::string scene_message(const std::string& scene, const LiveSettings& settings);
[[nodiscard]] std::string error_message(std::string_view what);

}  // namespace stiction
