#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace stiction {
namespace {

using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

namespace fs = std::filesystem;

/// A command line with something wrong. In arguments, `@` at the start stands for the folder.
struct WrongLine {
  std::string name;
  std::vector<std::string> arguments;
  int exit_code = 2;
  std::string message;  ///< a part of what is said
};

void PrintTo(const WrongLine& line, std::ostream* out) { *out << line.name; }

/// What is in a folder, byte for byte.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> result;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string& bytes = result[entry.path().string()];
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return result;
}

class WrongLines : public ::testing::TestWithParam<WrongLine> {};

TEST_P(WrongLines, OneLineWithARemedyAndNothingWritten) {
  const TemporaryFolder folder;
  folder.write("not_hdf5.h5", "this is no recording");
  folder.write("broken.xml", "<mujoco><worldbody><body></mujoco>");
  folder.write("still.xml",
               "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/></worldbody></mujoco>");
  folder.write("a_folder/file.txt", "mine");
  folder.write(
      "good.xml",
      "<mujoco><worldbody><body><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>");
  fs::create_symlink(folder.path() / "good.xml", folder.path() / "link.xml");
  const auto before = contents(folder.path());

  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& word : arguments) {
    if (word.starts_with('@')) word = (folder.path() / word.substr(1)).string();
  }
  // Where a relative path goes, and the temporary files.
  const std::string place = test::shell_quoted(folder.path().string());
  const ProgramResult result = run_stiction(arguments, "TMPDIR=" + place);

  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  EXPECT_NE(result.errors.find(GetParam().message), std::string::npos) << result.errors;
  const bool has_remedy =
      result.errors.find("→") != std::string::npos || result.errors.find(';') != std::string::npos;
  EXPECT_TRUE(has_remedy) << result.errors;
  EXPECT_EQ(contents(folder.path()), before) << "something was written";
}

const std::vector<WrongLine>& wrong_lines() {
  static const std::vector<WrongLine> lines{
      {"NoScene", {"simulate"}, 2, "SCENE"},
      {"UnknownScene", {"simulate", "quadruped_boxen"}, 1, "did you mean 'quadruped_boxes'"},
      {"EmptyScene", {"simulate", ""}, 2, "the file name is empty"},
      {"BrokenScene", {"simulate", "@broken.xml"}, 1, "broken.xml:1"},
      {"NothingMoves", {"simulate", "@still.xml"}, 1, "nothing in this scene can move"},
      {"SceneIsAFolder", {"simulate", "@a_folder"}, 1, "a_folder"},
      {"SceneIsARecording", {"simulate", "@not_hdf5.h5"}, 1, "not_hdf5.h5"},
      {"UnknownOption", {"simulate", "incline", "--duratoin", "3"}, 2, "did you mean '--duration'"},
      {"OptionTwice",
       {"simulate", "incline", "--duration", "1", "--duration", "2"},
       2,
       "--duration is given 2 times; give it once"},
      {"DurationNan", {"simulate", "incline", "--duration", "nan"}, 2, "not a time"},
      {"DurationNegative", {"simulate", "incline", "--duration", "-1"}, 2, "not a time"},
      {"DurationHuge", {"simulate", "incline", "--duration", "1e300"}, 2, "not a time"},
      {"DurationZero", {"simulate", "incline", "--duration", "0"}, 2, "not a time"},
      {"DurationWord", {"simulate", "incline", "--duration", "5s"}, 2, "not a time"},
      {"DurationShort", {"simulate", "incline", "--duration", "1e-6"}, 2, "is not from 1 to"},
      {"StepHuge", {"simulate", "incline", "--step", "100"}, 2, "time_step"},
      {"StepIsNotFinite", {"simulate", "incline", "--step", "nan"}, 2, "step"},
      {"StepInfinite", {"simulate", "incline", "--step", "inf"}, 2, "step"},
      {"StiffnessZero",
       {"simulate", "incline", "--contact", "viscoelastic", "--stiffness", "0"},
       2,
       "viscoelastic.stiffness is 0 N/m; give"},
      {"DampingNegative",
       {"simulate", "incline", "--contact", "viscoelastic", "--damping", "-1"},
       2,
       "viscoelastic.damping is -1 N·s/m; give"},
      {"StiffnessIsNotFinite",
       {"simulate", "incline", "--contact", "viscoelastic", "--stiffness", "nan"},
       2,
       "stiffness"},
      {"StepNegative",
       {"simulate", "incline", "--step", "-0.001"},
       2,
       "time_step is -0.001 s; give"},
      {"Tolerance", {"simulate", "incline", "--tolerance", "0"}, 2, "tolerance is 0; give"},
      {"PushOut",
       {"simulate", "incline", "--push-out-fraction", "3"},
       2,
       "--push-out-fraction: push_out_fraction is 3; give a number from 0 to 1"},
      {"Switch", {"simulate", "incline", "--four-face-points", "maybe"}, 2, "give on or off"},
      {"MethodAndLaw",
       {"simulate", "incline", "--per-contact-one-contact-method", "golden_section"},
       2,
       "must know the law"},
      {"Solver", {"simulate", "incline", "--solver", "hybrod"}, 2, "did you mean 'hybrid'"},
      {"Law", {"simulate", "incline", "--law", "newton"}, 2, "unknown law 'newton'"},
      {"SolverAndLaw",
       {"simulate", "incline", "--solver", "pgs", "--law", "convex"},
       2,
       "does not support law 'convex'"},
      {"GapRule", {"simulate", "incline", "--gap-rule", "force"}, 2, "unknown gap rule"},
      {"Integrator", {"simulate", "incline", "--integrator", "rk5"}, 2, "did you mean 'rk4'"},
      {"Keyframe",
       {"simulate", "quadruped_stand", "--keyframe", "stnad"},
       1,
       "did you mean 'stand'"},
      {"NoKeyframes",
       {"simulate", "incline", "--keyframe", "home"},
       1,
       "the file has no keyframes"},
      {"StartMissing", {"simulate", "incline", "--start", "@none.state"}, 1, "none.state"},
      {"StartNoRecording", {"simulate", "incline", "--start", "@not_hdf5.h5@1"}, 1, "not_hdf5.h5"},
      {"Control", {"simulate", "incline", "--control", "pid"}, 2, "unknown control 'pid'"},
      {"ControlWithoutJoints", {"simulate", "incline", "--control", "pd"}, 1, "no joints to hold"},
      {"ValueCount",
       {"simulate", "quadruped_stand", "--control", "constant", "--values", "1,2"},
       1,
       "2 numbers, but there are 12 actuators"},
      {"ValueNan",
       {"simulate", "quadruped_stand", "--control", "constant", "--values", "nan"},
       2,
       "not a finite number"},
      {"PushForm", {"simulate", "incline", "--push", "box:1,2:0:1"}, 2, "three numbers"},
      {"PushBody",
       {"simulate", "quadruped_stand", "--push", "bose:1,2,3:0:1"},
       1,
       "did you mean 'base'"},
      {"Seed", {"simulate", "incline", "--seed", "seven"}, 2, "--seed"},
      {"SeedNegative", {"simulate", "incline", "--seed", "-1"}, 2, "not a whole number"},
      {"SeedHuge", {"view", "incline", "--seed", "18446744073709551616"}, 2, "not a whole number"},
      {"RecordEvery", {"simulate", "incline", "--record-every", "0", "--out", "@r.h5"}, 2, "whole"},
      {"RecordNothing", {"simulate", "incline", "--record-every", "5"}, 2, "has no effect without"},
      {"OutIsAFolder", {"simulate", "incline", "--out", "@a_folder"}, 1, "it is a folder"},
      {"OutInNoFolder", {"simulate", "incline", "--out", "@none/r.h5"}, 1, "cannot write"},
      {"HtmlInNoFolder", {"simulate", "incline", "--html", "@none/r.html"}, 1, "cannot write"},
      {"SameFileTwice",
       {"simulate", "incline", "--out", "@r.h5", "--csv", "@a_folder/../r.h5"},
       2,
       "--out and --csv both name"},
      {"OverTheScene", {"simulate", "@good.xml", "--out", "@link.xml"}, 1, "is also an input file"},
      {"EmptyOut", {"simulate", "incline", "--out", ""}, 2, "the file name is empty"},
      {"ReplayNothing", {"replay"}, 2, "required"},
      {"ReplayMissing", {"replay", "@none.h5", "--html", "@r.html"}, 1, "none.h5"},
      {"ReplayNoRecording", {"replay", "@not_hdf5.h5", "--html", "@r.html"}, 1, "not_hdf5.h5"},
      {"ReplayFolder", {"replay", "@a_folder", "--csv", "@r.csv"}, 1, "a_folder"},
      {"CompareSolver",
       {"compare", "incline", "--solver", "hybrid,pgz"},
       2,
       "unknown solver 'pgz'"},
      {"CompareNumber",
       {"compare", "incline", "--push-out-fraction", "0.1,2"},
       2,
       "push_out_fraction is 2; give"},
      {"CompareTooMany",
       {"compare", "incline", "--push-out-sweeps", "1,2,3,4,5,6,7", "--hybrid-sweeps", "1,2,3,4,5"},
       2,
       "35 combinations are too many"},
      {"CompareScene", {"compare", "nosuch", "--solver", "hybrid,pgs"}, 1, "there is no such file"},
      {"CompareHtml",
       {"compare", "incline", "--solver", "hybrid,pgs", "--html", "@none/r.html"},
       1,
       "none/r.html"},
      {"ViewScene", {"view", "nosuch"}, 1, "there is no such file"},
      {"ViewPort", {"view", "incline", "--port", "99999"}, 2, "--port"},
      {"ViewSolver", {"view", "incline", "--solver", "none"}, 2, "unknown solver 'none'"},
      {"HtmlOverSomethingElse",
       {"simulate", "incline", "--html", "@good.xml"},
       1,
       "good.xml' exists and is not a web page"},
      {"CsvOverSomethingElse",
       {"simulate", "incline", "--csv", "@a_folder/file.txt"},
       1,
       "exists and is not a table"},
      {"OutOverSomethingElse",
       {"simulate", "incline", "--out", "@good.xml"},
       1,
       "exists and is not a recording"},
      {"StateOverSomethingElse",
       {"simulate", "incline", "--save-state", "@good.xml"},
       1,
       "exists and is not a state"},
      {"ControlKind", {"simulate", "incline", "--control", "pdd"}, 2, "did you mean 'pd'"},
      {"Threads", {"simulate", "incline", "--threads", "0"}, 2, "a whole number from 1 to 1024"},
      {"UnknownCommand", {"simulat", "incline"}, 2, "did you mean 'simulate'"},
      {"NoCommandAtAll", {"xyzzy"}, 2, "there is no command 'xyzzy'; use inspect"}};
  return lines;
}

INSTANTIATE_TEST_SUITE_P(Programs, WrongLines, ::testing::ValuesIn(wrong_lines()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace stiction
