#pragma once

/// \file
/// Where a solve begins when contacts are new: impulses that share the load evenly.
///
/// Rigid bodies that touch in more points than they have freedoms leave open which point carries
/// how much, and with it how much friction can hold. Sweeps from zero give all to the points that
/// come first. Steps down the gradient, all points at once, stay in the span of G (but for the
/// cones) and lead to the answer of least size, as bodies of even stiffness would; the sweeps that
/// follow change it little.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Keeps its memory.
class LoadSpreading {
 public:
  /// Moves impulses (all rows) towards the even answer. Dense problems only; others are left alone.
  void spread(const ContactProblem& problem, int steps, std::span<double> impulses);

 private:
  void measure(const ContactProblem& problem);
  void descend(const ContactProblem& problem, std::span<double> impulses);

  /// Per row: inverse bound of how all impulses move its block together; 0 if none does [kg].
  std::vector<double> inertia_;
  std::vector<double> velocity_;
  std::vector<double> ahead_;  ///< impulses with momentum
  std::vector<double> last_;
};

}  // namespace stiction
