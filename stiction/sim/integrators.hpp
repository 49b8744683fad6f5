#pragma once

/// \file
/// What the stages of a step ask about integrators, in one table.

#include "stiction/sim/options.hpp"

namespace stiction {

struct IntegratorTraits {
  Integrator integrator = Integrator::trapezoid;
  std::string_view name;
  /// Trees without impulses obey v⁺ = v + h v̇ of the start of the step, as those with impulses do.
  bool uses_start_acceleration = false;
  /// Their path within the step is not the straight one from q to q ⊕ h v⁺, so a tree that is found
  /// free may still end inside an obstacle: it then moves as one in contact. Set it unless
  /// position_rate is next_velocity.
  bool path_bends = false;
  /// Islands in which every closing contact bounces are solved impact by impact (decision 0010).
  /// For integrators of second order or more, whose energy a bounce at the end of a step would
  /// spoil.
  bool impacts_in_time = false;
  /// Robots in contact keep their momentum: contacts are solved again with a shifted free motion.
  bool keeps_momentum = false;
};

[[nodiscard]] const IntegratorTraits& traits_of(Integrator integrator);

}  // namespace stiction
