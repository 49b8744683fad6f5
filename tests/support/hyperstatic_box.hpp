#pragma once

/// \file
/// A box on its four corners: more contact impulses than it has freedoms.

#include "stiction/contact/contact_problem.hpp"

namespace stiction::test {

/// One cube (1 kg, edge 1 m) on a plane with µ = 0.5 after a step of 1 ms, pushed sideways to
/// `push` [m/s]: 12 rows of rank 6. Up to µ g h = 0.0049 m/s it sticks.
ContactProblem hyperstatic_box(double push);

}  // namespace stiction::test
