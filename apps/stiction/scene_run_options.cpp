#include "apps/stiction/option_flags.hpp"
#include "apps/stiction/scene_run.hpp"

namespace stiction {

void StepArguments::add_to(CLI::App& command) {
  for (const StepOption& option : step_option_table()) {
    if (!option.info().in_runs) continue;
    add_flag(command, option.info(), option.value(chosen),
             [this, &option](const OptionValue& value) { option.set(chosen, value); });
  }
}

StepOptions StepArguments::options() const {
  check_options(chosen);
  return chosen;
}

}  // namespace stiction
