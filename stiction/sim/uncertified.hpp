#pragma once

/// \file
/// The contact problems of a step that were not certified, to study them elsewhere.

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

/// A problem as the solver got it last.
struct UncertifiedProblem {
  int island = -1;
  double residual = 0.0;
  std::string message;  ///< of the solver
  ContactProblem problem;
};

/// Where the threads of a step put theirs. Nothing is kept, and nothing costs time, unless somebody
/// asks for it.
class UncertifiedProblems {
 public:
  void keep(bool keeps) { keeps_ = keeps; }
  [[nodiscard]] bool keeps() const { return keeps_; }
  /// Forgets those of the solve before.
  void clear() { problems_.clear(); }
  /// From any thread.
  void add(UncertifiedProblem problem);
  /// By island. Not while a step is done.
  [[nodiscard]] std::span<const UncertifiedProblem> all();

 private:
  bool keeps_ = false;
  std::mutex mutex_;
  std::vector<UncertifiedProblem> problems_;
};

/// From now on steps keep a copy of each problem that they do not certify, or no more. Such steps
/// allocate memory.
void keep_uncertified(Workspace& workspace, bool keeps);
/// Those of the last step with hard contact, by island; valid until the next one.
[[nodiscard]] std::span<const UncertifiedProblem> uncertified_problems(Workspace& workspace);

}  // namespace stiction
