#pragma once

/// \file
/// Where sweeps lead: once two steps in a row point the same way, the rest of the way is a
/// geometric series, and can be taken at once.
///
/// With steps s and s' = ρ s the limit is ρ/(1 − ρ) s' further on (Aitken). It is taken only if the
/// steps agree well, and only as far as the cones allow; the next sweep mends what is wrong with
/// it, and the certificate decides in any case.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

class SweepExtrapolation {
 public:
  /// Before the first sweep.
  void start(const ContactProblem& problem, std::span<const double> impulses);

  /// After a sweep: whether the impulses were moved on. Then the velocities must be computed anew.
  [[nodiscard]] bool advance(std::span<double> impulses);

 private:
  [[nodiscard]] double factor() const;
  void move_block(const Block& block, double length, double* impulse, const double* step) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<double> before_;  ///< impulses before the last sweep
  std::vector<double> step_;
  std::vector<double> last_step_;
  int steps_ = 0;  ///< sweeps since the start, or since impulses were moved on
};

}  // namespace stiction
