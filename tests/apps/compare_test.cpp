#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/page_columns.hpp"
#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.emplace_back("--json");
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return json::parse(result.output);
}

TEST(Compare, SolversOfOneLawGoTheSameWay) {
  const json report = compare({"slope_box", "--solver", "hybrid,per_contact,admm", "--duration",
                               "0.2", "--tolerance", "1e-10"});
  ASSERT_EQ(report["runs"].size(), 3U);
  EXPECT_EQ(report["runs"][0]["label"], "hybrid");
  EXPECT_EQ(report["runs"][0]["difference"], 0.0);
  for (const json& run : report["runs"]) {
    EXPECT_EQ(run["not_certified"], 0) << run["label"];
    EXPECT_LE(run["worst_residual"], 1e-10);
    EXPECT_LT(run["difference"], 1e-8) << run["label"];
    EXPECT_GT(run["contacts_per_step"], 0.0);
    EXPECT_GT(run["microseconds_per_step"], 0.0);
  }
}

TEST(Compare, LawsThatDifferShow) {
  // A slider hovers under the convex law, at a gap of step times friction times speed.
  const json report = compare(
      {"sliding_block", "--solver", "per_contact", "--law", "coulomb,convex", "--duration", "0.2"});
  ASSERT_EQ(report["runs"].size(), 2U);
  EXPECT_EQ(report["runs"][1]["label"], "convex");
  EXPECT_GT(report["runs"][1]["difference"], 1e-5);
}

TEST(Compare, EveryCombinationIsARow) {
  const ProgramResult result =
      run_stiction({"compare", "slope_box", "--solver", "hybrid,pgs", "--integrator",
                    "trapezoid,semi_implicit", "--duration", "0.02"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* part :
       {"hybrid, trapezoid", "hybrid, semi_implicit", "pgs, trapezoid", "pgs, semi_implicit",
        "difference [m]", "worst residual", "not certified", "iterations", "µs per step",
        "energy change [J]", "contacts"}) {
    EXPECT_TRUE(contains(result.output, part)) << part << '\n' << result.output;
  }
}

TEST(Compare, PageHasTheRunsOverEachOther) {
  const TemporaryFolder folder;
  const std::string html = (folder.path() / "both.html").string();
  const ProgramResult result = run_stiction({"compare", "slope_box", "--solver", "hybrid,admm",
                                             "--duration", "0.1", "--html", html, "--json"});
  if (contains(result.errors, "built without the viewer")) GTEST_SKIP() << result.errors;
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json report = json::parse(result.output);
  EXPECT_EQ(report["recorded"], true);
  std::ifstream file(html);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string opening = "<script id=\"stiction-data\" type=\"application/json\">";
  ASSERT_NE(page.find(opening), std::string::npos);
  const std::size_t begin = page.find(opening) + opening.size();
  const json data = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_EQ(data["runs"].size(), 2U);
  EXPECT_EQ(data["runs"][0]["label"], "hybrid");
  EXPECT_EQ(data["runs"][1]["label"], "admm");
  const auto first = test::unpack<double>(data["runs"][0]["times"]);
  EXPECT_EQ(first, test::unpack<double>(data["runs"][1]["times"]));
  EXPECT_NEAR(first.back(), 0.1, 1e-9);
}

TEST(Compare, CombinationsThatNobodyClaimsAreTold) {
  const ProgramResult result =
      run_stiction({"compare", "slope_box", "--solver", "hybrid,admm", "--law",
                    "coulomb,max_dissipation", "--duration", "0.01"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "admm, max_dissipation: not run")) << result.output;
}

TEST(Compare, RepeatedRunsAreTheSame) {
  const auto hashes = [] {
    const json report = compare({"quadruped_boxes", "--solver", "hybrid,per_contact", "--control",
                                 "random", "--duration", "0.1"});
    return std::pair(report["runs"][0]["summary"], report["runs"][1]["summary"]);
  };
  const auto [first_a, first_b] = hashes();
  const auto [second_a, second_b] = hashes();
  for (const char* key : {"state_hash"}) {
    ASSERT_TRUE(first_a.contains(key)) << first_a.dump();
    EXPECT_EQ(first_a[key], second_a[key]);
    EXPECT_EQ(first_b[key], second_b[key]);
  }
}

struct WrongLine {
  std::vector<std::string> arguments;
  int exit_code;
  const char* message;
};

TEST(Compare, WrongLinesAreToldAndWriteNothing) {
  const TemporaryFolder folder;
  const std::string html = (folder.path() / "out.html").string();
  const std::vector<WrongLine> lines{
      {{"compare"}, 2, "required"},
      {{"compare", "slope_box"}, 2, "nothing to compare"},
      {{"compare", "slope_box", "--solver", "hybrid,hybrid"}, 2, "nothing to compare"},
      {{"compare", "slope_box", "--solver", "hybrid,pqs"}, 2, "pgs"},
      {{"compare", "slope_box", "--solver", "hybrid,"}, 2, "unknown solver ''"},
      {{"compare", "slope_box", "--law", "coulomb,newton"}, 2, "unknown law 'newton'"},
      {{"compare", "slope_box", "--solver", "admm,implicit_complementarity", "--law",
        "max_dissipation"},
       2,
       "max_dissipation"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--duration", "-1"}, 2, "--duration"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--duration", "1e30"}, 2, "--duration"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--step", "-1"}, 2, "--step"},
      {{"compare", "slop_box", "--solver", "hybrid,pgs", "--html", html}, 1, "slop_box"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--html", "/nonexistent/a.html"},
       1,
       "--html"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--keyframe", "nowhere"}, 1, "nowhere"},
      {{"compare", "slope_box", "--solver", "hybrid,pgs", "--html", ""}, 2, "name is empty"},
  };
  for (const WrongLine& line : lines) {
    const ProgramResult result = run_stiction(line.arguments);
    const std::string shown = testing::PrintToString(line.arguments) + '\n' + result.errors;
    EXPECT_EQ(result.exit_code, line.exit_code) << shown;
    EXPECT_TRUE(contains(result.errors, line.message)) << shown;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << shown;
    EXPECT_EQ(result.output, "") << shown;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << shown;
  }
}

}  // namespace
}  // namespace stiction
