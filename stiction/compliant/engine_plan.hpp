#pragma once

/// \file
/// Which engine integrates a system: what `automatic` decides, from a bound of the norm and an
/// error target. [EXP] leaves this choice open.
///
/// With x = (K^½ Δp, K^½ Δṗ / ν) the 1-norm of h A is at most s + b s², where s² = h² ‖K^½ Υ K^½‖₁,
/// ν² = ‖K^½ Υ K^½‖₁ and b = max(B/K) / h. An order is accurate for norms up to pade_reach();
/// above, every squaring halves the norm. The plan takes the sufficient choice with the fewest
/// operations. It depends on the system alone, not on the clock.

#include "stiction/compliant/linear_contacts.hpp"

namespace stiction {

/// What integrates a system in the end.
struct EnginePlan {
  bool modal = true;
  int order = 0;      ///< of `pade`, else 0
  int squarings = 0;  ///< of `pade`, by the bound; balancing may need fewer
  double norm = 0.0;  ///< bound of ‖h A‖₁
  double cost = 0.0;  ///< estimate, about nanoseconds at 3 GHz
};

/// s + b s² as above.
[[nodiscard]] double state_norm_bound(const LinearContacts& system, double step);

/// The cheapest engine whose truncation error is at most `tolerance`, relative to the forces.
/// Rounding comes on top.
[[nodiscard]] EnginePlan cheapest_plan(const LinearContacts& system, double step, double tolerance);

}  // namespace stiction
