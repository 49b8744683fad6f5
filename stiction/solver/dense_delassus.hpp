#pragma once

/// \file
/// The Delassus matrix of a problem, multiplied out into memory that a solver keeps.

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

/// G, both triangles. Allocates only where it is larger than all before, in either storage.
void copy_delassus(const ContactProblem& problem, WorkMatrix& result);

}  // namespace stiction
