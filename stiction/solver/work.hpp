#pragma once

/// \file
/// The cost of the parts of a solve, in multiply-adds. Decisions between methods use these counts
/// instead of a clock, so that they are the same on every machine.

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Cost of one sweep over all blocks, one product with the Delassus matrix or one certificate.
[[nodiscard]] inline double sweep_work(const ContactProblem& problem) {
  constexpr double block_work = 300.0;  // the answer of one contact and its velocities
  const double rows = problem.row_count();
  const double product = problem.storage() == DelassusStorage::dense ? rows * rows : 0.0;
  return product + block_work * problem.block_count();
}

/// Cost of one symmetric factorization of a dense matrix, with its overhead.
[[nodiscard]] inline double factor_work(double rows) { return rows * rows * rows / 2.0; }

}  // namespace stiction
