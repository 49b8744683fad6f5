// Controls that vary in time on the command line: tables and sines.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "support/program.hpp"

namespace stiction {
namespace {

using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// A light arm on a hinge without gravity, driven by a motor of its own name and by a fast position
/// actuator; and a hinge that nothing drives.
constexpr const char* arm_file = R"(<mujoco model="arm">
  <option timestep="0.001" gravity="0 0 0"/>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    </body>
    <body name="wheel" pos="1 0 0">
      <joint name="turn" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
    </body>
    <body name="free" pos="2 0 0">
      <joint name="loose" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="shoulder" joint="shoulder" ctrllimited="true" ctrlrange="-3 3"/>
    <general name="servo" joint="turn" gainprm="4000" biastype="affine" biasprm="0 -4000 -40"/>
  </actuator>
</mujoco>)";

/// Columns of a recording as a table.
std::map<std::string, std::vector<double>> columns_of(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  std::vector<std::string> names;
  std::istringstream head(line);
  for (std::string name; std::getline(head, name, ',');) names.push_back(name);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(stream, line)) {
    std::istringstream row(line);
    std::size_t i = 0;
    for (std::string word; std::getline(row, word, ',');) {
      columns[names[i++]].push_back(std::stod(word));
    }
  }
  return columns;
}

class Drives : public ::testing::Test {
 protected:
  Drives() { folder_.write("arm.xml", arm_file); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  /// Runs 1 s, with a row per step.
  std::map<std::string, std::vector<double>> run(std::vector<std::string> controls,
                                                 const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"simulate", path("arm.xml"),  "--duration",
                                       "1",        "--record-every", "1",
                                       "--csv",    path("run.csv")};
    for (std::string& control : controls) {
      arguments.emplace_back("--control");
      arguments.push_back(std::move(control));
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_stiction(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    output_ = result.output;
    return columns_of(path("run.csv"));
  }

  std::string error_of(const std::string& control) {
    const ProgramResult result =
        run_stiction({"simulate", path("arm.xml"), "--duration", "0.1", "--control", control});
    EXPECT_NE(result.exit_code, 0);
    return result.errors;
  }

  TemporaryFolder folder_;
  std::string output_;
};

/// A torque A sin ωt on an inertia I from rest: the angle is A/(Iω) (t − sin(ωt)/ω).
TEST_F(Drives, ASineOfAMotorIsATorque) {
  const auto columns = run({"sine:shoulder,2,1.5"});
  const double omega = 2.0 * std::numbers::pi * 1.5;
  // The step holds the torque of its start: the error is of the order of the step, 1 ms.
  for (const std::size_t k : {250UL, 500UL, 1000UL}) {
    const double t = columns.at("time")[k];
    const double angle = 2.0 / omega * (t - std::sin(omega * t) / omega);
    EXPECT_NEAR(columns.at("q_shoulder")[k], angle, 2e-3) << t;
  }
  EXPECT_NE(output_.find("sine shoulder 2 at 1.5 Hz"), std::string::npos) << output_;
}

TEST_F(Drives, ASineOfAHeldJointIsAnAngle) {
  const auto columns = run({"pd", "sine:shoulder,0.4,0.5"}, {"--kp", "1600"});
  // Held by a servo now, although its motor has the same name. The servo is critically damped with
  // ω = √(1600 / 1.2) = 36 1/s or more: at 3.14 1/s it reaches 1 / (1 + 0.087²) of 0.4 rad.
  double most = 0.0;
  for (const double angle : columns.at("q_shoulder")) most = std::max(most, angle);
  EXPECT_NEAR(most, 0.397, 0.004);
}

TEST_F(Drives, ATableIsFollowedLinearlyAndHeldAtItsEnds) {
  folder_.write("ramp.csv", "time,servo\r\n0.2, 0\n0.6,0.8\n\n");
  const auto columns = run({"table:" + path("ramp.csv")});
  const auto at = [&](double time) {
    return columns.at("q_turn")[static_cast<std::size_t>(std::round(1000.0 * time))];
  };
  // The servo is fast: ω = √(4000/0.01) = 632 1/s at a lag of 40/4000 s = 10 ms, 2 rad/s.
  EXPECT_NEAR(at(0.1), 0.0, 1e-9);
  EXPECT_NEAR(at(0.4), 0.4, 0.025);
  EXPECT_NEAR(at(0.95), 0.8, 1e-6);
  EXPECT_NE(output_.find("table ramp.csv "), std::string::npos) << output_;
}

TEST_F(Drives, SeveralActTogether) {
  folder_.write("level.csv", "time,servo\n0,0.5\n");
  const auto columns = run({"table:" + path("level.csv"), "sine:turn,0.1,2", "sine:shoulder,1,1"});
  double least = 1.0;
  double most = 0.0;
  for (std::size_t k = 300; k < columns.at("q_turn").size(); ++k) {
    least = std::min(least, columns.at("q_turn")[k]);
    most = std::max(most, columns.at("q_turn")[k]);
  }
  EXPECT_NEAR(least, 0.4, 5e-3) << "the sine comes on top of the table";
  EXPECT_NEAR(most, 0.6, 5e-3);
  EXPECT_GT(columns.at("q_shoulder").back(), 0.1) << "and the other one acts, too";
}

TEST_F(Drives, TheSameRunContinues) {
  const auto hash = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"simulate", path("arm.xml"), "--json", "--control",
                                       "sine:turn,0.3,1.7"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_stiction(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output)["state_hash"].get<std::string>();
  };
  const std::string whole = hash({"--duration", "0.4"});
  hash({"--duration", "0.1", "--save-state", path("early.state")});
  EXPECT_EQ(hash({"--duration", "0.3", "--start", path("early.state")}), whole);
}

TEST_F(Drives, JointsWithoutActuatorsAreHeldByThemselves) {
  const ProgramResult result = run_stiction(
      {"simulate", "double_pendulum", "--duration", "0.1", "--control", "sine:shoulder,0.2,1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("pd initial pose, sine shoulder"), std::string::npos)
      << result.output;
}

TEST_F(Drives, WrongOnesAreToldWithFileAndLine) {
  folder_.write("no_head.csv", "0,1\n");
  folder_.write("word.csv", "time,servo\n0,1\n0.1,fast\n");
  folder_.write("order.csv", "time,servo\n0,1\n0,2\n");
  folder_.write("wide.csv", "time,servo\n0,1,2\n");
  folder_.write("empty.csv", "time,servo\n");
  folder_.write("name.csv", "time,sevro\n0,1\n");
  folder_.write("range.csv", "time,shoulder\n0,1\n0.5,4\n");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"table:" + path("none.csv"), "there is no such table"},
      {"table:" + path("no_head.csv"), "no_head.csv:1: error: the first line is not the head"},
      {"table:" + path("word.csv"), "word.csv:3: error: 'fast' is not a finite number"},
      {"table:" + path("order.csv"), "order.csv:3: error: time 0 does not come after"},
      {"table:" + path("wide.csv"), "wide.csv:2: error: 3 numbers for time and 1 names"},
      {"table:" + path("empty.csv"), "the table has no rows"},
      {"table:" + path("name.csv"), "did you mean 'servo'"},
      {"table:" + path("range.csv"), "range.csv:3: error: 4 for 'shoulder' is outside"},
      {"sine:turn,1", "give sine:NAME,AMPLITUDE,FREQUENCY"},
      {"sine:turn,1,-2", "the frequency '-2'"},
      {"sine:trun,1,2", "did you mean 'turn'"},
      {"sine:loose,1,2", "nothing holds joint 'loose'"}};
  for (const auto& [control, message] : wrong) {
    EXPECT_NE(error_of(control).find(message), std::string::npos) << control << error_of(control);
  }
}

TEST_F(Drives, TwoKindsExcludeEachOther) {
  const ProgramResult result = run_stiction(
      {"simulate", path("arm.xml"), "--duration", "0.1", "--control", "pd", "--control", "zero"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("exclude each other"), std::string::npos) << result.errors;
}

TEST_F(Drives, ATableIsNotOverwritten) {
  folder_.write("ramp.csv", "time,servo\n0,0\n");
  const ProgramResult result =
      run_stiction({"simulate", path("arm.xml"), "--duration", "0.1", "--control",
                    "table:" + path("ramp.csv"), "--csv", path("ramp.csv")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("is also an input file"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace stiction
