#pragma once

/// \file
/// How far long work is.

#include <chrono>
#include <string>

namespace stiction {

/// One line on a terminal that says how far it is and how long it takes, gone at the end. Silent in
/// a pipe.
class Progress {
 public:
  Progress(bool wanted, long long total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether at() would draw now: asks the clock, so not in every step.
  [[nodiscard]] bool is_due();
  /// `text` stands behind the share that is done.
  void draw(long long done, const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double elapsed() const;

  long long total_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_;
  double last_ = 0.0;
};

}  // namespace stiction
