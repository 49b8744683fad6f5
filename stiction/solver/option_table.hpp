#pragma once

/// \file
/// The table of SolverOptions.

#include <span>
#include <string_view>

#include "stiction/solver/option_row.hpp"
#include "stiction/solver/options.hpp"

namespace stiction {

using SolverOption = OptionRow<SolverOptions>;

/// Every option once: those of all solvers first, then those of each.
[[nodiscard]] std::span<const SolverOption> solver_option_table();

/// Whether a solver looks at an option.
[[nodiscard]] bool uses_option(std::string_view solver, const SolverOption& option);

/// The first option that this solver looks at and that is out of its range; null if none is.
[[nodiscard]] const SolverOption* option_out_of_range(const SolverOptions& options,
                                                      std::string_view solver);

}  // namespace stiction
