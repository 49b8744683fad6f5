#pragma once

/// \file
/// One damped oscillator over a step, in closed form.

namespace stiction {

/// Let s(τ) solve s'' + b κ s' + κ s = 0 with s(0) = 0, s'(0) = 1, for τ in [0, 1]. All numbers are
/// at τ = 1, and ∫ is over [0, 1].
struct OscillatorWeights {
  double rate;              ///< s'
  double value;             ///< s
  double mean;              ///< ∫ s
  double force;             ///< ∫ s + b s = (1 − s') / κ
  double force_mean;        ///< ∫∫ s + b ∫ s = (1 − s) / κ
  double force_mean_twice;  ///< ∫∫∫ s + b ∫∫ s = (½ − ∫ s) / κ
};

/// κ = (h ω)² ≥ 0, and b = β/h ≥ 0 with the relaxation time β = B/K. Accurate to a few units of
/// rounding of the largest term for every κ and b: no cancellation for small κ, no overflow for
/// large ones.
OscillatorWeights oscillator_weights(double kappa, double b);

}  // namespace stiction
