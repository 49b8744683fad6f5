// The commands of the tutorials, run in their order as they are printed.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/io/load.hpp"
#include "stiction/record/state_file.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// Lines of the ```sh blocks of a page.
std::vector<std::string> commands_of(const fs::path& page) {
  std::ifstream file(page);
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
    } else if (inside && !line.empty()) {
      commands.push_back(line);
    }
  }
  return commands;
}

/// A folder that looks like the clone: `./run` is the program, `models` those of the project.
class Tutorial : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_symlink(STICTION_PROGRAM, folder_.path() / "run");
    fs::create_symlink(fs::path(STICTION_SOURCE_DIR) / "models", folder_.path() / "models");
  }
  [[nodiscard]] int run(const std::string& command) const {
    const std::string line = "cd " + test::shell_quoted(folder_.path().string()) + " && { " +
                             command + "; } > output 2>&1";
    return std::system(line.c_str());  // NOLINT: a tutorial is for the shell
  }
  [[nodiscard]] std::string output() const {
    std::ifstream file(folder_.path() / "output");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  test::TemporaryFolder folder_;
};

TEST_F(Tutorial, BringYourOwnRobotWorksAsPrinted) {
  const std::vector<std::string> commands =
      commands_of(fs::path(STICTION_SOURCE_DIR) / "docs/bring_your_own_robot.md");
  ASSERT_GE(commands.size(), 8U);
  std::string broken;
  for (const std::string& command : commands) {
    EXPECT_EQ(run(command), 0) << command << '\n' << output();
    if (command.find("inspect broken.urdf") != std::string::npos) broken = output();
    if (command.find("simulate") != std::string::npos) {
      EXPECT_NE(output().find("every step certified"), std::string::npos) << command;
    }
  }
  EXPECT_NE(broken.find("has a mass of 1.68e+04 kg"), std::string::npos) << broken;
  EXPECT_NE(broken.find("span up to 360 rad"), std::string::npos) << broken;
}

/// Where the cube of lift.xml is after closing with `grip` and raising by 0.275 m [m].
TEST_F(Tutorial, TheGripperLiftsTheCubeAndDoesNotIfItStaysOpen) {
  const auto height = [&](const std::string& grip) {
    const std::string scene = "./run simulate models/scenes/lift.xml --quiet ";
    EXPECT_EQ(run(scene + "--pose lift=-0.075 --ctrl grip=" + grip +
                  " --duration 0.5 --save-state closed.state"),
              0);
    EXPECT_EQ(run(scene + "--start closed.state --ctrl lift=0.2,grip=" + grip +
                  " --duration 2 --save-state up.state"),
              0);
    const Model model = load_model(fs::path(STICTION_SOURCE_DIR) / "models/scenes/lift.xml").model;
    const State state = load_state(folder_.path() / "up.state", model);
    return state.q[model.joint(*model.find_joint("cube_joint")).position_index + 2];
  };
  EXPECT_GT(height("0.04"), 0.28);
  EXPECT_NEAR(height("0.0165"), 0.02, 1e-6);
}

}  // namespace
}  // namespace stiction
