#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "support/program.hpp"

namespace stiction {
namespace {

using test::ProgramResult;
using test::run_program;
using test::run_stiction;

/// What bash offers for the last of these words.
std::vector<std::string> offered(const std::string& words) {
  const std::string line =
      "source <(" + test::shell_quoted(STICTION_PROGRAM) + " completion bash); COMP_WORDS=(" +
      words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _stiction; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const ProgramResult result = run_program("/bin/bash", {"--norc", "-c", line});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  std::istringstream lines(result.output);
  std::vector<std::string> offers;
  for (std::string word; std::getline(lines, word);) offers.push_back(word);
  return offers;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(Completion, BashCompletesCommandsOptionsWordsAndScenes) {
  EXPECT_EQ(offered("stiction simu"), std::vector<std::string>{"simulate"});
  EXPECT_EQ(offered("stiction simulate incline --dura"), std::vector<std::string>{"--duration"});
  EXPECT_EQ(offered("stiction compare incline --solver hyb"), std::vector<std::string>{"hybrid"});
  EXPECT_EQ(offered("stiction simulate quadruped_bo"), std::vector<std::string>{"quadruped_boxes"});
  EXPECT_TRUE(has(offered("stiction replay run.h5 --"), "--video"));
  EXPECT_TRUE(has(offered("stiction simulate incline --four-face-points ''"), "off"));
  EXPECT_FALSE(has(offered("stiction solve --"), "--duration")) << "each command has its own";
}

TEST(Completion, BashOffersFiles) {
  const test::TemporaryFolder folder;
  folder.write("my_robot.urdf", "");
  const std::string start = (folder.path() / "my_").string();
  EXPECT_EQ(offered("stiction simulate " + start),
            std::vector<std::string>{(folder.path() / "my_robot.urdf").string()});
}

TEST(Completion, ZshReadsItsScript) {
  const ProgramResult result = run_stiction({"completion", "zsh"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.output.starts_with("#compdef stiction\n")) << result.output.substr(0, 80);
  if (run_program("/bin/sh", {"-c", "command -v zsh"}).exit_code != 0) {
    GTEST_SKIP() << "zsh is not installed; its script was printed, but not run";
  }
  const std::string line = "source <(" + test::shell_quoted(STICTION_PROGRAM) +
                           " completion zsh); print ${_comps[stiction]}";
  EXPECT_NE(run_program("/usr/bin/env", {"zsh", "-f", "-c", line}).output.find("_bash_complete"),
            std::string::npos);
}

TEST(Completion, AnotherShellIsRefused) {
  const ProgramResult result = run_stiction({"completion", "bsh"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("did you mean 'bash'"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace stiction
