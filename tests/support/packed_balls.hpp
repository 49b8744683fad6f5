#pragma once

/// \file
/// Contact problems of balls that press into a corner, as heaps at rest have them.

#include <cstdint>

#include "stiction/contact/contact_problem.hpp"

namespace stiction::test {

/// Bodies storage: edge³ balls (1 kg, r 0.1 m) in a cubic lattice, each touching its neighbours, a
/// floor and two walls, after a step of 2 ms of fall into that corner with random velocities of
/// `speed` [m/s]. Gaps are off by up to `error` [m/s] at random, so that they contradict each other
/// by that much where balls roll: there are more contacts than degrees of freedom.
ContactProblem packed_balls(std::uint64_t seed, int edge, double speed, double error);

}  // namespace stiction::test
