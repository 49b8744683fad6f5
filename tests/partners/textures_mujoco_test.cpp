// Builtin textures, pixel by pixel, in MuJoCo and here.

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "stiction/io/load.hpp"
#include "stiction/model/appearance.hpp"
#include "support/temporary_folder.hpp"

namespace stiction::test {
namespace {

TEST(TexturesInMujoco, BuiltinPatternsAreTheSame) {
  TemporaryFolder folder;
  for (const char* builtin : {"flat", "checker", "gradient"}) {
    for (const char* mark : {"none", "edge", "cross"}) {
      SCOPED_TRACE(fmt::format("{} {}", builtin, mark));
      const std::string text = fmt::format(
          "<mujoco><asset><texture name='t' type='2d' builtin='{}' mark='{}' rgb1='.2 .3 .4' "
          "rgb2='.9 .1 .5' markrgb='0 1 0' width='40' height='24'/><material name='m' "
          "texture='t'/></asset><worldbody><geom type='plane' size='1 1 1' material='m'/>"
          "</worldbody></mujoco>",
          builtin, mark);
      const auto file = folder.write("scene.xml", text);
      const LoadedModel loaded = load_model(file);
      const Texture& ours = appearance_of(loaded.model).textures.at(0);
      char error[1000] = "";
      mjModel* theirs = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
      ASSERT_NE(theirs, nullptr) << error;
      ASSERT_EQ(ours.columns, theirs->tex_width[0]);
      ASSERT_EQ(ours.rows, theirs->tex_height[0]);
      int worst = 0;
      for (std::size_t i = 0; i < ours.pixels.size(); ++i) {
        worst = std::max(worst, std::abs(ours.pixels[i] - theirs->tex_rgb[i]));
      }
      // Gradients are computed in other precision there.
      EXPECT_LE(worst, 1);
      mj_deleteModel(theirs);
    }
  }
}

}  // namespace
}  // namespace stiction::test
