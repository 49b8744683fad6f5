#pragma once

/// \file
/// What the stages of a step ask about integrators, in one table.

#include "stiction/sim/options.hpp"

namespace stiction {

struct IntegratorTraits {
  Integrator integrator = Integrator::trapezoid;
  /// Trees without impulses obey v⁺ = v + h v̇ of the start of the step, as those with impulses do.
  bool uses_start_acceleration = false;
  /// Their path within the step is not the straight one from q to q ⊕ h v⁺.
  bool path_bends = false;
  /// Islands in which every closing contact bounces are solved impact by impact.
  bool impacts_in_time = false;
  /// Robots in contact keep their momentum: contacts are solved again with a shifted free motion.
  bool keeps_momentum = false;
};

[[nodiscard]] const IntegratorTraits& traits_of(Integrator integrator);

}  // namespace stiction
