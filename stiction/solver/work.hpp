#pragma once

/// \file
/// What the pieces of a solve cost, in multiply-adds. Decisions that weigh one method against
/// another use these counts instead of a clock: they are the same on every machine.

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// One sweep over all blocks, one product with the Delassus matrix or one certificate.
[[nodiscard]] inline double sweep_work(const ContactProblem& problem) {
  constexpr double block_work = 300.0;  // the answer of one contact and its velocities
  const double rows = problem.row_count();
  const double product = problem.storage() == DelassusStorage::dense ? rows * rows : 0.0;
  return product + block_work * problem.block_count();
}

/// One symmetric factorization of a dense matrix, and what surrounds it.
[[nodiscard]] inline double factor_work(double rows) { return rows * rows * rows / 2.0; }

}  // namespace stiction
