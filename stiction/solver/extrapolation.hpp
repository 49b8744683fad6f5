#pragma once

/// \file
/// Extrapolation of sweeps: if two consecutive steps have the same direction, the remaining steps
/// form a geometric series and can be taken at once.
///
/// With steps s and s' = ρ s the limit is ρ/(1 − ρ) s' away (Aitken). It is used only if the steps
/// agree well, and only as far as the cones allow. The next sweep corrects its errors, and the
/// certificate decides as always.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

class SweepExtrapolation {
 public:
  /// Before the first sweep.
  void start(const ContactProblem& problem, std::span<const double> impulses);

  /// After a sweep. Returns whether it moved the impulses; then velocities must be computed again.
  [[nodiscard]] bool advance(std::span<double> impulses);

 private:
  [[nodiscard]] double factor() const;
  void move_block(const Block& block, double length, double* impulse, const double* step) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<double> before_;  ///< impulses before the last sweep
  std::vector<double> step_;
  std::vector<double> last_step_;
  int steps_ = 0;  ///< sweeps since the start or since the last move
};

}  // namespace stiction
