// `stiction view` as a user starts and ends it.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include "support/live_scene.hpp"
#include "support/program.hpp"
#include "support/web_client.hpp"

extern char** environ;

namespace stiction {
namespace {

using nlohmann::json;
using test::run_stiction;
using test::WebClient;

const std::string scene = STICTION_SOURCE_DIR "/models/scenes/slope_box.xml";

/// The program while it runs, with its stdout at our end of a pipe.
class RunningProgram {
 public:
  explicit RunningProgram(std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    arguments.insert(arguments.begin(), STICTION_PROGRAM);
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    const int failed =
        ::posix_spawn(&process_, STICTION_PROGRAM, &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failed != 0) throw std::runtime_error("cannot start the program");
  }
  ~RunningProgram() {
    if (process_ > 0) end(SIGKILL);
    ::close(output_);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// The next line; shorter at the end of the output.
  std::string line() {
    std::string text;
    char letter = 0;
    while (::read(output_, &letter, 1) == 1 && letter != '\n') text += letter;
    return text;
  }

  /// The port in the address that the program prints first.
  std::uint16_t port() {
    const std::string address = line();
    const std::size_t colon = address.rfind(':');
    if (!address.starts_with("http://127.0.0.1:")) throw std::runtime_error(address);
    return static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
  }

  /// Sends a signal; the exit code, or -1 if the signal ended it.
  int end(int signal) {
    ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

class ViewProgram : public testing::Test {
 protected:
  void SetUp() override {
    const test::LiveStage other;  // has the port, so that the program ends at once
    const auto answer = run_stiction({"view", scene, "--port", std::to_string(other.port())});
    if (answer.errors.find("without its viewer page") != std::string::npos) {
      GTEST_SKIP() << "built without the viewer page";
    }
  }
};

TEST_F(ViewProgram, ServesUntilCtrlCAndTellsWhatWasDone) {
  RunningProgram program({"view", scene, "--port", "0"});
  const std::uint16_t port = program.port();
  const auto page = test::exchange(port, test::http_request("GET", "/", test::host_of(port)));
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("stiction-data"), std::string::npos);
  WebClient client(port);
  client.wait_for("status", [](const json& status) { return status.at("time") > 0.05; });
  EXPECT_EQ(program.end(SIGINT), 0);
  EXPECT_NE(program.line().find("Ctrl-C"), std::string::npos);
  EXPECT_NE(program.line().find("steps of 0.001 s"), std::string::npos);
}

TEST_F(ViewProgram, EndsOnSigtermAlsoWhilePausedAndWatched) {
  RunningProgram program(
      {"view", scene, "--port", "0", "--paused", "--solver", "pgs", "--step", "0.002"});
  WebClient client(program.port());
  const json status = client.fresh_status();
  EXPECT_FALSE(status.at("playing"));
  EXPECT_EQ(status.at("settings").at("solver"), "pgs");
  EXPECT_EQ(status.at("settings").at("time_step"), 0.002);
  EXPECT_EQ(program.end(SIGTERM), 0);
}

TEST_F(ViewProgram, TakenPortIsAnErrorWithARemedy) {
  RunningProgram first({"view", scene, "--port", "0", "--paused"});
  const auto second = run_stiction({"view", scene, "--port", std::to_string(first.port())});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_EQ(second.output, "");
  EXPECT_NE(second.errors.find("give another --port"), std::string::npos) << second.errors;
}

/// The list of scenes is in a file of the user.
TEST_F(ViewProgram, OffersTheScenesThatWereViewedLast) {
  const test::TemporaryFolder folder;
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const auto scenes_of = [](const std::string& name) {
    RunningProgram program(
        {"view", STICTION_SOURCE_DIR "/models/scenes/" + name + ".xml", "--port", "0", "--paused"});
    WebClient client(program.port());
    const json scenes = client.fresh_status().at("scenes");
    EXPECT_EQ(program.end(SIGINT), 0);
    return scenes;
  };
  EXPECT_EQ(scenes_of("slope_box"), json({"slope_box"}));
  EXPECT_EQ(scenes_of("incline"), json({"incline", "slope_box"}));
  EXPECT_EQ(scenes_of("slope_box"), json({"slope_box", "incline"}));
  ::unsetenv("XDG_STATE_HOME");
}

TEST(ViewArguments, WrongOnesAreRefusedInOneLine) {
  const std::vector<std::vector<std::string>> usage{{"view"},
                                                    {"view", scene, "--port", "70000"},
                                                    {"view", scene, "--port", "-1"},
                                                    {"view", scene, "--port", "80x"},
                                                    {"view", scene, "--speed", "0"},
                                                    {"view", scene, "--speed", "nan"},
                                                    {"view", scene, "--solver", "magic"},
                                                    {"view", scene, "--prot", "1"}};
  for (const auto& arguments : usage) {
    const auto answer = run_stiction(arguments);
    EXPECT_EQ(answer.exit_code, 2) << answer.errors;
    EXPECT_EQ(answer.output, "");
    EXPECT_EQ(std::ranges::count(answer.errors, '\n'), 1) << answer.errors;
  }
  const auto missing = run_stiction({"view", "no/such/scene.xml"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.errors.find("no/such/scene.xml"), std::string::npos) << missing.errors;
}

}  // namespace
}  // namespace stiction
