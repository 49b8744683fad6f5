// The programs of all experiments, as their users call them: options, refusals, files.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "bench/docs_page.hpp"
#include "support/program.hpp"

namespace stiction::experiments {
namespace {

struct Program {
  const char* name;
  const char* page;  ///< in docs/
};

constexpr Program programs[] = {
    {"exponential", "exponential.md"}, {"external_bars", "external_bars.md"},
    {"hard_problems", "solvers.md"},   {"implicit_complementarity", "implicit_complementarity.md"},
    {"lcp_notes", "experiments.md"},   {"long_run", "experiments.md"},
    {"per_contact", "per_contact.md"}, {"slip_problem", "one_contact.md"},
    {"stiction_table", "stiction.md"}};
constexpr const char* programs_with_seed[] = {"implicit_complementarity", "long_run",
                                              "per_contact"};

test::ProgramResult run(const std::string& name, const std::vector<std::string>& arguments) {
  return test::run_program(std::string(STICTION_PROGRAMS) + "/experiment_" + name, arguments);
}

TEST(ExperimentPrograms, AllTakeTheSameOptions) {
  for (const auto& [name, page] : programs) {
    const test::ProgramResult help = run(name, {"--help"});
    EXPECT_EQ(help.exit_code, 0) << name;
    for (const char* option : {"--quick", "--out", "--docs"}) {
      EXPECT_NE(help.output.find(option), std::string::npos) << name << ' ' << option;
    }
  }
}

TEST(ExperimentPrograms, HaveAPlaceInTheirPageForWhatResultsAreFrom) {
  for (const auto& [name, page] : programs) {
    std::ostringstream text;
    text << std::ifstream(std::string(STICTION_SOURCE_DIR "/docs/") + page).rdbuf();
    EXPECT_NO_THROW(
        static_cast<void>(bench::with_block(text.str(), std::string(name) + "_run", "the command")))
        << page;
  }
}

TEST(ExperimentPrograms, RefuseWhatTheyDoNotKnow) {
  for (const auto& [name, page] : programs) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--no-such-option"}, {"--out", "/no/such/folder"}, {"word"}}) {
      const test::ProgramResult result = run(name, arguments);
      EXPECT_EQ(result.exit_code, 2) << name << ' ' << arguments.front();
      EXPECT_EQ(result.output, "") << name;
      EXPECT_EQ(result.errors.rfind(name, 0), 0u) << result.errors;
    }
  }
}

// Not even root writes into /proc.
TEST(ExperimentPrograms, SayBeforeTheirWorkThatAFolderIsNotWritable) {
  for (const auto& [name, page] : programs) {
    const test::ProgramResult result = run(name, {"--quick", "--out", "/proc"});
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_EQ(result.output, "") << name;
    EXPECT_NE(result.errors.find("cannot write '/proc/"), std::string::npos) << result.errors;
  }
}

TEST(ExperimentPrograms, RefuseSeedsThatAreNone) {
  for (const char* name : programs_with_seed) {
    for (const char* seed :
         {"-1", "-18446744073709551615", "1.5", "many", "", "99999999999999999999"}) {
      const test::ProgramResult result = run(name, {"--quick", "--seed", seed});
      EXPECT_EQ(result.exit_code, 2) << name << ' ' << seed;
      EXPECT_NE(result.errors.find("--seed"), std::string::npos) << result.errors;
    }
  }
}

TEST(ExperimentPrograms, RefuseUnknownNames) {
  EXPECT_EQ(run("external_bars", {"--only", "skyscraper"}).exit_code, 2);
  EXPECT_EQ(run("hard_problems", {"--solver", "magic"}).exit_code, 2);
  EXPECT_EQ(run("long_run", {"--solver", "magic"}).exit_code, 2);
  EXPECT_EQ(run("per_contact", {"--task", "walk"}).exit_code, 2);
  EXPECT_EQ(run("exponential", {"--test", "swim"}).exit_code, 2);
  EXPECT_EQ(run("implicit_complementarity", {"--joints", "screws"}).exit_code, 2);
}

TEST(ExperimentPrograms, WriteTablesAndPictures) {
  const test::TemporaryFolder folder;
  const test::ProgramResult result = run("lcp_notes", {"--out", folder.path().string()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  for (const char* name : {"lcp_notes.svg", "lcp_notes.png", "lcp_notes_orders.csv",
                           "lcp_notes_wall.csv", "lcp_notes_claims.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  }
}

}  // namespace
}  // namespace stiction::experiments
