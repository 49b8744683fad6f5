#pragma once

/// \file
/// What solvers support, before there is a problem.

#include <string>
#include <string_view>

#include "stiction/solver/solver.hpp"

namespace stiction {

/// Why a solver does not support contacts with friction under these options, for example because of
/// the law; empty if it does. The name must be one of solver_names().
[[nodiscard]] std::string refusal_of_contacts(std::string_view solver,
                                              const SolverOptions& options);

}  // namespace stiction
