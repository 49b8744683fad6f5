#pragma once

/// \file
/// The hard set: 200 contact problems of rigid bodies on which sweeping from contact to contact is
/// slow or fails. The index alone decides everything.

#include <string_view>

#include "stiction/contact/contact_problem.hpp"

namespace stiction::test {

inline constexpr int hard_problem_count = 200;
inline constexpr int hard_problems_per_family = 40;

/// The family of a problem: its index divided by 40.
std::string_view hard_problem_family(int index);

/// Problem `index` of the hard set, 0 to 199.
ContactProblem hard_problem(int index);

}  // namespace stiction::test
