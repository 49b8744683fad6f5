#include "stiction/compliant/oscillator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/core/trigonometry.hpp"

namespace stiction {

namespace {

/// Below both, the power series converges within `terms` terms.
constexpr double series_kappa = 0.25;
constexpr double series_damping = 1.0;
constexpr int terms = 16;

/// 1 / n!
constexpr std::array<double, terms + 4> inverse_factorials = [] {
  std::array<double, terms + 4> list{};
  double factorial = 1.0;  // exact up to 18!, and correct to rounding beyond
  for (int n = 0; n < terms + 4; ++n) {
    if (n > 0) factorial *= n;
    list[static_cast<std::size_t>(n)] = 1.0 / factorial;
  }
  return list;
}();

/// From ∫∫∫s and ∫∫s downward, because 1 − s' and the like would lose all digits.
OscillatorWeights series(double kappa, double b) {
  const double damping = b * kappa;
  double before = 0.0;      // derivative n − 1 of s at 0
  double derivative = 1.0;  // derivative n
  double twice = 0.0;       // ∫∫ s
  double thrice = 0.0;      // ∫∫∫ s
  for (std::size_t n = 1; n <= terms; ++n) {
    twice += derivative * inverse_factorials[n + 2];
    thrice += derivative * inverse_factorials[n + 3];
    const double next = -damping * derivative - kappa * before;
    before = derivative;
    derivative = next;
  }
  const double mean = 0.5 - damping * twice - kappa * thrice;
  const double value = 1.0 - damping * mean - kappa * twice;
  return {.rate = 1.0 - damping * value - kappa * mean,
          .value = value,
          .mean = mean,
          .force = mean + b * value,
          .force_mean = twice + b * mean,
          .force_mean_twice = thrice + b * twice};
}

/// From s' and s upward, by the oscillator's equation integrated once, twice and three times.
OscillatorWeights upward(double inverse_kappa, double rate, double value, double mean) {
  return {.rate = rate,
          .value = value,
          .mean = mean,
          .force = (1.0 - rate) * inverse_kappa,
          .force_mean = (1.0 - value) * inverse_kappa,
          .force_mean_twice = (0.5 - mean) * inverse_kappa};
}

OscillatorWeights underdamped(double kappa, double half_damping) {
  const double root = std::sqrt(kappa);
  const double omega = std::sqrt((root - half_damping) * (root + half_damping));
  const double decay = std::exp(-half_damping);
  const SineCosine<double> turn = sine_cosine(omega);
  const double value = omega > 0.0 ? decay * turn.sine / omega : decay;
  const double rate = decay * turn.cosine - half_damping * value;
  const double inverse_kappa = 1.0 / kappa;
  return upward(inverse_kappa, rate, value,
                (1.0 - rate - 2.0 * half_damping * value) * inverse_kappa);
}

OscillatorWeights overdamped(double kappa, double half_damping) {
  // Roots −half_damping ± split; the slow one without cancellation. Their product is κ.
  const double ratio = kappa / (half_damping * half_damping);
  const double split = half_damping * std::sqrt(std::max(0.0, 1.0 - ratio));
  const double fast = -(half_damping + split);
  const double slow = kappa / fast;
  const double inverse_kappa = 1.0 / kappa;
  if (split > 0.25) {
    // Far apart. κ may be small, and then the form below would cancel.
    const double slow_change = std::expm1(slow);
    const double fast_change = std::expm1(fast);
    const double inverse = 0.5 / split;
    const double value = (slow_change - fast_change) * inverse;
    const double rate = 1.0 + fast_change + slow * value;
    const double mean = (slow_change / slow - fast_change / fast) * inverse;
    return upward(inverse_kappa, rate, value, mean);
  }
  const double shrink = split > 0.0 ? -std::expm1(-2.0 * split) / (2.0 * split) : 1.0;
  const double value = std::exp(slow) * shrink;
  const double rate = std::exp(fast) + slow * value;
  return upward(inverse_kappa, rate, value,
                (1.0 - rate - 2.0 * half_damping * value) * inverse_kappa);
}

}  // namespace

OscillatorWeights oscillator_weights(double kappa, double b) {
  const double damping = b * kappa;
  if (kappa <= series_kappa && damping <= series_damping) return series(kappa, b);
  const double half_damping = 0.5 * damping;
  if (half_damping * half_damping < kappa) return underdamped(kappa, half_damping);
  return overdamped(kappa, half_damping);
}

}  // namespace stiction
