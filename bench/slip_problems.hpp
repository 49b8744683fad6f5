#pragma once

/// \file
/// Slip problems for the race of one-contact solvers, with both scalars.

#include <cstdint>
#include <vector>

#include "stiction/contact/one_contact.hpp"

namespace stiction::bench {

/// Problems that slip under all three laws, ready to be solved: what a sweep over contacts has.
template <Scalar S>
struct SlipSet {
  std::vector<ContactFactor<S>> factors;
  std::vector<Vector3<S>> velocities;  ///< c [m/s]
};

/// `count` sliding feet of moderately coupled bodies: a trunk and the leg that carries the foot,
/// each with random inertia and lever arm, µ from 0.3 to 1.2.
SlipSet<double> sliding_feet(int count, std::uint64_t seed);

/// The same, lane_width problems at a time.
SlipSet<Lane> in_lanes(const SlipSet<double>& set);

}  // namespace stiction::bench
