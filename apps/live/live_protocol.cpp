#include "apps/live/live_protocol.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "stiction/record/options_json.hpp"

namespace stiction {

namespace {

using nlohmann::json;

/// Farther away nobody drags anything [m].
constexpr double longest_drag = 1e6;
constexpr std::int64_t most_frames = 0xffffffff;  // the number of a binary frame has 32 bits

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

/// A stranger's word, short enough to be repeated to him.
std::string quoted(const std::string& word) {
  constexpr std::size_t most = 60;
  return word.size() <= most ? fmt::format("'{}'", word)
                             : fmt::format("'{}'…", word.substr(0, most));
}

const json& member(const json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end()) refuse(fmt::format("the request needs '{}'", name));
  return *found;
}

double number(const json& value, const char* name) {
  if (!value.is_number()) refuse(fmt::format("'{}' must be a number", name));
  const double result = value.get<double>();
  if (!std::isfinite(result)) refuse(fmt::format("'{}' must be finite", name));
  return result;
}

std::int64_t whole_number(const json& value, const char* name, std::int64_t least,
                          std::int64_t most) {
  const double result = number(value, name);
  if (result != std::floor(result) || result < static_cast<double>(least) ||
      result > static_cast<double>(most)) {
    refuse(fmt::format("'{}' must be a whole number from {} to {}", name, least, most));
  }
  return static_cast<std::int64_t>(result);
}

Eigen::Vector3d point(const json& message, const char* name) {
  const json& value = member(message, name);
  if (!value.is_array() || value.size() != 3) refuse(fmt::format("'{}' must be [x, y, z]", name));
  Eigen::Vector3d result;
  for (int i = 0; i < 3; ++i) {
    result[i] = number(value[static_cast<std::size_t>(i)], name);
    if (std::abs(result[i]) > longest_drag) {
      refuse(fmt::format("'{}' must be within {:g} m", name, longest_drag));
    }
  }
  return result;
}

LiveRequest step_request(const json& message) {
  const auto count = message.find("count");
  if (count == message.end()) return StepRequest{1};
  return StepRequest{static_cast<int>(whole_number(*count, "count", 1, most_steps_at_once))};
}

LiveRequest drag_request(const json& message) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  DragRequest result;
  result.body = static_cast<int>(whole_number(member(message, "body"), "body", 0, most));
  result.point = point(message, "point");
  result.target = point(message, "target");
  return result;
}

/// A value of the type of the option.
OptionValue option_value(const json& value, const StepOption& option) {
  const std::string name(option.info().name);
  const OptionValue usual = option.value({});
  if (std::holds_alternative<double>(usual)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool unlimited = value.is_null() && option.info().range.most == infinity;
    return unlimited ? infinity : number(value, name.c_str());
  }
  if (std::holds_alternative<int>(usual)) {
    using Limits = std::numeric_limits<int>;
    return static_cast<int>(whole_number(value, name.c_str(), Limits::min(), Limits::max()));
  }
  if (std::holds_alternative<bool>(usual)) {
    if (!value.is_boolean()) refuse(fmt::format("'{}' must be true or false", name));
    return value.get<bool>();
  }
  if (!value.is_string()) refuse(fmt::format("'{}' must be a word", name));
  const auto word = value.get<std::string>();
  if (word.size() > 60) refuse(fmt::format("'{}' is not a word that there is", name));
  return word;
}

std::optional<bool>* pause_of(SettingsChange& change, std::string_view name) {
  if (name == "pause_uncertified") return &change.pause_uncertified;
  if (name == "pause_energy") return &change.pause_energy;
  if (name == "pause_fall") return &change.pause_fall;
  return nullptr;
}

/// A number, or null to take back what was set.
std::optional<double> number_or_none(const json& message, const char* name) {
  const json& value = member(message, name);
  if (value.is_null()) return std::nullopt;
  return number(value, name);
}

int index(const json& message, const char* name) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(whole_number(member(message, name), name, 0, most));
}

std::string pose_name(const json& message) {
  constexpr std::size_t most = 60;
  const json& name = member(message, "name");
  if (!name.is_string() || name.get_ref<const std::string&>().empty() ||
      name.get_ref<const std::string&>().size() > most) {
    refuse(fmt::format("'name' must be a text of 1 to {} letters", most));
  }
  return name.get<std::string>();
}

LiveRequest command_request(const json& message) {
  constexpr double most = 10.0;
  const json& value = member(message, "value");
  if (!value.is_array() || value.size() != 3) {
    refuse("'value' must be [forward, left, turning]");
  }
  CommandRequest result;
  for (int i = 0; i < 3; ++i) {
    result.velocity[i] = number(value[static_cast<std::size_t>(i)], "value");
    if (std::abs(result.velocity[i]) > most) {
      refuse(fmt::format("'value' must be within {:g} m/s and rad/s", most));
    }
  }
  return result;
}

LiveRequest record_request(const json& message) {
  const json& on = member(message, "on");
  if (!on.is_boolean()) refuse("'on' must be true or false");
  return RecordRequest{on.get<bool>()};
}

LiveRequest settings_request(const json& message) {
  SettingsChange change;
  for (const auto& [name, value] : message.items()) {
    if (name == "type") continue;
    if (name == "friction") {
      change.friction = number(value, "friction");
    } else if (name == "speed") {
      change.speed = number(value, "speed");
    } else if (std::optional<bool>* pause = pause_of(change, name)) {
      if (!value.is_boolean()) refuse(fmt::format("'{}' must be true or false", name));
      *pause = value.get<bool>();
    } else if (const StepOption* option = find_step_option(name);
               option != nullptr && option->info().in_runs) {
      change.options[name] = option_value(value, *option);
    } else {
      refuse(
          fmt::format("there is no setting {}; `stiction options` lists those that there are, "
                      "besides friction and speed",
                      quoted(name)));
    }
  }
  if (message.size() < 2) refuse("settings need one at least, such as \"solver\": \"hybrid\"");
  return change;
}

LiveRequest request_of_type(const std::string& type, const json& message) {
  if (type == "play") return PlayRequest{};
  if (type == "pause") return PauseRequest{};
  if (type == "reset") return ResetRequest{};
  if (type == "status") return StatusRequest{};
  if (type == "release") return ReleaseRequest{};
  if (type == "step") return step_request(message);
  if (type == "goto") {
    return GotoRequest{whole_number(member(message, "frame"), "frame", 0, most_frames)};
  }
  if (type == "drag") return drag_request(message);
  if (type == "settings") return settings_request(message);
  if (type == "control") {
    return ControlRequest{index(message, "actuator"), number_or_none(message, "value")};
  }
  if (type == "target") {
    return TargetRequest{index(message, "body"), number_or_none(message, "value")};
  }
  if (type == "command") return command_request(message);
  if (type == "open") return OpenRequest{index(message, "scene")};
  if (type == "save_pose") return SavePoseRequest{pose_name(message)};
  if (type == "restore_pose") return RestorePoseRequest{pose_name(message)};
  if (type == "record") return record_request(message);
  refuse(fmt::format(
      "type {} is unknown; use play, pause, step, reset, settings, goto, drag, release, control, "
      "target, command, open, save_pose, restore_pose, record or status",
      quoted(type)));
}

json to_json(const LiveSettings& settings) {
  json result = options_json<json>(settings.options, &OptionInfo::in_runs);
  result["friction"] = settings.friction;
  result["speed"] = settings.speed;
  result["pause_uncertified"] = settings.pause_uncertified;
  result["pause_energy"] = settings.pause_energy;
  result["pause_fall"] = settings.pause_fall;
  return result;
}

/// Never throws for what a text holds.
std::string dump(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The words of an option.
json words_of(std::string_view name) {
  const auto words = find_step_option(name)->info().words();
  return json(std::vector<std::string_view>(words.begin(), words.end()));
}

json choices() {
  return {{"solvers", words_of("solver")},
          {"laws", words_of("law")},
          {"gap_rules", words_of("gap_rule")},
          {"integrators", words_of("integrator")}};
}

json options() {
  json list = json::array();
  for (const StepOption& option : step_option_table()) {
    if (option.info().in_runs) list.push_back(option_json<json>(option));
  }
  return list;
}

}  // namespace

LiveRequest parse_request(std::string_view text) {
  const json message = json::parse(text, nullptr, false);
  if (message.is_discarded()) refuse("the message is not valid JSON with finite numbers");
  if (!message.is_object()) refuse("the message must be a JSON object with a 'type'");
  const json& type = member(message, "type");
  if (!type.is_string()) refuse("'type' must be a string");
  return request_of_type(type.get<std::string>(), message);
}

std::string status_message(const LiveStatus& status) {
  json targets = json::array();
  for (const auto& [body, value] : status.targets) {
    targets.push_back({{"body", body}, {"value", value}});
  }
  json command;  // null without a policy
  if (status.command) command = {(*status.command)[0], (*status.command)[1], (*status.command)[2]};
  return dump({{"type", "status"},
               {"playing", status.playing},
               {"frame", status.frame},
               {"first", status.first},
               {"last", status.last},
               {"time", status.time},
               {"hash", fmt::format("{:016x}", status.hash)},
               {"settings", to_json(status.settings)},
               {"counts",
                {{"steps", status.steps},
                 {"not_certified", status.not_certified},
                 {"refused", status.refused},
                 {"worst_residual", status.worst_residual}}},
               {"controls", status.controls},
               {"targets", targets},
               {"command", command},
               {"scenes", status.scenes},
               {"scene", status.scene},
               {"poses", status.poses},
               {"recording", status.recording},
               {"real_time_factor", status.real_time_factor},
               {"message", status.message}});
}

std::string scene_message(const std::string& scene, const LiveSettings& settings) {
  return fmt::format(R"({{"type":"scene","scene":{},"settings":{},"choices":{},"options":{}}})",
                     scene, dump(to_json(settings)), dump(choices()), dump(options()));
}

std::string error_message(std::string_view what) {
  return dump({{"type", "error"}, {"message", what}});
}

}  // namespace stiction
