// Our dynamics against MuJoCo 2.2.2, which nobody here wrote.

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "support/mjcf_text.hpp"
#include "support/mujoco_robot.hpp"
#include "support/partner_comparison.hpp"

namespace stiction::test {
namespace {

// Two independent computations in double of robots with some tens of bodies; the worst of them is
// the forward dynamics, whose rounding errors grow with the condition of M.
constexpr double tolerance = 1e-9;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DynamicsAgainstMujoco, LumpedAnymalFromTheSameFile) {
  const std::uint64_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::filesystem::path path = models_folder() / "anymal_lumped.xml";
  const Model model = load_model(path).model;
  ASSERT_EQ(model.velocity_count(), 18);
  MujocoRobot partner(read_text(path), model);
  const PartnerErrors errors = compare_at_random_states(partner, model, random, 100);
  print("anymal_lumped, MuJoCo", errors);
  expect_all_below(errors, tolerance);
}

// MuJoCo fuses the root of a URDF with the world, so it gets robots that float as MJCF.
void compare_floating_urdf(const char* file, int velocity_count, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  LoadOptions options;
  options.base = BaseKind::floating;
  const Model model = load_model(models_folder() / file, options).model;
  ASSERT_EQ(model.velocity_count(), velocity_count);
  MujocoRobot partner(mjcf_text(recipe_of(model), model), model);
  const PartnerErrors errors = compare_at_random_states(partner, model, random, 100);
  print((std::string(file) + ", MuJoCo").c_str(), errors);
  expect_all_below(errors, tolerance);
}

TEST(DynamicsAgainstMujoco, RomeoWithFloatingBase) { compare_floating_urdf("romeo.urdf", 37, 12); }

TEST(DynamicsAgainstMujoco, AnymalWithFloatingBase) {
  compare_floating_urdf("anymal.urdf", 18, 13);
}

// Here MuJoCo reads the file and merges its fixed links by itself.
TEST(DynamicsAgainstMujoco, AnymalWithFixedBaseFromTheSameFile) {
  const std::uint64_t seed = 14;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::filesystem::path path = models_folder() / "anymal.urdf";
  LoadOptions options;
  options.base = BaseKind::fixed;
  const Model model = load_model(path, options).model;
  ASSERT_EQ(model.velocity_count(), 12);
  MujocoRobot partner(read_text(path), model);
  const PartnerErrors errors = compare_at_random_states(partner, model, random, 100);
  print("anymal.urdf, fixed, MuJoCo", errors);
  // MuJoCo turns merged inertias into principal axes, and stops when that is good to about 1e-8.
  expect_all_below(errors, 1e-7);
  EXPECT_LT(errors.poses, tolerance);
  EXPECT_LT(errors.velocities, tolerance);
  EXPECT_LT(errors.jacobians, tolerance);
}

TEST(DynamicsAgainstMujoco, TwoHundredRandomTrees) {
  PartnerErrors all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const RobotRecipe recipe = random_tree(random);
    const Model model = make_model(recipe);
    MujocoRobot partner(mjcf_text(recipe, model), model);
    const PartnerErrors errors = compare_at_random_states(partner, model, random, 2);
    expect_all_below(errors, tolerance);
    all.include(errors);
  }
  print("200 random trees, MuJoCo", all);
}

}  // namespace
}  // namespace stiction::test
