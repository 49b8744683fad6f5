#pragma once

/// \file
/// What solvers claim, asked before there is a problem.

#include <string>
#include <string_view>

#include "stiction/solver/solver.hpp"

namespace stiction {

/// Why a solver takes no contact with friction under these options, such as because of their law;
/// empty if it does. The name must be one of solver_names().
[[nodiscard]] std::string refusal_of_contacts(std::string_view solver,
                                              const SolverOptions& options);

}  // namespace stiction
