#pragma once

/// \file
/// The certificate of four contacts at a time in SIMD lanes. For a robot's few contacts the
/// certificate otherwise costs more than the solve.

#include <span>

#include "stiction/contact/certificate.hpp"

namespace stiction {

/// Whether the SIMD lanes of this build hold four contacts.
inline constexpr bool judges_in_lanes = lane_width == 4;

/// Writes the factors of blocks [first, first + count), 1 to 4 contacts: the same bits as
/// factorize_contact() one by one.
void factorize_in_lane(const ContactProblem& problem, int first, int count,
                       std::span<ContactFactor<double>> factors);

/// Adds blocks [first, first + count), 1 to 4 contacts that the judge does not skip, to a
/// certificate under Coulomb's law. The result has the same bits as examining them one by one.
/// Returns false and adds nothing if some contact must be examined alone: numbers out of range, or
/// an impulse far from its answer where there may be several answers. `factors` are those of all
/// blocks.
[[nodiscard]] bool examine_in_lane(const ContactProblem& problem,
                                   std::span<const ContactFactor<double>> factors, int first,
                                   int count, std::span<const double> impulse,
                                   std::span<const double> velocity, Certificate& certificate);

}  // namespace stiction
