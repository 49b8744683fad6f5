#include <algorithm>
#include <fstream>
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

/// A zsh that a script types into: what it offers at Tab for LINE goes to the file OFFERS.
/// Matches are seen where zsh gets them, in `compadd`.
const std::string type_into_zsh = R"zsh(
zmodload zsh/zpty
zpty z zsh -f -i
wait_for() {
  local seen= part
  while [[ $seen != *$1* ]]; do zpty -r z part || return 1; seen+=$part; done
}
zpty -w z 'PROMPT= RPROMPT= HISTFILE= ; unsetopt beep prompt_sp; stty -echo'
zpty -w z "source <($PROGRAM completion zsh)"
zpty -w z 'compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)* ]]; then
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >> '$OFFERS'
  fi
  builtin compadd "$@"
}'
zpty -w z 'finish() { print off""ered }; zle -N finish; bindkey "^X" finish; bindkey "^I" complete-word'
zpty -w z 'print rea""dy'
wait_for ready
zpty -n -w z "$LINE"$'\t\x18'
wait_for offered
zpty -d z
)zsh";

std::vector<std::string> offered_by_zsh(const test::TemporaryFolder& folder,
                                        const std::string& line) {
  const std::string offers = (folder.path() / "offers").string();
  std::ofstream(offers, std::ios::trunc);
  const std::string environment = "cd " + test::shell_quoted(folder.path().string()) +
                                  "; PROGRAM=" + test::shell_quoted(STICTION_PROGRAM) +
                                  " OFFERS=" + test::shell_quoted(offers) +
                                  " LINE=" + test::shell_quoted(line);
  const ProgramResult result =
      run_program("timeout", {"60", "zsh", "-f", "-c", type_into_zsh}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  std::ifstream file(offers);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word);) {
    word.erase(word.find_last_not_of(' ') + 1);  // that a word is complete
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

TEST(Completion, ZshCompletesCommandsOptionsWordsScenesAndFiles) {
  const ProgramResult script = run_stiction({"completion", "zsh"});
  EXPECT_EQ(script.exit_code, 0);
  EXPECT_TRUE(script.output.starts_with("#compdef stiction\n")) << script.output.substr(0, 80);
  if (run_program("/bin/sh", {"-c", "command -v zsh"}).exit_code != 0) {
    GTEST_SKIP() << "zsh is not installed (Debian: zsh); its script was printed, but not run";
  }
  const test::TemporaryFolder folder;
  folder.write("my_robot.urdf", "");
  const auto offered_for = [&](const std::string& line) { return offered_by_zsh(folder, line); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(offered_for("stiction simu"), Words{"simulate"});
  EXPECT_EQ(offered_for("stiction simulate incline --dura"), Words{"--duration"});
  EXPECT_EQ(offered_for("stiction compare incline --solver hyb"), Words{"hybrid"});
  EXPECT_EQ(offered_for("stiction simulate quadruped_bo"), Words{"quadruped_boxes"});
  EXPECT_EQ(offered_for("stiction simulate my_"), Words{"my_robot.urdf"});
  EXPECT_TRUE(has(offered_for("stiction replay run.h5 --"), "--video"));
  EXPECT_FALSE(has(offered_for("stiction solve --"), "--duration")) << "each command has its own";
}

TEST(Completion, AnotherShellIsRefused) {
  const ProgramResult result = run_stiction({"completion", "bsh"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("did you mean 'bash'"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace stiction
