// The table of options, as the program and its documents have it.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stiction/record/recording.hpp"
#include "support/option_values.hpp"
#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// Whether a word stands in a text by itself.
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (next == ' ' || next == '\n') return true;
  }
  return false;
}

TEST(Options, ThoseThatShapeTheMotionAreFlagsOfEveryRun) {
  for (const char* command : {"simulate", "compare", "view"}) {
    const std::string help = run_stiction({command, "--help"}).output;
    for (const StepOption& option : step_option_table()) {
      const bool wanted = option.info().shapes_motion || option.info().in_runs;
      EXPECT_EQ(has_word(help, flag_of(option.info())), wanted)
          << command << " " << option.info().name;
    }
  }
}

TEST(Options, ThoseOfSolversAreFlagsOfSolve) {
  const std::string help = run_stiction({"solve", "--help"}).output;
  for (const SolverOption& option : solver_option_table()) {
    EXPECT_EQ(has_word(help, flag_of(option.info)), option.info.in_solve) << option.info.name;
  }
}

TEST(Options, FromTheCommandLineThroughARecordingToTheReplay) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.h5").string();
  const StepOptions expected = test::all_other_options();
  std::vector<std::string> arguments{"simulate", "slope_box", "--duration", "1",
                                     "--out",    file,        "--json"};
  for (const StepOption& option : step_option_table()) {
    if (!option.info().shapes_motion) continue;
    arguments.push_back(flag_of(option.info()));
    arguments.push_back(to_text(option.value(expected)));
  }
  const ProgramResult run = run_stiction(arguments);
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(different_options(Recording(file).run().options, expected), std::vector<std::string>());
  const ProgramResult replay = run_stiction({"replay", file, "--json"});
  ASSERT_EQ(replay.exit_code, 0) << replay.errors;
  for (const ProgramResult& result : {run, replay}) {
    const json told = json::parse(result.output).at("options");
    for (const StepOption& option : step_option_table()) {
      if (!option.info().shapes_motion) continue;
      const json& value = told.at(std::string(option.info().name));
      std::visit([&](const auto& wanted) { EXPECT_EQ(value, wanted) << option.info().name; },
                 option.value(expected));
    }
  }
  const std::string text = run_stiction({"replay", file}).output;
  EXPECT_NE(text.find("hybrid.newton_steps 31"), std::string::npos) << text;
}

TEST(Options, DocumentsHaveTheTableOfTheProgram) {
  const std::string file = STICTION_SOURCE_DIR "/docs/step.md";
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string opening = "<!-- options: begin -->\n";
  const std::size_t begin = text.find(opening);
  const std::size_t end = text.find("<!-- options: end -->");
  ASSERT_NE(begin, std::string::npos) << file;
  ASSERT_NE(end, std::string::npos) << file;
  EXPECT_EQ(text.substr(begin + opening.size(), end - begin - opening.size()),
            run_stiction({"options", "--markdown"}).output)
      << "put what `stiction options --markdown` prints between the two marks in " << file;
}

TEST(Options, AreListedForPeopleAndPrograms) {
  const ProgramResult text = run_stiction({"options"});
  const ProgramResult list = run_stiction({"options", "--json"});
  ASSERT_EQ(text.exit_code + list.exit_code, 0) << text.errors << list.errors;
  const json options = json::parse(list.output);
  ASSERT_EQ(options.size(), step_option_table().size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name(step_option_table()[i].info().name);
    EXPECT_EQ(options[i].at("name"), name);
    EXPECT_TRUE(has_word(text.output, name)) << name;
  }
  EXPECT_EQ(run_stiction({"options", "--json", "--markdown"}).exit_code, 2);
}

TEST(Options, AnyOfThemCanBeCompared) {
  const ProgramResult result =
      run_stiction({"compare", "slope_box", "--duration", "0.02", "--push-out-fraction", "0.1,0.9",
                    "--four-face-points", "off,on", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json runs = json::parse(result.output).at("runs");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0]["label"], "push_out_fraction 0.1, four_face_points off");
  EXPECT_EQ(runs[3]["label"], "push_out_fraction 0.9, four_face_points on");
  EXPECT_EQ(runs[3]["summary"]["options"]["push_out_fraction"], 0.9);
}

}  // namespace
}  // namespace stiction
