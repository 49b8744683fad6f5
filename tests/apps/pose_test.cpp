// --pose and --ctrl: a robot without keyframes starts and is driven from the command line.

#include <cstdlib>
#include <filesystem>
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

/// A box that floats, with a leg below it whose joint turns it up.
constexpr char one_leg[] = R"(<robot name="r"><link name="trunk">
  <inertial><mass value="5"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>
  <collision><geometry><box size=".4 .4 .2"/></geometry></collision></link>
  <link name="leg"><inertial><mass value="1"/>
  <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
  <collision><origin xyz="0 0 -.5"/><geometry><sphere radius=".05"/></geometry></collision></link>
  <joint name="hip" type="revolute"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="50" velocity="9"/></joint></robot>)";

/// Height of the base at the start of a run [m].
double start_height(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  const std::string table = (folder.path() / "run.csv").string();
  arguments.insert(arguments.end(), {"--duration", "0.001", "--csv", table, "--quiet"});
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::ifstream file(table);
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  std::istringstream names(header), values(row);
  for (std::string name, value; std::getline(names, name, ',') && std::getline(values, value, ',');)
    if (name.starts_with("q_") && name.ends_with("_2")) return std::stod(value);
  ADD_FAILURE() << "no height in " << header;
  return 0.0;
}

TEST(PosesOfSrdf, StandOnTheGround) {
  const TemporaryFolder folder;
  const std::string urdf = folder.write("r.urdf", one_leg).string();
  const std::string srdf = folder
                               .write("r.srdf",
                                      "<robot name='r'><group_state name='sit' group='g'><joint "
                                      "name='hip' value='1.5707963267948966'/></group_state>"
                                      "</robot>")
                               .string();
  EXPECT_NEAR(start_height(folder, {"simulate", urdf}), 0.55, 1e-9);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--keyframe", "sit"}}) {
    std::vector<std::string> arguments{"simulate", urdf, "--srdf", srdf};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_NEAR(start_height(folder, arguments), 0.1, 1e-9) << "on the trunk";
  }
}

TEST(PosesOfSrdf, AFixedRobotThatReachesBelowTheGroundIsTold) {
  const TemporaryFolder folder;
  const std::string urdf = folder.write("r.urdf", one_leg).string();
  const ProgramResult result =
      run_stiction({"simulate", urdf, "--base", "fixed", "--duration", "0.01"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("so no ground is added"), std::string::npos) << result.errors;
}

TEST(XacroTemplates, AreSimulatedAsTheyAreInspected) {
  const TemporaryFolder folder;
  folder.write("expanded.urdf", one_leg);
  const auto program =
      folder.write("bin/xacro", "#!/bin/sh\ncat \"$(dirname \"$1\")/expanded.urdf\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string robot =
      folder
          .write("robot.urdf.xacro",
                 "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
                 "<xacro:property name='m' value='1'/></robot>")
          .string();
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((folder.path() / "bin").string() + ":" + path).c_str(), 1);
  EXPECT_NEAR(start_height(folder, {"simulate", robot}), 0.55, 1e-9);
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace stiction
