#pragma once

/// \file
/// The smallest normal velocity that a contact may have, from its gap and its restitution.

#include <algorithm>

namespace stiction {

/// Position-level rule: a contact may close by at most its gap in one step, v_n ≥ −gap/h.
inline double gap_target(double gap, double time_step) { return -gap / time_step; }

/// Newton's restitution in the closing step: if the free motion would close the gap and the
/// approach is faster than `threshold` [m/s], the contact separates with ε times its approach
/// velocity. `approach` is v_n before the forces of this step, negative while closing.
inline double contact_target(double gap, double time_step, double free_normal_velocity,
                             double approach, double restitution, double threshold) {
  const double by_gap = gap_target(gap, time_step);
  const bool closes = gap + time_step * free_normal_velocity < 0.0;
  if (!closes || approach >= -threshold) return by_gap;
  return std::max(by_gap, -restitution * approach);
}

}  // namespace stiction
