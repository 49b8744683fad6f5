#pragma once

/// \file
/// Whether impulses are worth beginning with.

#include <span>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Sets all impulses to zero if one of them is absurd: so large that the rounding of the velocity
/// which it gives to its own block exceeds every velocity of the problem. Nothing can be learned
/// from such a start, and numbers may overflow on the way from it. The judge is open on the
/// problem.
void forget_absurd_start(const ContactProblem& problem, const Judge& judge,
                         std::span<double> impulses);

}  // namespace stiction
