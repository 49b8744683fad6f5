// Actuators with a force range, from a file through the whole program to the recorded angles.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace stiction {
namespace {

using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// The last row of a table that `simulate --csv` wrote, by column.
std::map<std::string, double> last_row(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string head;
  std::getline(file, head);
  std::string line;
  std::string last;
  while (std::getline(file, line)) last = line;
  std::map<std::string, double> row;
  std::istringstream names(head);
  std::istringstream numbers(last);
  std::string name;
  std::string number;
  while (std::getline(names, name, ',') && std::getline(numbers, number, ',')) {
    row[name] = std::stod(number);
  }
  return row;
}

std::map<std::string, double> end_of_run(const std::string& file, const std::string& duration,
                                         const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  const std::filesystem::path csv = folder.path() / "run.csv";
  std::vector<std::string> command{"simulate", file, "--duration", duration, "--csv", csv.string()};
  command.insert(command.end(), more.begin(), more.end());
  const ProgramResult result = run_stiction(command);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return last_row(csv);
}

/// A horizontal arm of 1 kg at 0.5 m, held at angle 0 by a servo, with damping to settle.
std::map<std::string, double> end_of_arm(const std::string& actuator) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "arm.xml";
  std::ofstream(file) << fmt::format(R"(<mujoco>
  <worldbody>
    <body>
      <joint name="elbow" type="hinge" axis="0 -1 0" damping="3"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
    </body>
  </worldbody>
  <actuator>
    {}
  </actuator>
</mujoco>)",
                                     actuator);
  return end_of_run(file.string(), "20");
}

constexpr double load = 9.81 * 0.5;  // torque of gravity at angle 0 [N·m]

TEST(ActuatorRange, WideRangeHoldsTheArm) {
  const auto end = end_of_arm(R"(<position joint="elbow" kp="100" forcerange="-50 50"/>)");
  const double q = end.at("q_elbow");
  EXPECT_NEAR(-100.0 * q, load * std::cos(q), 1e-6);
}

TEST(ActuatorRange, NarrowRangeHoldsWhatItCan) {
  const auto end = end_of_arm(R"(<position joint="elbow" kp="100" forcerange="-4 4"/>)");
  EXPECT_NEAR(end.at("q_elbow"), -std::acos(4.0 / load), 1e-6);
}

/// The range bounds the force before the gear, so a negative gear turns it around.
TEST(ActuatorRange, NegativeGearTurnsTheRangeAround) {
  const auto up = end_of_arm(R"(<position joint="elbow" kp="100" gear="-2" forcerange="-2 0.5"/>)");
  EXPECT_NEAR(up.at("q_elbow"), -std::acos(4.0 / load), 1e-6);
  const auto down =
      end_of_arm(R"(<position joint="elbow" kp="100" gear="-2" forcerange="-0.5 2"/>)");
  EXPECT_NEAR(down.at("q_elbow"), -std::acos(1.0 / load), 1e-6);
}

/// A robot that others wrote, beside the engine that others wrote.
TEST(ActuatorRange, Go1StandsAsInMuJoCo) {
  const std::filesystem::path reference = STICTION_REFERENCE_DIR;
  const std::filesystem::path scene = reference / "menagerie/unitree_go1/scene.xml";
  const std::filesystem::path answers = reference / "mujoco3/menagerie__unitree_go1__scene.json";
  if (!std::filesystem::exists(scene) || !std::filesystem::exists(answers)) {
    GTEST_SKIP() << "the published robot is not in " << reference;
  }
  const nlohmann::json expected = nlohmann::json::parse(std::ifstream(answers));
  const nlohmann::json& runs = expected["trajectories"];
  const std::vector<double> qpos = runs["own"]["qpos"].back();
  const double stiff_height = runs["stiff"]["qpos"].back()[2];
  const auto end = end_of_run(scene.string(), "2", {"--keyframe", "home"});
  // The file asks for soft feet, which sink in by 14 mm; stiff ones still do by a millimetre.
  EXPECT_NEAR(end.at("q_trunk_joint_2"), stiff_height, 0.003);
  // The feet start 18 mm in the floor, and how they leave it decides where they stand: MuJoCo's own
  // two runs, soft and stiff, differ by this.
  double apart = 0.0;
  for (std::size_t i = 7; i < qpos.size(); ++i) {
    apart = std::max(apart, std::abs(qpos[i] - runs["stiff"]["qpos"].back()[i].get<double>()));
  }
  int entry = 7;
  for (const char* leg : {"FR", "FL", "RR", "RL"}) {
    for (const char* joint : {"hip", "thigh", "calf"}) {
      const std::string name = fmt::format("q_{}_{}_joint", leg, joint);
      EXPECT_NEAR(end.at(name), qpos[static_cast<std::size_t>(entry++)], apart) << name;
    }
  }
}

}  // namespace
}  // namespace stiction
