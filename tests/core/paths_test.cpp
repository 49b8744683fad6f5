#include "stiction/core/paths.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace stiction {
namespace {

// Sets STICTION_MODELS for the time of one test.
class Paths : public testing::Test {
 protected:
  void TearDown() override { unsetenv("STICTION_MODELS"); }
  static void set_models(const std::string& folder) {
    setenv("STICTION_MODELS", folder.c_str(), /*overwrite=*/1);
  }
};

TEST_F(Paths, BuildTreeFindsTheModelsOfItsSources) {
  unsetenv("STICTION_MODELS");
  EXPECT_TRUE(std::filesystem::equivalent(models_folder(), STICTION_SOURCE_DIR "/models"));
  EXPECT_TRUE(std::filesystem::exists(models_folder() / "anymal.urdf"));
}

TEST_F(Paths, EnvironmentComesFirst) {
  set_models(testing::TempDir());
  EXPECT_TRUE(std::filesystem::equivalent(models_folder(), testing::TempDir()));
}

TEST_F(Paths, EmptyEnvironmentIsNone) {
  set_models("");
  EXPECT_TRUE(std::filesystem::equivalent(models_folder(), STICTION_SOURCE_DIR "/models"));
}

TEST_F(Paths, WrongEnvironmentIsNamedInTheError) {
  set_models("/nowhere/models");
  try {
    static_cast<void>(models_folder());
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/models"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stiction
