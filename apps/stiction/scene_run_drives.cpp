#include "apps/stiction/scene_run_drives.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/scene_run_follow.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

namespace {

constexpr std::string_view table_prefix = "table:";
constexpr std::string_view sine_prefix = "sine:";

[[noreturn]] void refuse(Source source, const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error(std::move(source), what, remedy);
  throw InputError(std::move(problems));
}

std::string sine_fault(const std::string& text) {
  const std::vector<std::string> parts = split(text);
  const std::string form = "give sine:NAME,AMPLITUDE,FREQUENCY, such as sine:hip,0.3,1";
  if (parts.size() != 3 || parts[0].empty()) return fmt::format("'{}' is no sine; {}", text, form);
  if (!parse_number(parts[1])) {
    return fmt::format("the amplitude '{}' is not a finite number; {}", parts[1], form);
  }
  const std::optional<double> frequency = parse_number(parts[2]);
  if (frequency && *frequency >= 0.0) return {};
  return fmt::format("the frequency '{}' is not a number of 0 or more [Hz]; {}", parts[2], form);
}

}  // namespace

/// Where names lead: actuators, and joints that something holds at a position.
class Drives::Names {
 public:
  Names(const Model& model, const std::vector<JointServo>& servos)
      : model_(model), servos_(servos) {}

  /// A sine is mostly for a joint, a column mostly for an actuator; both may have the same name.
  [[nodiscard]] Slot find(const std::string& name, bool joint_first, const Source& source) const {
    const std::array<std::optional<Slot>, 2> slots{actuator(name), joint(name)};
    for (const std::optional<Slot>& slot :
         {slots[joint_first ? 1 : 0], slots[joint_first ? 0 : 1]}) {
      if (slot) return *slot;
    }
    if (model_.find_joint(name)) {
      refuse(source, fmt::format("nothing holds joint '{}' at a position", name),
             "add --control pd, or name an actuator");
    }
    std::vector<std::string_view> known;
    for (const Actuator& each : model_.actuators()) known.push_back(each.name);
    for (const Joint& each : model_.joints()) known.push_back(each.name);
    refuse(source, fmt::format("there is no actuator or joint '{}'", name),
           suggestion(name, known, "`stiction inspect SCENE` lists both"));
  }

 private:
  [[nodiscard]] std::optional<Slot> actuator(const std::string& name) const {
    const std::optional<int> found = model_.find_actuator(name);
    return found ? std::optional(Slot{false, *found, 1.0}) : std::nullopt;
  }

  [[nodiscard]] std::optional<Slot> joint(const std::string& name) const {
    const std::optional<int> found = model_.find_joint(name);
    if (!found) return std::nullopt;
    const Joint& joint = model_.joint(*found);
    for (std::size_t i = 0; i < servos_.size(); ++i) {
      if (servos_[i].velocity_index == joint.velocity_index && velocity_size(joint.kind) == 1) {
        return Slot{true, static_cast<int>(i), 1.0};
      }
    }
    for (std::size_t i = 0; i < model_.actuators().size(); ++i) {
      const Actuator& each = model_.actuators()[i];
      if (each.joint == *found && follows_position(each)) {
        return Slot{false, static_cast<int>(i), each.gear[0]};
      }
    }
    return std::nullopt;
  }

  const Model& model_;
  const std::vector<JointServo>& servos_;
};

bool is_drive(std::string_view control) {
  return control.starts_with(table_prefix) || control.starts_with(sine_prefix);
}

std::string check_drive(const std::string& control) {
  if (control.starts_with(sine_prefix)) return sine_fault(control.substr(sine_prefix.size()));
  return drive_file(control).empty() ? "table: needs a file, such as table:gait.csv" : "";
}

std::filesystem::path drive_file(const std::string& control) {
  if (!control.starts_with(table_prefix)) return {};
  return control.substr(table_prefix.size());
}

std::vector<std::string> driven_names(const std::string& control) {
  const std::filesystem::path file = drive_file(control);
  if (!file.empty()) return NumberTable::read(file).names;
  return {split(control.substr(sine_prefix.size()))[0]};
}

Drives::Drives(const std::vector<std::string>& controls, const Model& model,
               const std::vector<JointServo>& servos) {
  const Names names(model, servos);
  for (const std::string& control : controls) {
    if (control.starts_with(sine_prefix)) {
      add_sine(control.substr(sine_prefix.size()), names);
    } else {
      add_table(drive_file(control), names, model);
    }
  }
}

void Drives::add_sine(const std::string& text, const Names& names) {
  const std::vector<std::string> parts = split(text);
  const double amplitude = parse_number(parts[1]).value_or(0.0);
  const double frequency = parse_number(parts[2]).value_or(0.0);
  const Slot slot = names.find(parts[0], true, {"", 0, fmt::format("--control sine:{}", text)});
  sines_.push_back({slot, amplitude, frequency});
  descriptions_.push_back(fmt::format("sine {} {:g} at {:g} Hz", parts[0], amplitude, frequency));
}

void Drives::check_range(const Table& table, std::size_t column, const Model& model) {
  const Slot& slot = table.slots[column];
  if (slot.servo || !model.actuators()[index(slot.index)].control_limited) return;
  const auto& [lower, upper] = model.actuators()[index(slot.index)].control_range;
  const NumberTable& numbers = table.numbers;
  for (std::size_t row = 0; row < numbers.times.size(); ++row) {
    const double control = slot.gear * numbers.numbers[row * numbers.names.size() + column];
    if (control >= lower && control <= upper) continue;
    refuse({numbers.file.string(), numbers.lines[row], ""},
           fmt::format("{:g} for '{}' is outside its control range of {:g} to {:g}", control,
                       numbers.names[column], lower, upper),
           "choose numbers in the range, or change it in the scene");
  }
}

void Drives::add_table(const std::filesystem::path& file, const Names& names, const Model& model) {
  Table table{NumberTable::read(file), {}};
  for (const std::string& name : table.numbers.names) {
    table.slots.push_back(names.find(name, false, {file.string(), 1, ""}));
    check_range(table, table.slots.size() - 1, model);
  }
  descriptions_.push_back(
      fmt::format("table {} {}", file.filename().string(), table.numbers.fingerprint));
  tables_.push_back(std::move(table));
}

void Drives::add(const Slot& slot, double value, bool on_top, Simulation& simulation) {
  double& number = slot.servo ? simulation.servos()[index(slot.index)].position_target
                              : simulation.control()[slot.index];
  number = slot.gear * value + (on_top ? number : 0.0);
}

void Drives::apply(double time, Simulation& simulation) const {
  for (const Table& table : tables_) {
    for (std::size_t i = 0; i < table.slots.size(); ++i) {
      add(table.slots[i], table.numbers.at(time, i), false, simulation);
    }
  }
  for (const Sine& sine : sines_) {
    const double angle = 2.0 * std::numbers::pi * sine.frequency * time;
    add(sine.slot, sine.amplitude * std::sin(angle), true, simulation);
  }
}

}  // namespace stiction
