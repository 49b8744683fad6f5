#pragma once

#include <chrono>

namespace stiction {

/// Times of the stages of a step; does nothing if it is not wanted.
class Stopwatch {
 public:
  explicit Stopwatch(bool wanted) : wanted_(wanted) {
    if (wanted_) last_ = Clock::now();
  }
  /// Adds the time since the last lap [s].
  void lap(double& sum) {
    if (!wanted_) return;
    const Clock::time_point now = Clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Leaves out the time since the last lap.
  void skip() {
    if (wanted_) last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_ = false;
  Clock::time_point last_;
};

}  // namespace stiction
