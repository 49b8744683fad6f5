#include "experiments/per_contact/problem_files.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stiction/io/fclib.hpp"

namespace stiction::experiments {

namespace {

constexpr std::size_t most_spread = 64;

}  // namespace

ProblemFiles::ProblemFiles(std::string_view task, std::filesystem::path folder)
    : task_(task), folder_(std::move(folder)) {}

void ProblemFiles::offer(const ContactProblem& problem, const StepReport& report, int step) {
  if (folder_.empty() || !report.constraints.empty()) return;
  const bool presses = std::ranges::any_of(
      report.contacts, [](const StepContact& contact) { return contact.impulse.z > 0.0; });
  if (!presses) return;
  if (report.iterations > hardest_.iterations) hardest_ = {problem, step, report.iterations};
  if (seen_++ % stride_ != 0) return;
  spread_.push_back({problem, step, report.iterations});
  if (spread_.size() < most_spread) return;
  for (std::size_t i = 1; i < spread_.size() / 2; ++i) spread_[i] = std::move(spread_[2 * i]);
  spread_.resize(spread_.size() / 2);
  stride_ *= 2;
}

void ProblemFiles::write(const Kept& kept, const char* what) const {
  save_fclib(
      folder_ / fmt::format("{}_{}.hdf5", task_, kept.step), kept.problem,
      {.title = fmt::format("ANYmal, task {}, step {}", task_, kept.step),
       .description = fmt::format("{}; hybrid took {} iterations, warm", what, kept.iterations),
       .math_info = {}});
}

void ProblemFiles::save() const {
  if (folder_.empty()) return;
  for (const Kept& kept : spread_) write(kept, "one of the run");
  if (hardest_.iterations > 0) write(hardest_, "the most iterations of the run");
}

}  // namespace stiction::experiments
