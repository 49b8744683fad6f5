#pragma once

/// \file
/// Random numbers whose whole state is four integers, so that a State can hold it and a run can be
/// repeated on any machine (the standard library's distributions differ between vendors).

#include <array>
#include <cmath>
#include <cstdint>

namespace stiction {

/// xoshiro256++ generator, seeded through splitmix64. Implements [BlackmanVigna2021, section 4].
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  /// 64 random bits.
  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t carry = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= carry;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform integer in [0, count); count must be positive.
  int index(int count) { return static_cast<int>(uniform() * count); }

  /// Normal with mean 0 and deviation 1 (polar method; the second value is thrown away so that the
  /// state stays four integers).
  double normal() {
    double u = 0.0;
    double s = 0.0;
    do {
      u = uniform(-1.0, 1.0);
      const double v = uniform(-1.0, 1.0);
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return u * std::sqrt(-2.0 * std::log(s) / s);
  }

  [[nodiscard]] const std::array<std::uint64_t, 4>& state() const { return state_; }
  void set_state(const std::array<std::uint64_t, 4>& state) { state_ = state; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace stiction
