#pragma once

/// \file
/// Steps that were not certified, kept as files to look into.

#include <filesystem>
#include <string>

#include "stiction/sim/simulation.hpp"

namespace stiction {

/// A folder with, for each such step, the state before it and each of its contact problems that
/// were not certified (FCLIB, where they have contacts alone). Only the first steps are kept.
class UncertifiedFolder {
 public:
  static constexpr int most_steps = 100;

  /// Keeps nothing if `folder` is empty. Throws InputError if there is something in it already, or
  /// it cannot be made.
  explicit UncertifiedFolder(std::filesystem::path folder);

  /// Before each step.
  void before(Simulation& simulation);
  /// After the step. Throws InputError if a file cannot be written.
  void after(Simulation& simulation);

  /// One line on what was kept; empty if nothing was asked for.
  [[nodiscard]] std::string summary() const;

 private:
  void write(Simulation& simulation);

  std::filesystem::path folder_;
  State state_;  ///< before the step
  long long step_ = 0;
  int seen_ = 0;
  int steps_ = 0;
  int problems_ = 0;
  int without_file_ = 0;  ///< problems that FCLIB cannot store
};

}  // namespace stiction
