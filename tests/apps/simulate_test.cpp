#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

constexpr char scene[] = "quadruped_stand";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Runs `simulate` and returns its summary.
json summary_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.push_back("--json");
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  return json::parse(result.output, nullptr, false);
}

TEST(Simulate, SumsUpTheRun) {
  const ProgramResult result = run_stiction({"simulate", scene, "--duration", "0.5"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* part : {"0.5 s simulated", "× real time", "steps/s", "contacts", "iterations",
                           "every step certified at 1e-08", "energy", "t = 0.5 s, hash "}) {
    EXPECT_TRUE(contains(result.output, part)) << part << '\n' << result.output;
  }
  EXPECT_FALSE(contains(result.output, "\033")) << "colours in a pipe";
}

TEST(Simulate, JsonSaysTheSame) {
  const json summary = summary_of({scene, "--duration", "0.25"});
  EXPECT_EQ(summary["steps"], 250);
  EXPECT_EQ(summary["complete"], true);
  EXPECT_EQ(summary["not_certified"], 0);
  EXPECT_EQ(summary["refused"], 0);
  EXPECT_NEAR(summary["end_time"].get<double>(), 0.25, 1e-12);
  EXPECT_NEAR(summary["mean_contacts"].get<double>(), 4.0, 0.5);
  EXPECT_GE(summary["most_contacts"].get<int>(), 4);
  EXPECT_LE(summary["worst_residual"].get<double>(), 1e-8);
  EXPECT_GT(summary["real_time_factor"].get<double>(), 0.0);
}

TEST(Simulate, ADurationThatIsNoWholeNumberOfStepsIsTold) {
  const ProgramResult result =
      run_stiction({"simulate", scene, "--duration", "0.1", "--step", "0.003", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.errors,
      "stiction: --duration 0.1 s is not a whole number of steps of 0.003 s; the run takes 33 "
      "steps, 0.099 s\n");
  EXPECT_NEAR(json::parse(result.output)["end_time"].get<double>(), 0.099, 1e-12);
}

TEST(Simulate, AnotherPageIsReplaced) {
  const TemporaryFolder folder;
  const std::string page = (folder.path() / "page").string();
  for (int i = 0; i < 2; ++i) {
    const ProgramResult result =
        run_stiction({"simulate", scene, "--duration", "0.01", "--html", page, "--quiet"});
    if (contains(result.errors, "built without the viewer")) GTEST_SKIP() << result.errors;
    EXPECT_EQ(result.exit_code, 0) << result.errors << "whatever its name is";
  }
}

TEST(Simulate, QuietPrintsNothing) {
  const ProgramResult result = run_stiction({"simulate", scene, "--duration", "0.01", "--quiet"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output + result.errors, "");
}

TEST(Simulate, SameCommandSameHash) {
  const std::vector<std::string> command{
      "quadruped_boxes", "--keyframe", "drop",   "--duration",         "0.4", "--control", "random",
      "--seed",          "7",          "--push", "base:0,80,0:0.1:0.1"};
  const json first = summary_of(command);
  EXPECT_EQ(first["state_hash"], summary_of(command)["state_hash"]);
  std::vector<std::string> other = command;
  other[8] = "8";
  EXPECT_NE(first["state_hash"], summary_of(other)["state_hash"]) << "the seed does nothing";
  other = command;
  other.resize(9);
  EXPECT_NE(first["state_hash"], summary_of(other)["state_hash"]) << "the push does nothing";
}

/// A drone has no joints to hold; its controls vary within their ranges.
TEST(Simulate, RandomControlsDriveADrone) {
  const TemporaryFolder folder;
  const std::string drone =
      folder
          .write("drone.xml",
                 "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.05' mass='.03'/>"
                 "<site name='s'/></body></worldbody><actuator><motor site='s' ctrllimited='true' "
                 "ctrlrange='0 .5' gear='0 0 1 0 0 0'/></actuator></mujoco>")
          .string();
  const auto hash = [&](const std::string& seed) {
    return summary_of({drone, "--duration", "0.5", "--control", "random", "--seed", seed});
  };
  EXPECT_EQ(hash("1")["state_hash"], hash("1")["state_hash"]);
  EXPECT_NE(hash("1")["state_hash"], hash("2")["state_hash"]);
}

/// Controls must be the same whether a run goes through or is taken up in its middle.
TEST(Simulate, GoesOnFromARecordingAndFromAStateToTheSameHash) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const std::string state = (folder.path() / "half.state").string();
  const std::vector<std::string> controls{"--control", "random", "--push", "base:0,50,0:0.25:0.1"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), controls.begin(), controls.end());
    return summary_of(arguments);
  };
  const json through = with({scene, "--duration", "0.4", "--out", run});
  with({scene, "--duration", "0.2", "--save-state", state});
  const json from_recording = with({scene, "--duration", "0.2", "--start", run + "@0.2"});
  const json from_state = with({scene, "--duration", "0.2", "--start", state});
  EXPECT_EQ(from_recording["state_hash"], through["state_hash"]);
  EXPECT_EQ(from_state["state_hash"], through["state_hash"]);
  const json from_end = with({scene, "--duration", "0.1", "--start", run + "@end"});
  EXPECT_NEAR(from_end["start_time"].get<double>(), 0.4, 1e-9);
}

TEST(Simulate, RecordingDoesNotChangeTheRun) {
  const TemporaryFolder folder;
  const json bare = summary_of({scene, "--duration", "0.1"});
  const json kept = summary_of({scene, "--duration", "0.1", "--record-every", "1", "--out",
                                (folder.path() / "run.h5").string()});
  EXPECT_EQ(bare["state_hash"], kept["state_hash"]);
}

TEST(Simulate, WritesWhatIsAskedForAndNothingElse) {
  const TemporaryFolder folder;
  const TemporaryFolder temporary;
  const std::string csv = (folder.path() / "run.csv").string();
  const std::string html = (folder.path() / "run.html").string();
  const ProgramResult result =
      run_stiction({"simulate", scene, "--duration", "0.1", "--csv", csv, "--html", html},
                   "TMPDIR=" + temporary.path().string());
  if (contains(result.errors, "built without the viewer")) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"run.csv", "run.html"}));
  EXPECT_TRUE(names_in(temporary.path()).empty()) << "a temporary recording is left";
  const std::string table = text_of(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 12) << "a head and 11 frames";
  EXPECT_TRUE(contains(text_of(html), "<html")) << "no page";
  EXPECT_TRUE(contains(result.output, html)) << result.output;
}

TEST(Simulate, UrdfRobotsStandOnAGround) {
  const json summary = summary_of({"anymal", "--duration", "0.2"});
  EXPECT_EQ(summary["mean_contacts"], 4.0);
  EXPECT_LT(summary["deepest_overlap"].get<double>(), 1e-9);
  EXPECT_EQ(summary["controls"], "pd on_ground");
  EXPECT_NEAR(summary["start_energy"].get<double>(), summary["end_energy"].get<double>(), 1.0);
}

TEST(Simulate, OptionsThatMayBeRepeatedLeaveTheSceneToItself) {
  const TemporaryFolder folder;
  const std::string packages = folder.path().string();
  const json before =
      summary_of({"--package", packages, "--push", "base:0,50,0:0:1", "--push", "base:0,-50,0:0:1",
                  "--control", "constant", "--values", "0.1", scene, "--duration", "0.01"});
  const json behind =
      summary_of({scene, "--duration", "0.01", "--control", "constant", "--values", "0.1", "--push",
                  "base:0,50,0:0:1", "--push", "base:0,-50,0:0:1", "--package", packages});
  EXPECT_EQ(before["controls"], "constant, 2 pushes");
  EXPECT_EQ(before["state_hash"], behind["state_hash"]);
}

TEST(Simulate, ARecordingToStartFromNeedsATimeAndIsNotOverwritten) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  summary_of({scene, "--duration", "0.01", "--out", run});
  const std::string bytes = text_of(run);
  const ProgramResult timeless = run_stiction({"simulate", scene, "--start", run});
  EXPECT_EQ(timeless.exit_code, 1);
  EXPECT_TRUE(contains(timeless.errors, "run.h5@end")) << timeless.errors;
  for (const char* command : {"simulate", "compare"}) {
    std::vector<std::string> line{command,   scene,          "--duration", "0.01",
                                  "--start", run + "@0.005", "--html",     run};
    if (line[0] == "compare") line.insert(line.end(), {"--solver", "hybrid,pgs"});
    const ProgramResult over = run_stiction(line);
    if (contains(over.errors, "built without the viewer")) GTEST_SKIP() << over.errors;
    EXPECT_EQ(over.exit_code, 1) << command;
    EXPECT_TRUE(contains(over.errors, "is also an input file")) << command << over.errors;
  }
  EXPECT_EQ(text_of(run), bytes);
}

TEST(Simulate, ARefusedStepStopsWithAMessageAndKeepsTheFiles) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const ProgramResult result = run_stiction(
      {"simulate", scene, "--duration", "1", "--push", "base:1e300,1e300,0:0.05:1", "--out", run});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "the step at t = 0.05")) << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_TRUE(contains(result.output, "refused")) << result.output;
  EXPECT_EQ(
      run_stiction({"simulate", scene, "--duration", "0.01", "--start", run + "@0.04"}).exit_code,
      0);
}

/// Not a run with bodies that fall through each other.
TEST(Simulate, ASolverThatCannotSolveTheSceneIsRefused) {
  const TemporaryFolder folder;
  const std::string file =
      folder
          .write(
              "torsion.xml",
              "<mujoco><worldbody><geom type='plane' size='1 1 1' condim='4'/><body pos='0 0 .1'>"
              "<freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>")
          .string();
  for (const char* solver : {"admm", "lcp", "implicit_complementarity"}) {
    const ProgramResult result =
        run_stiction({"simulate", file, "--duration", "0.1", "--solver", solver});
    EXPECT_EQ(result.exit_code, 1) << solver;
    EXPECT_TRUE(contains(result.errors, "torsional and rolling friction")) << result.errors;
  }
  EXPECT_EQ(run_stiction({"simulate", file, "--duration", "0.1"}).exit_code, 0);
}

/// A child process whose signals and limits the test sets.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments, const std::string& output,
                 rlim_t largest_file = RLIM_INFINITY) {
    id_ = ::fork();
    if (id_ != 0) return;
    const rlimit limit{largest_file, largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);  // so that writing fails as on a full disk
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      const std::string file = output + (stream == STDOUT_FILENO ? ".out" : ".err");
      ::dup2(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), stream);
    }
    std::vector<char*> words{const_cast<char*>(STICTION_PROGRAM)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }

  void send(int number) const { ::kill(id_, number); }
  /// Exit code; -1 if a signal killed it.
  [[nodiscard]] int wait() const {
    int status = 0;
    ::waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_ = -1;
};

/// Until a file is there and has something in it.
bool wait_for(const std::filesystem::path& path) {
  for (int i = 0; i < 2000; ++i) {
    std::error_code error;
    if (std::filesystem::file_size(path, error) > 0 && !error) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

class Interrupted : public ::testing::TestWithParam<int> {};

TEST_P(Interrupted, EndsWithTheSummaryAndCompleteFiles) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const std::string csv = (folder.path() / "run.csv").string();
  const std::string output = (folder.path() / "text").string();
  const Child child({"simulate", scene, "--duration", "100000", "--record-every", "1000", "--json",
                     "--out", run, "--csv", csv},
                    output);
  ASSERT_TRUE(wait_for(run));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  child.send(GetParam());
  EXPECT_EQ(child.wait(), 128 + GetParam());
  EXPECT_EQ(text_of(output + ".err"), "");
  const json summary = json::parse(text_of(output + ".out"), nullptr, false);
  ASSERT_TRUE(summary.is_object()) << text_of(output + ".out");
  EXPECT_EQ(summary["signal"], GetParam());
  EXPECT_EQ(summary["complete"], false);
  EXPECT_GT(summary["steps"].get<long long>(), 0);
  EXPECT_TRUE(std::filesystem::exists(csv));
  const json further = summary_of({scene, "--duration", "0.01", "--start", run + "@end"});
  EXPECT_EQ(further["start_time"], summary["end_time"]) << "the last state is not in the file";
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

/// A pile whose steps take far longer than anybody waits: the solver is asked for more digits than
/// there are.
std::vector<std::string> slow_run(const std::string& run) {
  return {"simulate",         "kapla",      "--duration",  "100",   "--solver", "pgs",
          "--max-iterations", "2000000000", "--tolerance", "1e-30", "--out",    run};
}

TEST(Simulate, ASignalDuringALongStepIsHeardAtOnce) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const std::string output = (folder.path() / "text").string();
  const Child child(slow_run(run), output);
  ASSERT_TRUE(wait_for(run));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto start = std::chrono::steady_clock::now();
  child.send(SIGINT);
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  // A tenth of a second on a machine with nothing else to do.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"run.h5", "text.err", "text.out"}));
  EXPECT_FALSE(contains(text_of(output + ".out"), "refused")) << text_of(output + ".out");
}

TEST(Simulate, ASecondRunIsToldThatTheFileIsBeingWritten) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const std::string output = (folder.path() / "text").string();
  const Child child({"simulate", scene, "--duration", "100000", "--out", run}, output);
  ASSERT_TRUE(wait_for(run));
  const ProgramResult second =
      run_stiction({"simulate", scene, "--duration", "0.01", "--out", run});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(contains(second.errors, "is being written by another run")) << second.errors;
  const ProgramResult page = run_stiction({"simulate", scene, "--duration", "0.01", "--csv", run});
  EXPECT_EQ(page.exit_code, 1) << "another option, but the same file";
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
  EXPECT_EQ(
      run_stiction({"simulate", scene, "--duration", "0.01", "--start", run + "@end"}).exit_code, 0)
      << "the first run's file is complete";
}

TEST(Simulate, AFullDiskStopsTheRunAndKeepsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run.h5").string();
  const std::string output = (folder.path() / "text").string();
  constexpr rlim_t room = 6'000'000;  // bytes: some ten thousand frames
  const Child child({"simulate", scene, "--duration", "200", "--record-every", "1", "--out", run},
                    output, room);
  EXPECT_EQ(child.wait(), 1);
  const std::string errors = text_of(output + ".err");
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  EXPECT_TRUE(contains(errors, "run.h5")) << errors;
  EXPECT_TRUE(contains(text_of(output + ".out"), "steps/s")) << "no summary";
  EXPECT_EQ(
      run_stiction({"simulate", scene, "--duration", "0.01", "--start", run + "@end"}).exit_code, 0)
      << "the recording cannot be read";
}

/// A keyframe without `ctrl` leaves the robot to `pd`; written zeros are controls.
TEST(Simulate, ControlsOfAKeyframeThatAreWrittenAsZeroCount) {
  const auto controls = [](const std::string& attribute) {
    const test::TemporaryFolder folder;
    folder.write("leg.xml",
                 "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/><body>"
                 "<joint name='hip' axis='0 1 0'/><geom size='.1' pos='0 0 -.3'/></body></body>"
                 "</worldbody><actuator><motor joint='hip'/></actuator><keyframe>"
                 "<key qpos='0 0 1 1 0 0 0 0' " +
                     attribute + "/></keyframe></mujoco>");
    const auto result = run_stiction(
        {"simulate", (folder.path() / "leg.xml").string(), "--duration", "0.01", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json::parse(result.output, nullptr, false)["controls"].get<std::string>();
  };
  EXPECT_TRUE(controls("ctrl='0'").starts_with("constant"));
  EXPECT_TRUE(controls("").starts_with("pd"));
}

}  // namespace
}  // namespace stiction
