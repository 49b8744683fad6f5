#include "stiction/sim/uncertified.hpp"

#include <algorithm>

#include "stiction/sim/workspace_parts.hpp"

namespace stiction {

void UncertifiedProblems::add(UncertifiedProblem problem) {
  const std::lock_guard lock(mutex_);
  problems_.push_back(std::move(problem));
}

std::span<const UncertifiedProblem> UncertifiedProblems::all() {
  // Threads may finish in any order.
  std::ranges::sort(problems_, {}, &UncertifiedProblem::island);
  return problems_;
}

void keep_uncertified(Workspace& workspace, bool keeps) {
  workspace.parts().uncertified.keep(keeps);
}

std::span<const UncertifiedProblem> uncertified_problems(Workspace& workspace) {
  return workspace.parts().uncertified.all();
}

}  // namespace stiction
