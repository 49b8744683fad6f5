#pragma once

/// \file
/// Options of the tables on the command line, and in the texts of the program.

#include <functional>
#include <string>
#include <vector>

#include "stiction/sim/option_table.hpp"

namespace CLI {
class App;
}

namespace stiction {

/// Adds the flag of an option to a command. `take` gets the value once it is known to be possible;
/// `usual` is told in the help.
void add_flag(CLI::App& command, const OptionInfo& option, const OptionValue& usual,
              std::function<void(const OptionValue&)> take);

/// The same for several values with commas between them, each once.
void add_list_flag(CLI::App& command, const OptionInfo& option, const OptionValue& usual,
                   std::function<void(std::vector<OptionValue>)> take);

/// Throws CLI::ValidationError if something is wrong with the options, or the solver cannot do the
/// law.
void check_options(const StepOptions& options);

/// `push_out_sweeps 10`: options that are not as usual, beside those that each summary has:
/// time_step, solver, law, gap_rule, integrator and tolerance.
[[nodiscard]] std::vector<std::string> unusual_options(const StepOptions& options);

}  // namespace stiction
