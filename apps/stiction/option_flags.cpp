#include "apps/stiction/option_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/stiction/argument_checks.hpp"
#include "stiction/solver/claims.hpp"

namespace stiction {

namespace {

std::string type_name(const OptionInfo& option, const OptionValue& usual) {
  if (option.words != nullptr) return "NAME";
  if (std::holds_alternative<bool>(usual)) return "on|off";
  if (std::holds_alternative<int>(usual)) return "COUNT";
  return option.unit == "s" ? "SECONDS" : "NUMBER";
}

std::string help_text(const OptionInfo& option, const OptionValue& usual) {
  std::string help(option.help);
  help.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(help.front())));
  const std::string unit = option.unit.empty() ? "" : fmt::format(" [{}]", option.unit);
  return fmt::format("{}{} ({}; default {})", help, unit, range_text(option, usual),
                     to_text(usual));
}

/// Options of one solver stand together behind those of all.
std::string group_of(const OptionInfo& option) {
  const std::size_t dot = option.name.find('.');
  if (dot == std::string_view::npos) return "Options";
  return fmt::format("Options of {}", option.name.substr(0, dot));
}

/// What is wrong with one value; of words what was probably meant.
std::string fault_of_text(const OptionInfo& option, OptionValue example, const std::string& text) {
  if (option.words == nullptr) return read_value(option, text, example);
  std::string kind(option.name);
  if (kind.find('.') == std::string::npos) std::ranges::replace(kind, '_', ' ');
  return check_word(kind, text, {option.words().begin(), option.words().end()});
}

OptionValue value_of(const OptionInfo& option, OptionValue example, const std::string& text) {
  const std::string fault = read_value(option, text, example);
  if (!fault.empty()) throw CLI::ValidationError(flag_of(option), fault);
  return example;
}

void add(CLI::App& command, const OptionInfo& option, const OptionValue& usual,
         const std::string& type, const std::function<void(const std::string&)>& take,
         const std::function<std::string(const std::string&)>& check) {
  command.add_option_function<std::string>(flag_of(option), take, help_text(option, usual))
      ->type_name(type)
      ->check(check)
      ->group(group_of(option));
}

}  // namespace

void add_flag(CLI::App& command, const OptionInfo& option, const OptionValue& usual,
              std::function<void(const OptionValue&)> take) {
  add(
      command, option, usual, type_name(option, usual),
      [&option, usual, take = std::move(take)](const std::string& text) {
        take(value_of(option, usual, text));
      },
      [&option, usual](const std::string& text) { return fault_of_text(option, usual, text); });
}

void add_list_flag(CLI::App& command, const OptionInfo& option, const OptionValue& usual,
                   std::function<void(std::vector<OptionValue>)> take) {
  const std::string type = type_name(option, usual);
  add(
      command, option, usual, fmt::format("{0}[,{0}...]", type),
      [&option, usual, take = std::move(take)](const std::string& list) {
        std::vector<OptionValue> values;
        for (const std::string& text : split(list)) {
          const OptionValue value = value_of(option, usual, text);
          if (std::ranges::find(values, value) == values.end()) values.push_back(value);
        }
        take(std::move(values));
      },
      [&option, usual](const std::string& list) {
        for (const std::string& text : split(list)) {
          std::string fault = fault_of_text(option, usual, text);
          if (!fault.empty()) return fault;
        }
        return std::string();
      });
}

void check_options(const StepOptions& options) {
  if (const std::string fault = fault_of(options); !fault.empty()) {
    throw CLI::ValidationError("options of the step", fault);
  }
  const std::string refusal = refusal_of_contacts(options.solver, options.solver_options);
  if (refusal.empty()) return;
  throw CLI::ValidationError(
      "--law",
      fmt::format("solver '{}' does not support law '{}': it {}; choose another solver or law",
                  options.solver, to_string(options.solver_options.law), refusal));
}

std::vector<std::string> unusual_options(const StepOptions& options) {
  StepOptions usual;
  for (const char* name : {"time_step", "solver", "law", "gap_rule", "integrator", "tolerance"}) {
    const StepOption& told = *find_step_option(name);
    told.set(usual, told.value(options));
  }
  return different_options(options, usual);
}

}  // namespace stiction
