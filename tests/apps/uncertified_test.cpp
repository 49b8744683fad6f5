#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// A run whose solver stops far too early: two robots on boxes, by two sweeps.
std::vector<std::string> hurried(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{
      "simulate", "quadruped_stand", "--solver", "pgs", "--max-iterations", "2", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const std::string& ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ending) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(KeepUncertified, StatesAndProblemsShowTheSameAgain) {
  const TemporaryFolder folder;
  const auto kept = folder.path() / "kept";
  const ProgramResult run =
      run_stiction(hurried({"--duration", "0.02", "--keep-uncertified", kept.string()}));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const json summary = json::parse(run.output);
  const auto bad = summary["not_certified"].get<std::size_t>();
  ASSERT_GT(bad, 0U) << "two sweeps do not suffice";
  const auto states = files_in(kept, ".state");
  const auto problems = files_in(kept, ".hdf5");
  EXPECT_EQ(states.size(), bad);
  EXPECT_EQ(problems.size(), bad) << "one island, with contacts alone";
  EXPECT_NE(summary["kept"].get<std::string>().find("uncertified steps"), std::string::npos);

  // The step from the state is not certified again, and is by a better solver.
  const ProgramResult again =
      run_stiction(hurried({"--duration", "0.001", "--start", states.back().string()}));
  EXPECT_EQ(json::parse(again.output)["not_certified"], 1) << again.errors;
  const ProgramResult solved =
      run_stiction({"solve", problems.back().string(), "--solver", "hybrid", "--json"});
  EXPECT_EQ(solved.exit_code, 0) << solved.errors << solved.output;
}

TEST(KeepUncertified, AGoodRunKeepsNothing) {
  const TemporaryFolder folder;
  const auto kept = folder.path() / "kept";
  const ProgramResult run = run_stiction(
      {"simulate", "quadruped_stand", "--duration", "0.02", "--keep-uncertified", kept.string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.output.find("every step was certified, nothing to keep"), std::string::npos)
      << run.output;
  EXPECT_TRUE(std::filesystem::is_empty(kept));
}

TEST(KeepUncertified, KeepingDoesNotChangeTheRun) {
  const TemporaryFolder folder;
  const auto hash = [](const ProgramResult& run) { return json::parse(run.output)["state_hash"]; };
  const json bare = hash(run_stiction(hurried({"--duration", "0.05"})));
  const json keeping = hash(run_stiction(
      hurried({"--duration", "0.05", "--keep-uncertified", (folder.path() / "kept").string()})));
  EXPECT_EQ(bare, keeping);
}

TEST(KeepUncertified, AFolderWithOtherFilesIsRefused) {
  const TemporaryFolder folder;
  folder.write("mine.txt", "mine");
  const ProgramResult run = run_stiction(
      {"simulate", "incline", "--duration", "0.02", "--keep-uncertified", folder.path().string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.errors.find("is not empty"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace stiction
