// Our dynamics against DART 6.12, which nobody here wrote.

#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "support/dart_robot.hpp"
#include "support/partner_comparison.hpp"

namespace stiction::test {
namespace {

// As against MuJoCo: two independent computations in double.
constexpr double tolerance = 1e-9;

void compare_loaded_robot(const char* file, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  LoadOptions options;
  options.base = BaseKind::floating;
  const Model model = load_model(models_folder() / file, options).model;
  DartRobot partner(recipe_of(model), model);
  const PartnerErrors errors = compare_at_random_states(partner, model, random, 50);
  print((std::string(file) + ", DART").c_str(), errors);
  expect_all_below(errors, tolerance);
}

TEST(DynamicsAgainstDart, LumpedAnymal) { compare_loaded_robot("anymal_lumped.xml", 21); }

TEST(DynamicsAgainstDart, RomeoWithFloatingBase) { compare_loaded_robot("romeo.urdf", 22); }

TEST(DynamicsAgainstDart, AnymalWithFloatingBase) { compare_loaded_robot("anymal.urdf", 23); }

TEST(DynamicsAgainstDart, TwoHundredRandomTrees) {
  TreeOptions without_armature;  // DART has none
  without_armature.armature = false;
  PartnerErrors all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const RobotRecipe recipe = random_tree(random, without_armature);
    const Model model = make_model(recipe);
    DartRobot partner(recipe, model);
    const PartnerErrors errors = compare_at_random_states(partner, model, random, 1);
    expect_all_below(errors, tolerance);
    all.include(errors);
  }
  print("200 random trees, DART", all);
}

}  // namespace
}  // namespace stiction::test
