#pragma once

/// \file
/// Whether there is time left for one more long piece of work, such as a factorization.

namespace stiction {

/// Judges by the piece before, and the first one by its floating-point operations.
class TimeBudget {
 public:
  /// `limit`: wall time at which the work should end [s].
  void start(double limit, double operations) {
    limit_ = limit;
    piece_ = operations / operations_per_second;
  }

  /// Takes note of how long a piece took [s].
  void note(double seconds) { piece_ = seconds; }

  /// Whether a piece that begins now [s] would end in time.
  [[nodiscard]] bool allows(double now) const { return now + piece_ <= limit_; }

 private:
  /// Of the dense factorizations here on a slow core: a guess that is too low refuses work that
  /// would have been in time only where the limit is a fraction of a second.
  static constexpr double operations_per_second = 4e9;

  double limit_ = 0.0;  ///< [s]
  double piece_ = 0.0;  ///< how long a piece is expected to take [s]
};

}  // namespace stiction
