#pragma once

/// \file
/// Four contacts judged side by side, for a certificate of a robot's contacts costs more than
/// finding their impulses.

#include <span>

#include "stiction/contact/certificate.hpp"

namespace stiction {

/// Whether this build's lanes are four contacts wide.
inline constexpr bool judges_in_lanes = lane_width == 4;

/// Adds contacts [first, first + count) of a problem, 1 to 4 and neither other blocks nor skipped
/// ones among them, to a certificate under Coulomb's law, with the bits of one after the other.
/// False if some contact is no ordinary one (numbers out of range, an impulse far from its answer
/// where there may be others): then nothing is added. `factors` are those of all blocks.
[[nodiscard]] bool examine_in_lane(const ContactProblem& problem,
                                   std::span<const ContactFactor<double>> factors, int first,
                                   int count, std::span<const double> impulse,
                                   std::span<const double> velocity, Certificate& certificate);

}  // namespace stiction
