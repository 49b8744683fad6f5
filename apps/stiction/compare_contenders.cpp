#include "apps/stiction/compare_contenders.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "apps/stiction/option_flags.hpp"

namespace stiction {

namespace {

/// A page with more runs over each other shows nothing.
constexpr std::size_t most_contenders = 32;

/// A word speaks for itself, a number or a switch needs its name.
std::string label_of(const StepOption& option, const OptionValue& value) {
  if (option.info().words != nullptr) return to_text(value);
  return fmt::format("{} {}", option.info().name, to_text(value));
}

/// Each contender with each of the values.
std::vector<Contender> combined(const std::vector<Contender>& contenders, const StepOption& option,
                                const std::vector<OptionValue>& values) {
  std::vector<Contender> result;
  for (const Contender& contender : contenders) {
    for (const OptionValue& value : values) {
      Contender& next = result.emplace_back(contender);
      option.set(next.options, value);
      if (values.size() < 2) continue;
      if (!next.label.empty()) next.label += ", ";
      next.label += label_of(option, value);
    }
  }
  return result;
}

std::string refusal_of(const StepOptions& options) {
  try {
    check_options(options);
    return {};
  } catch (const CLI::ValidationError& error) {
    return error.what();
  }
}

}  // namespace

std::vector<Contender> contenders_of(const CompareArguments& arguments) {
  std::vector<Contender> contenders(1);
  for (const StepOption& option : step_option_table()) {
    const auto list = arguments.lists.find(&option);
    if (list == arguments.lists.end()) continue;
    const std::size_t count = contenders.size() * list->second.size();
    if (count > most_contenders) {
      throw CLI::ValidationError(fmt::format(
          "{} combinations are too many; give lists with at most {}", count, most_contenders));
    }
    contenders = combined(contenders, option, list->second);
  }
  for (Contender& contender : contenders) contender.refusal = refusal_of(contender.options);
  return contenders;
}

void check_contenders(const std::vector<Contender>& contenders) {
  if (contenders.size() < 2) {
    throw CLI::ValidationError(
        "there is nothing to compare; give a list, such as --solver hybrid,admm");
  }
  if (std::ranges::none_of(contenders, [](const Contender& c) { return c.refusal.empty(); })) {
    throw CLI::ValidationError(contenders.front().refusal);
  }
}

}  // namespace stiction
