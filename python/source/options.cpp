#include <fmt/format.h>

#include "python/source/bindings.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/sim/option_table.hpp"

namespace stiction::python {

namespace {

std::string text_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "on" : "off";
  if (py::isinstance<py::float_>(value)) return fmt::format("{}", value.cast<double>());
  return py::str(value).cast<std::string>();
}

[[noreturn]] void refuse_option(const std::string& name,
                                const std::vector<std::string_view>& known) {
  throw py::type_error(
      fmt::format("there is no option '{}'; {}", name,
                  suggestion(name, known, "`stiction options` on the command line lists all")));
}

}  // namespace

StepOptions options_of(const py::kwargs& keywords) {
  StepOptions options;
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string>();
    const StepOption* const option = find_step_option(name);
    if (option == nullptr) {
      std::vector<std::string_view> known;
      for (const StepOption& other : step_option_table()) known.push_back(other.info().name);
      refuse_option(name, known);
    }
    if (const std::string fault = option->read(options, text_of(value)); !fault.empty()) {
      refuse(fault);
    }
  }
  if (const std::string fault = fault_of(options); !fault.empty()) refuse(fault);
  return options;
}

SolverOptions solver_options_of(const py::kwargs& keywords, const std::string& solver) {
  SolverOptions options;
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string>();
    const SolverOption* found = nullptr;
    std::vector<std::string_view> known;
    for (const SolverOption& option : solver_option_table()) {
      if (option.info.name == name) found = &option;
      known.push_back(option.info.name);
    }
    if (found == nullptr) refuse_option(name, known);
    OptionValue read = found->value(options);
    if (const std::string fault = read_value(found->info, text_of(value), read); !fault.empty()) {
      refuse(fault);
    }
    found->set(options, read);
  }
  if (const std::string_view fault = fault_of(options, solver); !fault.empty()) {
    refuse(std::string(fault));
  }
  return options;
}

}  // namespace stiction::python
