#include "apps/live/live_protocol.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "stiction/contact/law.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/solver/solver.hpp"

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

/// Text or number, by the kind of the setting.
void read_setting(const json& value, const char* name, std::optional<std::string>& setting) {
  if (!value.is_string()) refuse(fmt::format("'{}' must be a string", name));
  setting = value.get<std::string>();
  if (setting->size() > 100) refuse(fmt::format("'{}' is too long; give at most 100 bytes", name));
}
void read_setting(const json& value, const char* name, std::optional<double>& setting) {
  setting = number(value, name);
}

LiveRequest settings_request(const json& message) {
  SettingsChange change;
  const auto read = [&message](const char* name, auto& setting) {
    const auto found = message.find(name);
    if (found == message.end()) return 0;
    read_setting(*found, name, setting);
    return 1;
  };
  const int known = read("solver", change.solver) + read("law", change.law) +
                    read("gap_rule", change.gap_rule) + read("integrator", change.integrator) +
                    read("time_step", change.time_step) + read("friction", change.friction) +
                    read("speed", change.speed) + read("tolerance", change.tolerance);
  if (known == 0 || static_cast<std::size_t>(known) + 1 != message.size()) {
    refuse(
        "settings are solver, law, gap_rule, integrator, time_step, friction, speed and tolerance; "
        "give at least one of them and nothing else");
  }
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
  refuse(fmt::format(
      "type {} is unknown; use play, pause, step, reset, settings, goto, drag, release or status",
      quoted(type)));
}

json to_json(const LiveSettings& settings) {
  return {{"solver", settings.solver},       {"law", settings.law},
          {"gap_rule", settings.gap_rule},   {"integrator", settings.integrator},
          {"time_step", settings.time_step}, {"friction", settings.friction},
          {"speed", settings.speed},         {"tolerance", settings.tolerance}};
}

/// Never throws for what a text holds.
std::string dump(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

json choices() {
  json gap_rules = json::array();
  for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
    gap_rules.push_back(to_string(rule));
  }
  json integrators = json::array();
  for (const Integrator integrator :
       {Integrator::explicit_euler, Integrator::semi_implicit, Integrator::trapezoid,
        Integrator::implicit, Integrator::rk4}) {
    integrators.push_back(to_string(integrator));
  }
  json laws = json::array();
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    laws.push_back(to_string(law));
  }
  json solvers = json::array();
  for (const std::string_view name : solver_names()) solvers.push_back(name);
  return {
      {"solvers", solvers}, {"laws", laws}, {"gap_rules", gap_rules}, {"integrators", integrators}};
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
                 {"refused", status.refused}}},
               {"real_time_factor", status.real_time_factor},
               {"message", status.message}});
}

std::string scene_message(const std::string& scene, const LiveSettings& settings) {
  return fmt::format(R"({{"type":"scene","scene":{},"settings":{},"choices":{}}})", scene,
                     dump(to_json(settings)), dump(choices()));
}

std::string error_message(std::string_view what) {
  return dump({{"type", "error"}, {"message", what}});
}

}  // namespace stiction
