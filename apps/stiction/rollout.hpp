#pragma once

/// \file
/// What `stiction rollout` is asked, does and prints.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/stiction/output.hpp"
#include "apps/stiction/scene_run.hpp"
#include "stiction/batch/batch.hpp"
#include "stiction/record/episodes.hpp"

namespace stiction {

/// A factor that is drawn for each environment.
struct FactorRange {
  double least = 1.0;
  double most = 1.0;
};

/// What is drawn anew for each environment.
struct Randomisation {
  RandomSpread spread;
  FactorRange mass, friction, damping, gains;
  std::string text;  ///< as the user gave it
};

/// The part of the files that one process makes: those whose index leaves `index` when divided by
/// `count`.
struct ShardChoice {
  int index = 0;
  int count = 1;
};

struct RolloutArguments {
  SceneArgument scene;
  StepArguments step;
  ControlArguments control;
  int count = 16;         ///< environments
  double duration = 5.0;  ///< of each [s]
  int every = 0;          ///< steps per row; 0: one row per 0.01 s
  std::string randomise;
  std::string shard;  ///< i/n; empty: by the environment variables of mpirun or srun
  std::string out;    ///< folder; empty: nothing is written
  bool resume = false;
  bool quiet = false;
  bool json = false;
};

/// `mass=0.8..1.2,friction=0.5..1,joint_position=0.1`. The first is what is wrong; empty if nothing
/// is.
std::string check_randomisation(const std::string& text);
[[nodiscard]] Randomisation parse_randomisation(const std::string& text);

std::string check_shard(const std::string& text);
/// Of the option, else of the process's rank among those that mpirun or srun started.
[[nodiscard]] ShardChoice shard_of(const std::string& text);

/// Environments per file. A constant, so that files do not depend on who makes them.
inline constexpr int environments_per_file = 64;

/// What all processes of a rollout must agree on, as text.
struct RolloutPlan {
  Model model;
  StepOptions options;  ///< `threads` are those of the batch
  Controls controls;
  State start;
  Randomisation randomisation;
  std::string title;
  std::string scene;
  int count = 0;
  int rows = 0;  ///< of each environment
  int steps_per_row = 1;
  std::uint64_t seed = 1;

  [[nodiscard]] int files() const {
    return (count + environments_per_file - 1) / environments_per_file;
  }
  std::string text;  ///< of all that shapes the data; plan_text()
};

/// `inputs` are the control arguments, one line.
[[nodiscard]] std::string plan_text(const RolloutPlan& plan, const std::string& inputs);

/// What was measured.
struct RolloutSummary {
  EpisodeTotals totals;  ///< of this process
  EpisodeTotals whole;   ///< of all files that are there
  int files_made = 0;
  int files_skipped = 0;  ///< they were there
  int files_missing = 0;  ///< other processes make them
  double seconds = 0.0;
  int signal = 0;
  std::vector<std::string> faults;  ///< of environments that could not go on, the first few
  std::filesystem::path folder;
};

/// Runs the environments of this process. Throws InputError or std::runtime_error if files cannot
/// be written.
RolloutSummary run_rollout(const RolloutPlan& plan, const std::filesystem::path& folder,
                           const ShardChoice& shard, bool resume, bool progress);

}  // namespace stiction
