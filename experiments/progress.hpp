#pragma once

/// \file
/// How far a long experiment is: one line on a terminal with an estimate of what remains, nothing
/// in a pipe.

#include <chrono>
#include <string>

namespace stiction::experiments {

class Progress {
 public:
  explicit Progress(double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `what` begins.
  void show(const std::string& what);
  /// This part of the total is done, in any unit.
  void add(double amount);

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double total_;
  double done_ = 0.0;
  bool shown_;
};

}  // namespace stiction::experiments
