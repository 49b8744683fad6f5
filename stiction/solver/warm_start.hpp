#pragma once

/// \file
/// Whether impulses are useful as a starting point.

#include <span>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Sets all impulses to zero if one of them is absurd: so large that the rounding error of its own
/// block's velocity exceeds every velocity of the problem. Such a start contains no information,
/// and iterations from it may overflow. The judge must be open on the problem.
void forget_absurd_start(const ContactProblem& problem, const Judge& judge,
                         std::span<double> impulses);

}  // namespace stiction
