// --pose and --ctrl: a robot without keyframes starts and is driven from the command line.

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// A finger whose second joint follows the first, driven by a servo, and a bob on a slider.
constexpr char scene[] = R"(<mujoco><worldbody>
  <body name="finger"><joint name="knuckle" axis="0 1 0" range="-90 90" damping="0.1"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 0" mass="0.1"/>
    <body name="tip" pos="0.1 0 0"><joint name="follower" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 0" mass="0.1"/></body></body>
  <body name="bob" pos="1 0 0"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom size="0.1" mass="1"/></body></worldbody>
  <equality><joint joint1="follower" joint2="knuckle" polycoef="0 0.5 0 0 0"/></equality>
  <actuator><position name="bend" joint="knuckle" kp="20" ctrlrange="-1.5 1.5"/>
    <motor name="pull" joint="rail"/></actuator></mujoco>)";

class Pose : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(file()) << scene; }
  [[nodiscard]] std::string file() const { return (folder_.path() / "finger.xml").string(); }
  [[nodiscard]] ProgramResult run(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"simulate", file()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_stiction(arguments);
  }
  /// Columns of the first and last line of the run's table.
  [[nodiscard]] std::vector<std::vector<double>> table(std::vector<std::string> more) const {
    const std::string csv = (folder_.path() / "run.csv").string();
    more.insert(more.end(), {"--csv", csv, "--record-every", "1"});
    const ProgramResult result = run(more);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    std::ifstream lines(csv);
    std::vector<std::vector<double>> rows;
    std::string line;
    std::getline(lines, line);  // names
    while (std::getline(lines, line)) {
      std::vector<double> row;
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
      rows.push_back(row);
    }
    return rows;
  }
  TemporaryFolder folder_;
};

TEST_F(Pose, JointsStartWhereTheListSaysAndCoupledOnesFollow) {
  const auto rows = table({"--pose", "knuckle=30deg,rail=0.25", "--duration", "0.004"});
  ASSERT_GE(rows.size(), 2U);
  EXPECT_NEAR(rows[0][1], 0.523599, 1e-6);
  EXPECT_NEAR(rows[0][2], 0.2617994, 1e-6);
  EXPECT_NEAR(rows[0][3], 0.25, 1e-12);
}

TEST_F(Pose, ServosHoldThePose) {
  const auto rows = table({"--pose", "knuckle=0.5", "--duration", "2"});
  EXPECT_NEAR(rows.back()[1], 0.5, 0.02);  // 0.3 N·m of weight on 20 N·m/rad
}

TEST_F(Pose, ControlsOfSingleActuatorsAct) {
  const auto rows = table({"--ctrl", "bend=-0.4", "--ctrl", "pull=2", "--duration", "1"});
  EXPECT_NEAR(rows.back()[1], -0.4, 0.02);
  EXPECT_NEAR(rows.back()[3], 1.0, 0.01);  // ½ (2 N / 1 kg) (1 s)²
}

TEST_F(Pose, WrongListsAreRefusedWithWhatExists) {
  const auto refused = [&](std::vector<std::string> more, const std::string& part) {
    const ProgramResult result = run(std::move(more));
    EXPECT_EQ(result.exit_code, 1) << part;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  };
  refused({"--pose", "knuckel=1"}, "did you mean 'knuckle'?");
  refused({"--pose", "elbow=1"}, "choose from knuckle, follower, rail");
  refused({"--pose", "knuckle=2"}, "outside its range of -1.5708 to 1.5708");
  refused({"--pose", "knuckle=nan"}, "is not NAME=VALUE");
  refused({"--pose", "knuckle=1,"}, "is not NAME=VALUE");
  refused({"--pose", "=1"}, "is not NAME=VALUE");
  refused({"--pose", "rail=5deg"}, "slides, and was given degrees");
  refused({"--ctrl", "bent=1"}, "did you mean 'bend'?");
  refused({"--ctrl", "bend=9"}, "outside its control range");
  refused({"--ctrl", "bend=1", "--control", "zero"}, "--ctrl has no effect");
}

/// Bent legs end on the floor, not in it or above it.
TEST(PoseOfWalkers, ABentRobotIsPutOnTheFloor) {
  const ProgramResult result = run_stiction({"simulate", "anymal.urdf", "--pose",
                                             "LF_KFE=-1.2,RF_KFE=-1.2,LH_KFE=1.2,RH_KFE=1.2",
                                             "--duration", "0.001", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const json summary = json::parse(result.output, nullptr, false);
  EXPECT_GE(summary["most_contacts"].get<int>(), 2);
  EXPECT_LT(summary["deepest_overlap"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace stiction
