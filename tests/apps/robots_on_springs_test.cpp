// Robots that others wrote, on springs, through the program and with default options.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "support/program.hpp"

namespace stiction {
namespace {

class RobotsOnSprings : public ::testing::TestWithParam<const char*> {};

/// A run that explodes ends with an error. Each starts where its file says, some 20 mm deep.
TEST_P(RobotsOnSprings, RunThroughTheProgram) {
  const std::filesystem::path scene =
      std::filesystem::path(STICTION_REFERENCE_DIR) / "menagerie" / GetParam() / "scene.xml";
  if (!std::filesystem::exists(scene)) GTEST_SKIP() << scene << " is not there";
  const test::ProgramResult result = test::run_stiction(
      {"simulate", scene.string(), "--contact", "viscoelastic", "--duration", "0.3"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("every limit and lock certified"), std::string::npos)
      << result.output;
}

INSTANTIATE_TEST_SUITE_P(Menagerie, RobotsOnSprings,
                         ::testing::Values("agility_cassie", "aloha", "anybotics_anymal_c",
                                           "flexiv_rizon4", "kinova_gen3", "low_cost_robot_arm",
                                           "robotiq_2f85", "skydio_x2", "stanford_tidybot",
                                           "unitree_go1", "unitree_h1"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace stiction
