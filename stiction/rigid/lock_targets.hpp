#pragma once

/// \file
/// Targets that locks can meet together.
///
/// The target of a lock takes back a part of its error. Where locks are redundant, their errors may
/// contradict each other: a loop with one anchor 0.1 mm out of its plane can never close. Then the
/// nearest targets are asked for that some motion has, and the contradiction stays as it is. Rows
/// that repeat others up to a small angle are left out: files give lengths in a few digits, and a
/// parallelogram with two rods that differ by a thousandth would jam. It opens by what the file
/// contradicts itself. Limits
/// and contacts that the locks hold completely, such as those between two welded bodies, are asked
/// for no more than the locks allow.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/rigid/lock_repeats.hpp"
#include "stiction/solver/lock_factor.hpp"

namespace stiction {

/// Keeps its memory.
class LockTargets {
 public:
  /// Changes the targets of an island where it must, and prepares the problem again then.
  /// LockFactor::suits() must be true.
  void reconcile(const LockScene& locks, ContactProblem& problem);
  /// Whether the locks of the problem reconciled last hold this contact or limit completely.
  [[nodiscard]] bool holds(int block) const { return is_held_[index(block)] != 0; }
  /// Rows of the problem reconciled last that were left out: no impulse may act there.
  [[nodiscard]] std::span<const int> released() const { return released_; }

 private:
  [[nodiscard]] bool project(ContactProblem& problem);
  [[nodiscard]] static bool has_immovable_rows(const ContactProblem& problem);
  [[nodiscard]] bool has_repeated_rows(const ContactProblem& problem);
  [[nodiscard]] bool release(const LockScene& locks, ContactProblem& problem);
  [[nodiscard]] bool yield_to_locks(ContactProblem& problem);

  LockFactor factor_;
  WorkMatrix normal_;  ///< LᵀL + ε
  WorkVector weights_;
  WorkVector wanted_;  ///< targets of all locks, scaled, in the order of the factor
  std::vector<double> start_;
  std::vector<double> held_;
  std::vector<char> is_held_;  ///< by block
  LockRepeats repeats_;
  std::span<const int> released_;  ///< of repeats_
};

}  // namespace stiction
