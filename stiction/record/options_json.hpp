#pragma once

/// \file
/// Options as JSON, for pages, summaries and the live view. The type of JSON is the caller's, so
/// that the interface of the library needs none.

#include "stiction/sim/option_table.hpp"

namespace stiction {

/// `{"time_step": 0.001, "solver": "hybrid", …, "hybrid.sweeps": 10}`: all that shape the motion,
/// or what `which` says. A limit that is infinite is null in the text.
template <class Json>
[[nodiscard]] Json options_json(const StepOptions& options,
                                bool OptionInfo::*which = &OptionInfo::shapes_motion) {
  Json result = Json::object();
  for (const StepOption& option : step_option_table()) {
    if (!(option.info().*which)) continue;
    std::visit([&](const auto& value) { result[std::string(option.info().name)] = value; },
               option.value(options));
  }
  return result;
}

/// What the table says of an option: name, unit, help, default, and what it may be.
template <class Json>
[[nodiscard]] Json option_json(const StepOption& option) {
  const OptionInfo& info = option.info();
  const OptionValue usual = option.value(StepOptions{});
  Json result = {{"name", info.name},
                 {"unit", info.unit},
                 {"help", info.help},
                 {"range", range_text(info, usual)}};
  std::visit([&](const auto& value) { result["default"] = value; }, usual);
  if (info.words != nullptr) {
    for (const std::string_view word : info.words()) result["words"].push_back(word);
  } else if (!std::holds_alternative<bool>(usual)) {
    result["least"] = info.range.least;
    result["most"] = info.range.most;
  }
  return result;
}

}  // namespace stiction
