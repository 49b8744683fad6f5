#pragma once

/// \file
/// Which runs `stiction compare` makes.

#include <vector>

#include "apps/stiction/compare.hpp"

namespace stiction {

/// All combinations of the values, the last list changing fastest. Throws CLI::ValidationError if
/// there are too many.
[[nodiscard]] std::vector<Contender> contenders_of(const CompareArguments& arguments);

/// Throws CLI::ValidationError if there are not at least two, or none that can be run.
void check_contenders(const std::vector<Contender>& contenders);

}  // namespace stiction
