#include "apps/stiction/uncertified_folder.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stiction/core/problem.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/record/state_file.hpp"
#include "stiction/sim/uncertified.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& what,
                         const std::string& remedy) {
  ProblemList problems;
  problems.error({}, fmt::format("--keep-uncertified: {} {}", folder.string(), what), remedy);
  throw InputError(std::move(problems));
}

/// FCLIB knows contacts alone.
bool has_contacts_alone(const ContactProblem& problem) {
  return problem.block_count() > 0 && std::ranges::all_of(problem.blocks(), [](const Block& block) {
           return block.kind == BlockKind::contact;
         });
}

}  // namespace

UncertifiedFolder::UncertifiedFolder(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) refuse(folder_, "is no folder", "choose another name");
  if (!fs::is_empty(folder_, error) || error) {
    refuse(folder_, "is not empty", "choose a new folder, or empty this one");
  }
}

void UncertifiedFolder::before(Simulation& simulation) {
  if (folder_.empty()) return;
  ++step_;
  keep_uncertified(simulation.workspace(), steps_ < most_steps);
  state_ = simulation.state();
}

void UncertifiedFolder::after(Simulation& simulation) {
  if (folder_.empty() || simulation.report().status != StepStatus::not_certified) return;
  ++seen_;
  if (steps_ < most_steps) write(simulation);
}

void UncertifiedFolder::write(Simulation& simulation) {
  ++steps_;
  const std::string name = fmt::format("step_{:07}", step_);
  save_state(folder_ / (name + ".state"), simulation.model(), state_);
  for (const UncertifiedProblem& kept : uncertified_problems(simulation.workspace())) {
    if (!has_contacts_alone(kept.problem)) {
      ++without_file_;
      continue;
    }
    save_fclib(folder_ / fmt::format("{}_island_{}.hdf5", name, kept.island), kept.problem,
               {.title = fmt::format("{}, step {} from t = {:.9g} s, island {}",
                                     simulation.model().name(), step_, state_.time, kept.island),
                .description =
                    fmt::format("not certified, residual {:.1e}: {}", kept.residual, kept.message),
                .math_info = {}});
    ++problems_;
  }
}

std::string UncertifiedFolder::summary() const {
  if (folder_.empty()) return {};
  if (seen_ == 0)
    return fmt::format("{}: every step was certified, nothing to keep", folder_.string());
  std::string text =
      fmt::format("{}: {} of {} uncertified steps, {} contact problem{}", folder_.string(), steps_,
                  seen_, problems_, problems_ == 1 ? "" : "s");
  if (without_file_ > 0) {
    text +=
        fmt::format("; {} with limits, locks or joint friction have no FCLIB file", without_file_);
  }
  return text;
}

}  // namespace stiction
