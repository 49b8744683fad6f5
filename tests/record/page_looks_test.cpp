// Meshes, textures and finishes as the viewer gets them, and how a page stays small.

#include "stiction/record/page_looks.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stiction/io/png_image.hpp"
#include "stiction/model/appearance.hpp"
#include "stiction/model/model_builder.hpp"
#include "stiction/record/mesh_reduction.hpp"
#include "stiction/record/page.hpp"
#include "support/page_columns.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using nlohmann::json;

/// A ball of 2 rings * columns triangles, wavy so that its numbers do not compress well.
Mesh ball(int rings, int columns) {
  Mesh mesh;
  mesh.name = "ball";
  for (int ring = 0; ring <= rings; ++ring) {
    for (int column = 0; column < columns; ++column) {
      const double height = M_PI * ring / rings;
      const double angle = 2.0 * M_PI * column / columns;
      const double radius = 1.0 + 0.01 * std::sin(12.9898 * ring + 78.233 * column);
      mesh.vertices.emplace_back(radius * std::sin(height) * std::cos(angle),
                                 radius * std::sin(height) * std::sin(angle),
                                 radius * std::cos(height));
    }
  }
  for (int ring = 0; ring < rings; ++ring) {
    for (int column = 0; column < columns; ++column) {
      const int next = (column + 1) % columns;
      const int a = ring * columns + column;
      const int b = ring * columns + next;
      mesh.triangles.push_back({a, a + columns, b});
      mesh.triangles.push_back({b, a + columns, b + columns});
    }
  }
  return mesh;
}

Model with_meshes(std::vector<Mesh> meshes, const AppearanceSpec& looks) {
  ModelBuilder builder;
  for (Mesh& mesh : meshes) {
    Shape shape;
    shape.kind = ShapeKind::mesh;
    shape.collides = false;
    shape.mesh = builder.add_mesh(std::move(mesh));
    builder.add_world_shape(std::move(shape));
  }
  LinkSpec link{.name = "ball", .mass = 1.0};
  link.inertia.setIdentity();
  builder.add_joint({.name = "free", .kind = JointKind::floating, .child = builder.add_link(link)});
  Model model = builder.build();
  set_appearance(model, looks);
  return model;
}

std::size_t text_bytes(const json& list) {
  std::size_t bytes = 0;
  for (const json& entry : list) {
    for (const auto& [key, value] : entry.items()) {
      if (value.is_string()) bytes += value.get_ref<const std::string&>().size();
    }
  }
  return bytes;
}

TEST(PageLooks, FinishesAndTexturesAreInTheScene) {
  AppearanceSpec looks;
  const std::vector<unsigned char> pixels{255, 0, 0, 0, 255, 0};
  looks.textures.push_back({"two", 1, 2, pixels});
  looks.finishes.push_back({.name = "painted", .texture = 0, .repeat = {2.0, 3.0}});
  looks.shape_finishes[{world_body, 1}] = 0;
  looks.mesh_paints[1] = {.texture_places = {{0.5F, 0.25F}},
                          .texture_triangles = {{0, 0, 0}, {MeshPaint::none, 0, 0}},
                          .colors = {{1.0F, 0.0F, 0.0F}},
                          .triangle_colors = {0, 0}};
  const json scene = json::parse(scene_json(with_meshes({ball(2, 3), ball(1, 1)}, looks)));
  EXPECT_FALSE(scene["shapes"][0].contains("finish"));
  EXPECT_EQ(scene["shapes"][1]["finish"], 0);
  EXPECT_EQ(scene["finishes"][0]["texture"], 0);
  EXPECT_EQ(scene["finishes"][0]["repeat"], json({2.0, 3.0}));
  EXPECT_EQ(scene["textures"][0]["columns"], 2);
  test::TemporaryFolder folder;
  const auto file = folder.write("t.png", test::decode_base64(scene["textures"][0]["png"]));
  EXPECT_EQ(read_color_png(file, 2).pixels, pixels);
  EXPECT_FALSE(scene["meshes"][0].contains("texture_places"));
  EXPECT_TRUE(scene["meshes"][1].contains("texture_triangles"));
  EXPECT_EQ(scene["meshes"][1]["colors"], json({{1.0, 0.0, 0.0}}));
  EXPECT_FALSE(scene.contains("reduced"));
  EXPECT_NO_THROW(static_cast<void>(ScenePoses(scene.dump()))) << "pages accept the scene";
}

TEST(PageLooks, MeshesThatAreTooLargeForAPageAreDrawnWithFewerTriangles) {
  const Model model = with_meshes({ball(700, 700), ball(20, 20)}, {});
  const json scene = json::parse(scene_json(model));
  EXPECT_LE(text_bytes(scene["meshes"]), most_mesh_bytes);
  EXPECT_GT(text_bytes(scene["meshes"]), most_mesh_bytes / 2) << "what fits is drawn";
  EXPECT_TRUE(scene["reduced"].get<std::string>().starts_with(
      "1 of 2 meshes are drawn with fewer triangles, "))
      << scene["reduced"];
  EXPECT_EQ(model.meshes()[0].triangles.size(), 980'000U) << "the Model keeps them";
}

TEST(PageLooks, TexturesThatAreTooLargeForAPageHaveFewerPixels) {
  AppearanceSpec looks;
  Texture noise{"noise", 1200, 1200, {}};
  unsigned state = 1;
  for (int i = 0; i < 3 * 1200 * 1200; ++i) {
    state = state * 1664525U + 1013904223U;
    noise.pixels.push_back(static_cast<unsigned char>(state >> 24U));
  }
  looks.textures.push_back(noise);
  looks.finishes.push_back({.name = "noisy", .texture = 0});
  looks.shape_finishes[{world_body, 0}] = 0;
  const json scene = json::parse(scene_json(with_meshes({ball(2, 3)}, looks)));
  EXPECT_LE(text_bytes(scene["textures"]), most_texture_bytes);
  EXPECT_EQ(scene["textures"][0]["rows"], 600);
  EXPECT_EQ(scene["reduced"], "1 of 1 textures are drawn with fewer pixels");
}

TEST(PageLooks, FewerTrianglesStayCloseToTheMesh) {
  Mesh mesh = ball(200, 200);
  MeshPaint paint;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    paint.triangle_colors.push_back(
        mesh.vertices[static_cast<std::size_t>(mesh.triangles[i][0])].z() > 0.0 ? 1U : 0U);
  }
  reduce_triangles(mesh, paint, 5000);
  EXPECT_LE(mesh.triangles.size(), 5000U);
  EXPECT_GT(mesh.triangles.size(), 3000U);
  ASSERT_EQ(paint.triangle_colors.size(), mesh.triangles.size());
  // The waves are 0.01 high, and the middle of a cell lies below them by some of its size, 0.05.
  for (const Eigen::Vector3d& vertex : mesh.vertices) EXPECT_NEAR(vertex.norm(), 1.0, 0.03);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto corner = [&](std::size_t k) {
      return mesh.vertices[static_cast<std::size_t>(mesh.triangles[i][k])];
    };
    const Eigen::Vector3d middle = (corner(0) + corner(1) + corner(2)) / 3.0;
    if (std::abs(middle.z()) < 0.1) continue;
    EXPECT_EQ(paint.triangle_colors[i], middle.z() > 0.0 ? 1U : 0U) << i;
  }
}

TEST(PageLooks, SpatialTendonsAreInTheSceneAndFixedOnesNot) {
  ModelBuilder builder;
  LinkSpec link{.name = "arm", .mass = 1.0};
  link.inertia.setIdentity();
  const int arm = builder.add_link(link);
  const int joint = builder.add_joint({.name = "hinge", .kind = JointKind::revolute, .child = arm});
  Tendon spatial{.name = "thread", .kind = Tendon::Kind::spatial};
  spatial.path.resize(3);
  spatial.path[1].kind = Tendon::Part::Kind::cylinder;
  spatial.path[1].radius = 0.1;
  spatial.path[2].body = arm;
  spatial.path[2].pose.translation() = Eigen::Vector3d(1, 2, 3);
  builder.add_tendon({.name = "sum", .kind = Tendon::Kind::fixed, .terms = {{joint, 1.0}}});
  builder.add_tendon(spatial);
  const json scene = json::parse(scene_json(builder.build()));
  ASSERT_EQ(scene["tendons"].size(), 1U);
  EXPECT_EQ(scene["tendons"][0]["name"], "thread");
  const json& path = scene["tendons"][0]["path"];
  EXPECT_EQ(path[0]["body"], -1);
  EXPECT_EQ(path[1]["kind"], "cylinder");
  EXPECT_EQ(path[1]["radius"], 0.1);
  EXPECT_EQ(path[2]["position"], json({1.0, 2.0, 3.0}));
}

}  // namespace
}  // namespace stiction
