#pragma once

/// \file
/// The velocities of all blocks while a sweep changes one impulse after the other, in either
/// storage.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Keeps w = G λ + v* − target in step with λ. Rounding gathers by one unit in the last place a
/// change, so start() anew every few hundred sweeps.
class VelocityTracker {
 public:
  /// Allocates when the problem is larger than all before.
  void start(const ContactProblem& problem, std::span<const double> impulse);

  /// w of one block, `rows` numbers.
  void read(int block, double* velocity) const;

  /// The block's impulse has changed by `change` (`rows` numbers).
  void apply(int block, const double* change);

  /// w of all rows.
  void read_all(std::span<double> velocity) const;

 private:
  const ContactProblem* problem_ = nullptr;
  std::vector<double> velocity_;       ///< dense: w, all rows
  std::vector<double> body_velocity_;  ///< bodies: M⁻¹Jᵀλ, 6 a body
};

}  // namespace stiction
