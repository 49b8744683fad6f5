// Every scene of models/scenes is also a scene for MuJoCo: both read the same bodies, masses,
// joints, keyframes and poses.

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "support/mjcf_comparison.hpp"

namespace stiction::test {
namespace {

std::vector<std::filesystem::path> scene_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(STICTION_SOURCE_DIR) / "models/scenes";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder / "parts")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class SceneInMujoco : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(SceneInMujoco, HasTheSameBodiesMassesAndPoses) {
  MjcfComparison comparison(GetParam());
  // A dozen roundings of numbers of 17 digits; axes of inertia go through a quaternion.
  comparison.expect_same(1e-12, 1e-9);
  EXPECT_EQ(comparison.problems().count(Severity::warning), 0U);
}

INSTANTIATE_TEST_SUITE_P(Models, SceneInMujoco, testing::ValuesIn(scene_files()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(Scenes, PartsAreTheRobotsThatTheyWereTakenFrom) {
  const std::filesystem::path models = std::filesystem::path(STICTION_SOURCE_DIR) / "models";
  const auto expect_same = [&](const char* part, const char* robot) {
    const Model a = load_model(models / "scenes/parts" / part).model;
    const Model b = load_model(models / robot).model;
    ASSERT_EQ(a.body_count(), b.body_count());
    for (int body = 0; body < a.body_count(); ++body) {
      const int other = b.find_body(a.body_name(body)).value();
      EXPECT_NEAR(a.body_inertia(body).mass, b.body_inertia(other).mass, 1e-12);
      EXPECT_LT((a.body_inertia(body).center_of_mass - b.body_inertia(other).center_of_mass).norm(),
                1e-12);
      EXPECT_LT((a.body_inertia(body).inertia - b.body_inertia(other).inertia).norm(), 1e-12);
      if (body > 0) {
        EXPECT_LT((a.joint_pose(body).matrix() - b.joint_pose(other).matrix()).norm(), 1e-12);
        EXPECT_LT((a.joint_axis(body) - b.joint_axis(other)).norm(), 1e-12);
      }
    }
  };
  expect_same("anymal.xml", "anymal_lumped.xml");
  expect_same("beth.xml", "beth.urdf");
}

}  // namespace
}  // namespace stiction::test
