#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"
#include "support/fclib_files.hpp"
#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;

/// Two contacts that slide and press each other, solvable by every solver.
std::string two_contacts(const test::TemporaryFolder& folder,
                         const std::string& name = "two.hdf5") {
  ContactProblem problem;
  problem.add_contact(0.5);
  problem.add_contact(0.3);
  problem.use_dense();
  problem.edit_delassus() = 0.2 * Eigen::MatrixXd::Ones(6, 6);
  problem.edit_delassus().diagonal().array() += 1.0;
  problem.edit_free_velocity() << 0.5, 0.1, -1.0, 0.0, 0.7, -0.2;
  problem.prepare();
  const std::string path = (folder.path() / name).string();
  save_fclib(path, problem, {"two contacts", "", ""});
  return path;
}

std::vector<std::string> solvers() { return {solver_names().begin(), solver_names().end()}; }

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::distance(begin(files), end(files));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Solve, CertifiesAndExitsWithZero) {
  const test::TemporaryFolder folder;
  const ProgramResult result = run_stiction({"solve", two_contacts(folder)});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* part : {"problem", "contacts", "solver", "status", "iterations", "time",
                           "law residual", "natural", "signorini", "cone", "two ", "certified",
                           "1 of 1 certified at 1.0e-08 under the law coulomb"}) {
    EXPECT_TRUE(contains(result.output, part)) << part << '\n' << result.output;
  }
  EXPECT_TRUE(contains(result.output, solvers().front())) << result.output;
  EXPECT_FALSE(contains(result.output, "\033")) << "colours in a pipe";
}

TEST(Solve, JsonHoldsTheCertificate) {
  const test::TemporaryFolder folder;
  const std::string file = two_contacts(folder);
  const ProgramResult result = run_stiction({"solve", file, "--json", "--tolerance", "1e-6"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const json report = json::parse(result.output);
  EXPECT_EQ(report["law"], "coulomb");
  EXPECT_EQ(report["tolerance"], 1e-6);
  EXPECT_EQ(report["certified"], true);
  ASSERT_EQ(report["files"].size(), 1u);
  const json& first = report["files"][0];
  EXPECT_EQ(first["file"], file);
  EXPECT_EQ(first["form"], "local");
  EXPECT_EQ(first["title"], "two contacts");
  EXPECT_EQ(first["contacts"], 2);
  EXPECT_EQ(first["rows"], 6);
  const json& outcome = first["results"][0];
  EXPECT_EQ(outcome["solver"], solvers().front());
  EXPECT_EQ(outcome["status"], "certified");
  EXPECT_LE(double{outcome["certificate"]["law_residual"]}, 1e-6);
  EXPECT_LE(double{outcome["certificate"]["cone"]}, 1e-12);
  EXPECT_GT(double{outcome["seconds"]}, 0.0);
}

TEST(Solve, CompareShowsEverySolverAndThoseThatCannot) {
  const test::TemporaryFolder folder;
  const ProgramResult text = run_stiction({"solve", "--compare", two_contacts(folder)});
  const json report =
      json::parse(run_stiction({"solve", "--compare", "--json", two_contacts(folder)}).output);
  const json& results = report["files"][0]["results"];
  ASSERT_EQ(results.size(), solvers().size());
  bool one_fails = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i]["solver"], solvers()[i]);
    EXPECT_TRUE(contains(text.output, solvers()[i])) << text.output;
    if (results[i]["certified"] == true) {
      EXPECT_EQ(results[i]["message"], "");
      continue;
    }
    one_fails = true;
    EXPECT_NE(results[i]["message"], "") << "without a remedy";
    EXPECT_TRUE(contains(text.output, std::string(results[i]["message"]))) << text.output;
  }
  // Solvers differ: one that certifies each problem is enough.
  EXPECT_TRUE(one_fails);
  EXPECT_EQ(report["certified"], true);
  EXPECT_EQ(text.exit_code, 0);
}

TEST(Solve, CompareFailsIfNoSolverCertifiesAProblem) {
  const test::TemporaryFolder folder;
  const ProgramResult result =
      run_stiction({"solve", "--compare", "--tolerance", "1e-300", two_contacts(folder)});
  EXPECT_EQ(result.exit_code, 1) << result.output;
}

TEST(Solve, APlotChangesNoResult) {
  const test::TemporaryFolder folder;
  const std::string file = two_contacts(folder);
  const auto results = [&](std::vector<std::string> extra) {
    std::vector<std::string> words{"solve", "--compare", "--json", file};
    words.insert(words.end(), extra.begin(), extra.end());
    json list = json::parse(run_stiction(words).output)["files"][0]["results"];
    for (json& result : list) result.erase("seconds");
    return list;
  };
  EXPECT_EQ(results({}), results({"--plot", (folder.path() / "plot.svg").string()}));
}

TEST(Solve, ASolverWithoutTheLawIsShownAsUnsupported) {
  const test::TemporaryFolder folder;
  const std::string file = two_contacts(folder);
  const ProgramResult convex = run_stiction({"solve", file, "--solver", "convex"});
  EXPECT_EQ(convex.exit_code, 1);
  EXPECT_TRUE(contains(convex.output, "unsupported")) << convex.output;
  EXPECT_TRUE(contains(convex.output, "supports the convex law only")) << convex.output;
  const ProgramResult right =
      run_stiction({"solve", file, "--solver", "convex", "--law", "convex"});
  EXPECT_EQ(right.exit_code, 0) << right.output;
  EXPECT_TRUE(contains(right.output, "under the law convex")) << right.output;
}

TEST(Solve, SeveralSolversInTheOrderGivenAndEachOnce) {
  const test::TemporaryFolder folder;
  const json report = json::parse(
      run_stiction({"solve", two_contacts(folder), "--json", "--solver", "pgs,per_contact,pgs"})
          .output);
  const json& results = report["files"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["solver"], "pgs");
  EXPECT_EQ(results[1]["solver"], "per_contact");
}

TEST(Solve, WhatIsNotCertifiedExitsWithOneAndSaysWhatToDo) {
  const test::TemporaryFolder folder;
  const ProgramResult result =
      run_stiction({"solve", two_contacts(folder), "--solver", "pgs", "--max-iterations", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.output, "iteration limit")) << result.output;
  EXPECT_TRUE(contains(result.output, "increase max_iterations")) << result.output;
  EXPECT_TRUE(contains(result.output, "0 of 1 certified")) << result.output;
}

TEST(Solve, ABrokenFileDoesNotKeepOthersFromBeingSolved) {
  const test::TemporaryFolder folder;
  const std::string good = two_contacts(folder);
  const std::string bad = folder.write("bad.hdf5", "no HDF5").string();
  const ProgramResult text = run_stiction({"solve", bad, good});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(contains(text.output, "1 of 2 certified")) << text.output;
  EXPECT_TRUE(contains(text.errors, "bad.hdf5: error: this is not an HDF5 file")) << text.errors;
  const ProgramResult machine = run_stiction({"solve", bad, good, "--json"});
  EXPECT_EQ(machine.exit_code, 1);
  const json report = json::parse(machine.output);
  EXPECT_EQ(report["certified"], false);
  EXPECT_EQ(report["files"][0]["ok"], false);
  EXPECT_EQ(report["files"][0]["problems"].size(), 1u);
  EXPECT_EQ(report["files"][1]["results"][0]["certified"], true);
}

struct Wrong {
  const char* name;
  std::vector<std::string> arguments;  ///< GOOD stands for a good file
  int exit_code;
  const char* message;
};

class WrongSolve : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongSolve, EndsWithOneClearMessage) {
  const test::TemporaryFolder folder;
  std::vector<std::string> arguments{"solve"};
  for (const std::string& word : GetParam().arguments) {
    arguments.push_back(word == "GOOD" ? two_contacts(folder) : word);
  }
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.output << result.errors;
  EXPECT_TRUE(contains(result.errors, GetParam().message)) << result.errors;
  if (GetParam().exit_code == 2) {
    EXPECT_EQ(result.output, "") << "nothing is solved after a usage error";
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    EXPECT_TRUE(contains(result.errors, "run `stiction solve --help`")) << result.errors;
  }
}

const Wrong wrong[] = {
    {"NoFiles", {}, 2, "files is required"},
    {"UnknownSolver", {"GOOD", "--solver", "hybird"}, 2, "unknown solver 'hybird'"},
    {"SolverTypo", {"GOOD", "--solver", "per_contakt"}, 2, "did you mean 'per_contact'"},
    {"NothingLikeASolver", {"GOOD", "--solver", "xyzzy"}, 2, "choose from hybrid, per_contact"},
    {"OneOfTheSolversUnknown", {"GOOD", "--solver", "pgs,pgz"}, 2, "unknown solver 'pgz'"},
    {"EmptySolver", {"GOOD", "--solver", ""}, 2, "--solver"},
    {"UnknownLaw", {"GOOD", "--law", "columb"}, 2, "did you mean 'coulomb'"},
    {"ToleranceZero", {"GOOD", "--tolerance", "0"}, 2, "tolerance is 0; give a positive"},
    {"ToleranceNegative", {"GOOD", "--tolerance=-1e-8"}, 2, "tolerance is -1e-08; give"},
    {"ToleranceNan", {"GOOD", "--tolerance", "nan"}, 2, "tolerance is 'nan'; give"},
    {"ToleranceInfinite", {"GOOD", "--tolerance", "inf"}, 2, "tolerance is inf; give"},
    {"ToleranceText", {"GOOD", "--tolerance", "1e-8x"}, 2, "tolerance is '1e-8x'; give"},
    {"TimeLimitZero", {"GOOD", "--time-limit", "0"}, 2, "time_limit is 0 s; give a positive"},
    {"NegativeIterations",
     {"GOOD", "--max-iterations", "-1"},
     2,
     "max_iterations is -1; give 0 or"},
    {"IterationsText", {"GOOD", "--max-iterations", "many"}, 2, "max_iterations is 'many'; give"},
    {"IterationsAsPower", {"GOOD", "--max-iterations", "1e3"}, 2, "max_iterations is '1e3'; give"},
    {"IterationsTooMany", {"GOOD", "--max-iterations", "99999999999999"}, 2, "whole number"},
    {"Sides", {"GOOD", "--solver", "lcp", "--lcp-sides", "5"}, 2, "an even number from 4 to 64"},
    {"CompareAndSolver", {"GOOD", "--compare", "--solver", "pgs"}, 2, "excludes"},
    {"PlotWithoutEnding", {"GOOD", "--plot", "figure"}, 2, "must end in .svg or .png"},
    {"PlotAsJpeg", {"GOOD", "--plot", "figure.jpg"}, 2, "must end in .svg or .png"},
    {"PlotIntoNothing", {"GOOD", "--plot", "/no/such/folder/f.svg"}, 1, "cannot write"},
    {"OptionTypo", {"GOOD", "--tolerence", "1e-8"}, 2, "did you mean '--tolerance'?"},
    {"OptionTypoWithEquals", {"GOOD", "--sovler=pgs"}, 2, "did you mean '--solver'?"},
    {"UnknownOption", {"GOOD", "--xyzzy"}, 2, "--xyzzy"},
    {"MissingFile", {"/no/such/file.hdf5"}, 1, "there is no such file"},
    {"AFolder", {"/tmp"}, 1, "this is a folder"},
    {"NoHdf5", {"/etc/passwd"}, 1, "this is not an HDF5 file"},
};

INSTANTIATE_TEST_SUITE_P(Solve, WrongSolve, ::testing::ValuesIn(wrong),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Solve, ContactsInThePlaneAreRefused) {
  const test::TemporaryFolder folder;
  test::RawFclib raw = test::one_contact_file();
  raw["/fclib_local/spacedim"] = std::vector<int>{2};
  test::write_raw_fclib(folder.path() / "plane.hdf5", raw);
  const ProgramResult result = run_stiction({"solve", (folder.path() / "plane.hdf5").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "planar contacts")) << result.errors;
}

TEST(Solve, AnIndefiniteMatrixIsNotCertified) {
  const test::TemporaryFolder folder;
  test::RawFclib raw = test::one_contact_file();
  raw["/fclib_local/W/x"] = std::vector<double>{2.0, -3.0, 4.0};
  test::write_raw_fclib(folder.path() / "indefinite.hdf5", raw);
  const ProgramResult result =
      run_stiction({"solve", (folder.path() / "indefinite.hdf5").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.output, "invalid problem")) << result.output;
}

TEST(Solve, AFileCannotSteerTheTerminal) {
  const test::TemporaryFolder folder;
  const std::string file = two_contacts(folder, "evil\033[31m.hdf5");
  const ProgramResult result = run_stiction({"solve", file, "--solver", "convex"});
  EXPECT_FALSE(contains(result.output, "\033")) << result.output;
}

TEST(Solve, GlobalFormIsSolvedAsItsLocalForm) {
  const test::TemporaryFolder folder;
  test::write_raw_fclib(folder.path() / "global.hdf5", test::one_contact_global_file());
  test::write_raw_fclib(folder.path() / "local.hdf5", test::one_contact_file());
  const json report =
      json::parse(run_stiction({"solve", "--json", (folder.path() / "global.hdf5").string(),
                                (folder.path() / "local.hdf5").string()})
                      .output);
  EXPECT_EQ(report["certified"], true);
  EXPECT_EQ(report["files"][0]["form"], "global");
  EXPECT_NEAR(double{report["files"][0]["results"][0]["certificate"]["work"]},
              double{report["files"][1]["results"][0]["certificate"]["work"]}, 1e-12);
}

TEST(Solve, PlotsAreWholeFilesOfTheirKind) {
  const test::TemporaryFolder folder;
  const std::string file = two_contacts(folder, "first.hdf5");
  const std::string other = two_contacts(folder, "second.hdf5");
  for (const char* name : {"plot.svg", "plot.png", "PLOT.PNG"}) {
    const std::filesystem::path plot = folder.path() / name;
    const ProgramResult result =
        run_stiction({"solve", file, other, "--compare", "--plot", plot.string()});
    EXPECT_EQ(result.errors, "");
    const std::string bytes = bytes_of(plot);
    EXPECT_GT(bytes.size(), 5000u);
    if (plot.extension() == ".svg") {
      EXPECT_TRUE(bytes.starts_with("<?xml")) << bytes.substr(0, 20);
      EXPECT_TRUE(contains(bytes, "</svg>"));
    } else {
      EXPECT_TRUE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
      EXPECT_TRUE(contains(bytes, "IEND"));
    }
  }
  EXPECT_EQ(files_in(folder.path()), 5);
}

TEST(Solve, AnUnwritablePlotIsAnErrorBeforeAnythingIsSolved) {
  const test::TemporaryFolder folder;
  const ProgramResult result = run_stiction(
      {"solve", two_contacts(folder), "--plot", (folder.path() / "missing" / "f.svg").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  const ProgramResult busy = run_stiction({"solve", two_contacts(folder), "--plot",
                                           (folder.write("folder.svg/file", "")).parent_path()});
  EXPECT_EQ(busy.exit_code, 1);
  EXPECT_TRUE(contains(busy.errors, "it is a folder")) << busy.errors;
}

TEST(Solve, AFullDiskIsAnError) {
  const test::TemporaryFolder folder;
  const ProgramResult result = run_stiction({"solve", two_contacts(folder)}, "", ">/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "cannot write the output")) << result.errors;
}

/// The files that come with every clone.
TEST(Solve, OurOwnProblemsAreCertifiedByTheDefault) {
  const std::string folder = STICTION_SOURCE_DIR "/models/problems/";
  const ProgramResult result = run_stiction(
      {"solve", "--json", folder + "stack.hdf5", folder + "table.hdf5", folder + "wedge.hdf5"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const json report = json::parse(result.output);
  EXPECT_EQ(report["certified"], true);
  ASSERT_EQ(report["files"].size(), 3u);
  const int contacts[] = {16, 36, 14};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& file = report["files"][i];
    EXPECT_EQ(file["contacts"], contacts[i]);
    ASSERT_EQ(file["results"].size(), 1u);
    EXPECT_EQ(file["results"][0]["solver"], "hybrid");
    EXPECT_EQ(file["results"][0]["status"], "certified");
    EXPECT_LE(double{file["results"][0]["certificate"]["law_residual"]}, 1e-8);
  }
}

TEST(Solve, SaysHowFarAMatrixWasOffSymmetry) {
  const test::TemporaryFolder folder;
  test::RawFclib raw = test::one_contact_file();
  test::put_triplets(raw, "/fclib_local/W", 3, 3, {0, 1, 1, 2, 2}, {0, 1, 2, 1, 2},
                     {2.0, 3.0, 0.5, 0.5 + 4.0 * 1.3e-3, 4.0});
  test::write_raw_fclib(folder.path() / "crooked.hdf5", raw);
  const ProgramResult result = run_stiction({"solve", (folder.path() / "crooked.hdf5").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_TRUE(contains(result.output, "asymmetric by 1.3e-03")) << result.output;
}

TEST(Solve, ThePublishedProblemsAreCertifiedByTheDefault) {
  const std::filesystem::path reference = STICTION_REFERENCE_DIR "/problems";
  if (!std::filesystem::is_directory(reference)) {
    GTEST_SKIP() << "the published problems are not here: " << reference;
  }
  std::vector<std::string> arguments{"solve", "--json"};
  for (const auto& entry : std::filesystem::directory_iterator(reference)) {
    if (entry.path().stem() == "Capsules-i125-1213") continue;  // asks for 1e-6 only
    if (entry.path().extension() == ".hdf5") arguments.push_back(entry.path().string());
  }
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const ProgramResult capsules = run_stiction(
      {"solve", "--tolerance", "1e-6", (reference / "Capsules-i125-1213.hdf5").string()});
  EXPECT_EQ(capsules.exit_code, 0) << capsules.output << capsules.errors;
  EXPECT_TRUE(contains(capsules.output, "asymmetric by 1.3e-03")) << capsules.output;
}

TEST(Solve, HelpNamesEverySolverAndLaw) {
  const ProgramResult result = run_stiction({"solve", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const std::string& name : solvers()) EXPECT_TRUE(contains(result.output, name)) << name;
  for (const char* word : {"coulomb", "max_dissipation", "--tolerance", "--compare", "--plot"}) {
    EXPECT_TRUE(contains(result.output, word)) << result.output;
  }
}

}  // namespace
}  // namespace stiction
