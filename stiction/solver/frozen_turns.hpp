#pragma once

/// \file
/// A contact problem with torsional and rolling friction as one without: their bounds are frozen at
/// what the present normal impulses allow.
///
/// A spin becomes joint friction. A roll becomes a contact of its own with µ = 1, whose normal row
/// touches nothing else and is pressed so that its normal impulse is the bound: Coulomb's law then
/// says of its two tangential rows what the law of the roll says. So every method for contacts
/// solves the frozen problem exactly, and the bounds follow in a loop outside.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

/// Keeps its memory.
class FrozenTurns {
 public:
  /// Freezes the bounds of a prepared problem at these impulses (all rows). `impulse_scale` is the
  /// typical size of an impulse [N·s].
  void freeze(const ContactProblem& problem, std::span<const double> impulses,
              double impulse_scale);

  /// Without turns; dense.
  [[nodiscard]] const ContactProblem& problem() const { return frozen_; }
  /// The impulses, in the rows of problem().
  [[nodiscard]] std::span<double> impulses() { return impulses_; }
  /// Writes impulses() back to the rows of the problem that was frozen, turns shortened to the new
  /// bounds.
  void thaw(const ContactProblem& problem, std::span<double> impulses) const;

 private:
  ContactProblem frozen_;
  std::vector<double> impulses_;
  std::vector<int> rows_;  ///< of each row of the problem: its row in `frozen_`
  WorkMatrix delassus_;
};

}  // namespace stiction
