#pragma once

/// \file
/// Contact problems of a task as FCLIB files.

#include <filesystem>
#include <string>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction::experiments {

/// Keeps some problems of a run: evenly spread ones, and the one of the most iterations.
class ProblemFiles {
 public:
  /// Nothing is kept if `folder` is empty.
  ProblemFiles(std::string_view task, std::filesystem::path folder);

  /// The problem that a step has solved. Only problems with nothing but contacts, since FCLIB knows
  /// no others, and with at least one that presses.
  void offer(const ContactProblem& problem, const StepReport& report, int step);
  /// Writes TASK_STEP.hdf5 for each. Throws InputError if that fails.
  void save() const;

 private:
  struct Kept {
    ContactProblem problem;
    int step = 0;
    int iterations = 0;
  };
  void write(const Kept& kept, const char* what) const;

  std::string task_;
  std::filesystem::path folder_;
  std::vector<Kept> spread_;
  int stride_ = 64;  ///< of the problems that are kept; doubled when there are too many
  int seen_ = 0;
  Kept hardest_;
};

}  // namespace stiction::experiments
