// What robots look like: textures and finishes of MJCF, materials of URDF, colors of mesh files.

#include "stiction/model/appearance.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/io/mesh_file.hpp"
#include "stiction/io/png_image.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// Two by two pixels: red, green above blue, white.
const std::vector<unsigned char> four_pixels{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};

/// A square of two triangles in the texture, and a triangle outside of it, in two materials.
const std::string panel_obj =
    "mtllib panel.mtl\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "usemtl front\nf 1/1 2/2 3/3 4/4\n"
    "usemtl back\nf 1 5 2\n";
const std::string panel_mtl =
    "newmtl front\nKd 1 1 1\nmap_Kd four.png\nnewmtl back\nKd 0.9 0.5 0.25\n";

class Looks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("four.png", write_color_png(2, 2, four_pixels));
    folder_.write("panel.obj", panel_obj);
    folder_.write("panel.mtl", panel_mtl);
  }

  [[nodiscard]] LoadedModel load(const std::string& text) const {
    return load_model(folder_.write("scene.xml", text));
  }

  /// A plane and a panel with what stands in <asset>.
  [[nodiscard]] LoadedModel mjcf(const std::string& assets, const std::string& look) const {
    return load("<mujoco><asset><mesh name='panel' file='panel.obj'/>" + assets +
                "</asset><worldbody><geom type='plane' size='1 2 1'/><body><freejoint/>"
                "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                "<geom type='mesh' mesh='panel' contype='0' conaffinity='0' " +
                look + "/></body></worldbody></mujoco>");
  }

  [[nodiscard]] static std::string urdf(const std::string& visual) {
    return "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
           "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='1 1 1'/>"
           "</geometry></collision><visual>" +
           visual + "</visual></link></robot>";
  }

  test::TemporaryFolder folder_;
};

std::size_t warnings_about(const ProblemList& problems, const std::string& word) {
  return static_cast<std::size_t>(
      std::ranges::count_if(problems.all(), [&](const Problem& problem) {
        return problem.severity == Severity::warning &&
               problem.what.find(word) != std::string::npos;
      }));
}

TEST_F(Looks, PngFilesKeepTheirPixels) {
  const ColorImage image = read_color_png(folder_.path() / "four.png", 100);
  EXPECT_EQ(image.problem, "");
  EXPECT_EQ(image.rows, 2);
  EXPECT_EQ(image.columns, 2);
  EXPECT_EQ(image.pixels, four_pixels);
  EXPECT_NE(read_color_png(folder_.path() / "four.png", 3).problem, "");
}

TEST_F(Looks, MjcfTexturesAreOnTheShapesThatNameThem) {
  const LoadedModel loaded = mjcf(
      "<texture name='four' type='2d' file='four.png'/>"
      "<material name='m' texture='four' texrepeat='3 2' texuniform='true' emission='0.5'/>",
      "material='m'");
  const Appearance& looks = appearance_of(loaded.model);
  ASSERT_EQ(looks.textures.size(), 1U);
  EXPECT_EQ(looks.textures[0].pixels, four_pixels);
  ASSERT_EQ(looks.finishes.size(), 1U);
  const Finish& finish = looks.finishes[0];
  EXPECT_EQ(finish.texture, 0);
  EXPECT_EQ(finish.repeat, (std::array{3.0, 2.0}));
  EXPECT_TRUE(finish.per_metre);
  EXPECT_FALSE(finish.on_all_sides);
  EXPECT_EQ(finish.emission, 0.5);
  EXPECT_EQ(looks.shape_finishes, (std::map<int, int>{{1, 0}})) << "the plane is shape 0";
  const MeshPaint& paint = looks.mesh_paints.at(0);
  ASSERT_EQ(paint.texture_triangles.size(), 3U);
  EXPECT_EQ(paint.texture_places[paint.texture_triangles[0][2]], (std::array{1.0F, 1.0F}));
  EXPECT_EQ(paint.texture_triangles[2][0], MeshPaint::none) << "its face names no places";
  EXPECT_TRUE(paint.colors.empty()) << "MuJoCo does not look at MTL";
  EXPECT_TRUE(loaded.problems.all().empty());
}

TEST_F(Looks, ShapesWithNothingButAColorHaveNoFinish) {
  const LoadedModel loaded = mjcf("<material name='m' rgba='1 0 0 1'/>", "material='m'");
  EXPECT_TRUE(appearance_of(loaded.model).empty());
  EXPECT_EQ(loaded.model.shapes()[1].color, (std::array{1.0F, 0.0F, 0.0F, 1.0F}));
}

TEST_F(Looks, BuiltinTexturesAreDrawn) {
  const LoadedModel loaded = mjcf(
      "<texture name='t' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' mark='edge' "
      "markrgb='0 1 0' width='8' height='8'/><material name='m' texture='t'/>",
      "material='m'");
  const Texture& texture = appearance_of(loaded.model).textures.at(0);
  const auto pixel = [&](int row, int column) {
    const auto at = texture.pixels.begin() + 3 * (8 * row + column);
    return std::vector<int>(at, at + 3);
  };
  EXPECT_EQ(pixel(0, 3), (std::vector{0, 255, 0}));
  EXPECT_EQ(pixel(1, 1), (std::vector{255, 0, 0}));
  EXPECT_EQ(pixel(1, 6), (std::vector{0, 0, 255}));
  EXPECT_EQ(pixel(6, 6), (std::vector{255, 0, 0}));
}

TEST_F(Looks, ATextureThatCannotBeReadIsAWarning) {
  for (const char* texture : {"type='2d' file='absent.png'", "type='2d' file='panel.obj'",
                              "type='skybox' file='four.png'", "type='2d'",
                              "type='cube' file='four.png' gridsize='3 4'"}) {
    const LoadedModel loaded = mjcf("<texture name='t' " + std::string(texture) +
                                        "/><material name='m' texture='t' rgba='1 0 0 1'/>",
                                    "material='m'");
    EXPECT_EQ(warnings_about(loaded.problems, "drawn in its color"), 1U) << texture;
    EXPECT_TRUE(appearance_of(loaded.model).textures.empty()) << texture;
  }
}

TEST_F(Looks, AMaterialWithATextureThatIsNotThereIsAnError) {
  EXPECT_THROW(static_cast<void>(mjcf("<material name='m' texture='t'/>", "material='m'")),
               InputError);
}

TEST_F(Looks, UrdfMeshesHaveTheColorsAndThePictureOfTheirMtl) {
  const LoadedModel loaded =
      load(urdf("<geometry><mesh filename='panel.obj' scale='2 -1 1'/></geometry>"));
  const Appearance& looks = appearance_of(loaded.model);
  const MeshPaint& paint = looks.mesh_paints.at(0);
  ASSERT_EQ(paint.triangle_colors.size(), 3U);
  EXPECT_EQ(paint.colors[paint.triangle_colors[0]], (std::array{1.0F, 1.0F, 1.0F}));
  EXPECT_EQ(paint.colors[paint.triangle_colors[2]], (std::array{0.9F, 0.5F, 0.25F}));
  ASSERT_EQ(looks.textures.size(), 1U);
  EXPECT_EQ(looks.textures[0].pixels, four_pixels);
  ASSERT_EQ(looks.shape_finishes.size(), 1U);
  EXPECT_EQ(looks.shape_finishes.begin()->first, 1) << "the box that collides is shape 0";
  // A mirror turns triangles round; each corner keeps its place in the picture.
  const Mesh& mesh = loaded.model.meshes()[0];
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3d& at = mesh.vertices[static_cast<std::size_t>(mesh.triangles[i][k])];
      const auto& place = paint.texture_places[paint.texture_triangles[i][k]];
      EXPECT_EQ(place[0], static_cast<float>(at.x() / 2.0));
      EXPECT_EQ(place[1], static_cast<float>(-at.y()));
    }
  }
  EXPECT_EQ(paint.texture_triangles[2][0], MeshPaint::none) << "its material has no picture";
}

TEST_F(Looks, UrdfMaterialsHaveTextures) {
  const LoadedModel loaded =
      load(urdf("<geometry><box size='1 1 1'/></geometry>"
                "<material name='m'><texture filename='four.png'/></material>"));
  const Appearance& looks = appearance_of(loaded.model);
  ASSERT_EQ(looks.textures.size(), 1U);
  EXPECT_EQ(looks.textures[0].pixels, four_pixels);
  EXPECT_TRUE(looks.finishes.at(0).on_all_sides);
  EXPECT_EQ(loaded.model.shapes()[1].color, (std::array{1.0F, 1.0F, 1.0F, 1.0F}))
      << "a texture without color is not darkened";
  const LoadedModel absent =
      load(urdf("<geometry><box size='1 1 1'/></geometry><material name='m'>"
                "<color rgba='1 0 0 1'/><texture filename='absent.png'/></material>"));
  EXPECT_EQ(warnings_about(absent.problems, "drawn in its color"), 1U);
  EXPECT_EQ(absent.model.shapes()[1].color, (std::array{1.0F, 0.0F, 0.0F, 1.0F}));
}

TEST_F(Looks, ColladaHasColors) {
  const std::string dae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>
<library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert><diffuse>
<color>0.25 0.5 0.75 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects><library_materials><material id="m"><instance_effect url="#e"/></material>
</library_materials><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa"
count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#pa" count="3"
stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="1" material="mm"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>
<visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="mm" target="#m"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>)";
  const MeshResult result = read_mesh(folder_.write("part.dae", dae), Eigen::Vector3d::Ones());
  ASSERT_EQ(result.problem, "");
  ASSERT_EQ(result.paint.triangle_colors.size(), 1U);
  EXPECT_EQ(result.paint.colors[result.paint.triangle_colors[0]], (std::array{0.25F, 0.5F, 0.75F}));
}

TEST_F(Looks, OddLooksOfAMeshDoNotRefuseIt) {
  folder_.write("odd.mtl", "Kd 1\nnewmtl a\nKd nan x 7\nmap_Kd\n");
  const MeshResult result = read_mesh(
      folder_.write("odd.obj",
                    "mtllib absent.mtl\nmtllib odd.mtl\nvt x nan\nvt 1e30\nv 0 0 0\nv 1 0 0\n"
                    "v 0 1 0\nusemtl a\nf 1/1 2/7 3/-9\nf 1/1 2/2 3/1\nusemtl\nf 1 2/x 3\n"),
      Eigen::Vector3d::Ones());
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.mesh.triangles.size(), 3U);
  for (const auto& places : result.paint.texture_triangles) {
    for (const std::uint32_t place : places) {
      EXPECT_TRUE(place == MeshPaint::none || place < result.paint.texture_places.size());
    }
  }
  for (const std::uint32_t color : result.paint.triangle_colors) {
    EXPECT_LT(color, result.paint.colors.size());
  }
}

}  // namespace
}  // namespace stiction
