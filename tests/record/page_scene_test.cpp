#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stiction/core/problem.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/record/page.hpp"
#include "support/page_columns.hpp"
#include "support/robots.hpp"

namespace stiction {
namespace {

using nlohmann::json;

std::vector<std::filesystem::path> scene_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder() / "scenes")) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// A fixed mesh; its hull has other vertices, in another order, than itself.
Model tetrahedron_model() {
  Mesh mesh;
  mesh.name = "tetrahedron";
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  mesh.hull_vertices = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  mesh.hull_triangles = {{3, 2, 1}, {3, 1, 0}, {3, 0, 2}, {1, 2, 0}};
  ModelBuilder builder;
  Shape shape;
  shape.kind = ShapeKind::mesh;
  shape.mesh = builder.add_mesh(std::move(mesh));
  builder.add_world_shape(std::move(shape));
  LinkSpec ball{.name = "ball", .mass = 1.0};
  ball.inertia.setIdentity();
  builder.add_joint({.name = "free", .kind = JointKind::floating, .child = builder.add_link(ball)});
  return builder.build();
}

/// The scene's poses are those of the kernels, at random positions.
void expect_same_poses(const Model& model, Random& random) {
  const ScenePoses scene(scene_json(model));
  ASSERT_EQ(scene.body_count(), model.body_count());
  ASSERT_EQ(scene.position_count(), model.position_count());
  DynamicsData<double> data(model);
  for (int trial = 0; trial < 3; ++trial) {
    const test::RandomState state(random, model);
    update_kinematics(model, data, state.q, state.v);
    const std::vector<Eigen::Isometry3d> poses = scene.poses(state.q);
    for (int body = 0; body < model.body_count(); ++body) {
      const Eigen::Isometry3d& pose = poses[static_cast<std::size_t>(body)];
      const BodyData<double>& entry = data.bodies[static_cast<std::size_t>(body)];
      // Rounding of forty joints on top of each other, some metres from the origin.
      EXPECT_LT((pose.translation() - to_eigen(entry.position)).norm(), 1e-12) << body;
      EXPECT_LT((pose.linear() - to_eigen(entry.rotation)).norm(), 1e-12) << body;
    }
  }
}

TEST(PageScene, PosesAreThoseOfTheKernels) { test::for_each_robot(100, expect_same_poses); }

TEST(PageScene, PosesOfAllScenesAreThoseOfTheKernels) {
  for (const std::filesystem::path& file : scene_files()) {
    SCOPED_TRACE(file.string());
    Random random(7);
    expect_same_poses(load_model(file).model, random);
  }
}

TEST(PageScene, HoldsWhatIsDrawn) {
  const Model model = load_model(models_folder() / "scenes" / "quadruped_terrain.xml").model;
  const json scene = json::parse(scene_json(model));
  EXPECT_EQ(scene["name"], model.name());
  EXPECT_EQ(scene["gravity"], json({0.0, 0.0, -9.81}));
  ASSERT_EQ(scene["shapes"].size(), model.shapes().size());
  for (std::size_t i = 0; i < model.shapes().size(); ++i) {
    const Shape& shape = model.shapes()[i];
    EXPECT_EQ(scene["shapes"][i]["body"], shape.body);
    EXPECT_EQ(scene["shapes"][i]["size"][0], shape.size[0]);
    EXPECT_EQ(scene["shapes"][i]["visible"], shape.visible);
    EXPECT_EQ(scene["shapes"][i]["collides"], shape.collides);
  }
  ASSERT_EQ(scene["height_fields"].size(), 1U);
  const HeightField& field = model.height_fields().front();
  const auto heights = test::unpack<float>(scene["height_fields"][0]["heights"]);
  ASSERT_EQ(heights.size(), field.heights.size());
  for (std::size_t i = 0; i < heights.size(); ++i) {
    EXPECT_EQ(heights[i], static_cast<float>(field.heights[i]));
  }
  const auto same_kind = [](const json& shape) { return shape["kind"] == "height_field"; };
  EXPECT_TRUE(std::ranges::any_of(scene["shapes"], same_kind)) << "kinds are one word each";
}

TEST(PageScene, MeshesComeWithTheirHulls) {
  const Model model = tetrahedron_model();
  const json scene = json::parse(scene_json(model));
  ASSERT_EQ(scene["meshes"].size(), 1U);
  const json& mesh = scene["meshes"][0];
  EXPECT_EQ(test::unpack<float>(mesh["vertices"]),
            (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(test::unpack<std::uint32_t>(mesh["triangles"]),
            (std::vector<std::uint32_t>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
  EXPECT_EQ(test::unpack<float>(mesh["hull_vertices"]),
            (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(test::unpack<std::uint32_t>(mesh["hull_triangles"]),
            (std::vector<std::uint32_t>{3, 2, 1, 3, 1, 0, 3, 0, 2, 1, 2, 0}));
}

TEST(PageScene, QOfAnotherLengthIsRefused) {
  const Model model = load_model(models_folder() / "pendulum.urdf").model;
  const ScenePoses scene(scene_json(model));
  EXPECT_THROW(static_cast<void>(scene.poses(Eigen::VectorXd::Zero(2))), std::invalid_argument);
}

std::string scene_error(const std::string& text) {
  try {
    const ScenePoses scene(text);
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1U);
    EXPECT_FALSE(error.problems().all().front().remedy.empty());
    return error.what();
  }
  return "no error";
}

TEST(PageScene, DamagedScenesAreRefusedWithThePlace) {
  const Model model = load_model(models_folder() / "scenes" / "quadruped_boxes.xml").model;
  const json good = json::parse(scene_json(model));
  EXPECT_EQ(scene_error(good.dump()), "no error");
  EXPECT_NE(scene_error("{\"name\": ").find("not a JSON object"), std::string::npos);
  EXPECT_NE(scene_error("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(scene_error("").find("not a JSON object"), std::string::npos);

  struct Damage {
    std::function<void(json&)> act;
    const char* message;
  };
  const std::vector<Damage> damages{
      {[](json& s) { s.erase("bodies"); }, "has no 'bodies'"},
      {[](json& s) { s["bodies"] = 3; }, "'bodies' that is not a list"},
      {[](json& s) { s["bodies"][2] = "leg"; }, "body 2 is not an object"},
      {[](json& s) { s["bodies"][2]["parent"] = 2; }, "body 2 has a 'parent'"},
      {[](json& s) { s["bodies"][2]["parent"] = -2; }, "body 2 has a 'parent'"},
      {[](json& s) { s["bodies"][2]["parent"] = 0.5; }, "body 2 has a 'parent'"},
      {[](json& s) { s["bodies"][2]["parent"] = 18446744073709551615u; }, "body 2 has a 'parent'"},
      {[](json& s) { s["bodies"][2]["name"] = 1; }, "'name' that is not a string"},
      {[](json& s) { s["bodies"][2]["joint"]["kind"] = "fixed"; }, "not a kind of joint"},
      {[](json& s) { s["bodies"][2]["joint"]["kind"] = nullptr; }, "'kind' that is not a string"},
      {[](json& s) { s["bodies"][2]["joint"]["index"] = 1000000; },
       "'index' that is not an integer"},
      {[](json& s) { s["bodies"][2]["joint"]["index"] = -1; }, "'index' that is not an integer"},
      {[](json& s) {
         s["bodies"][2]["joint"]["axis"] = {0, 0, 0};
       },
       "does not have unit length"},
      {[](json& s) {
         s["bodies"][2]["joint"]["axis"] = {0, 1};
       },
       "2 numbers in 'axis'"},
      {[](json& s) { s["bodies"][2]["joint"]["position"][1] = nullptr; },
       "does not contain only finite numbers"},
      {[](json& s) { s["bodies"][2]["joint"]["quaternion"][3] = 1e200; },
       "does not have unit length"},
      {[](json& s) { s["bodies"][1]["joint"]["kind"] = "floating"; }, "parent is not the world"},
      {[](json& s) { s["position_count"] = 7; }, "'position_count'"},
      {[](json& s) { s["shapes"][0]["body"] = 1000; }, "shape 0 has a 'body'"},
      {[](json& s) { s["shapes"][0]["mesh"] = 0; }, "shape 0 has a 'mesh'"},
      {[](json& s) { s["shapes"][0]["visible"] = 1; }, "neither true nor false"},
      {[](json& s) { s["shapes"][0]["friction"] = "much"; },
       "'friction' that is not a finite number"},
      {[](json& s) {
         s["gravity"] = {0, 0, "down"};
       },
       "does not contain only finite numbers"},
  };
  for (const Damage& damage : damages) {
    json scene = good;
    damage.act(scene);
    const std::string error = scene_error(scene.dump());
    EXPECT_NE(error.find(damage.message), std::string::npos) << error << '\n' << damage.message;
  }
  EXPECT_NE(scene_error(std::string(100'000, '[')).find("not a JSON object"), std::string::npos);
}

/// Reading all of them would take hours.
TEST(PageScene, ObjectsWithMillionsOfKeysAreRefusedAtOnce) {
  std::string text = "{\"name\":\"\",\"bodies\":[{";
  for (int i = 0; i < 1'000'000; ++i) text += '"' + std::to_string(i) + "\":0,";
  text += "\"last\":0}]}";
  EXPECT_NE(scene_error(text).find("not a JSON object"), std::string::npos);
}

template <class Number>
Number read_at(const std::string& bytes, std::size_t place) {
  Number number;
  EXPECT_LE(place + sizeof(Number), bytes.size());
  std::memcpy(&number, bytes.data() + place, sizeof(Number));
  return number;
}

TEST(PageFrame, HasTheDocumentedLayout) {
  const Model model = load_model(models_folder() / "pendulum.urdf").model;
  const ScenePoses scene(scene_json(model));
  RecordedFrame frame;
  frame.state = model.initial_state();
  frame.state.time = 1.25;
  frame.kinetic_energy = 2.0;
  frame.potential_energy = 3.0;
  frame.worst_residual = 1e-9;
  frame.deepest_overlap = 4e-6;
  frame.iterations = 5;
  frame.not_certified = 6;
  frame.steps = 7;
  frame.contacts.push_back({1, 2, ContactMode::slip, -0.5, 0.25, {1, 2, 3}, {0, 0, 1}, {4, 5, 6}});
  frame.contacts.push_back({3, 4, ContactMode::stick, 0.5, 0.75, {7, 8, 9}, {1, 0, 0}, {1, 1, 1}});
  const std::string bytes = page_frame(scene, frame, 42, 0x0123456789abcdefu);

  EXPECT_EQ(bytes.substr(0, 4), "SCTF");
  const std::uint32_t bodies = static_cast<std::uint32_t>(model.body_count());
  const std::vector<std::uint32_t> head{3, 42, bodies, 2, 5, 6, 7};
  for (std::size_t i = 0; i < head.size(); ++i) {
    EXPECT_EQ(read_at<std::uint32_t>(bytes, 4 + 4 * i), head[i]) << i;
  }
  EXPECT_EQ(read_at<double>(bytes, 32), 1.25);
  EXPECT_EQ(read_at<std::uint64_t>(bytes, 40), 0x0123456789abcdefu);
  EXPECT_EQ(read_at<float>(bytes, 48), 2.0F);
  EXPECT_EQ(read_at<float>(bytes, 52), 3.0F);
  EXPECT_EQ(read_at<float>(bytes, 56), 1e-9F);
  EXPECT_EQ(read_at<float>(bytes, 60), 4e-6F);
  const auto positions = static_cast<std::uint32_t>(model.position_count());
  const auto velocities = static_cast<std::uint32_t>(model.velocity_count());
  const std::vector<std::uint32_t> sizes{0, positions, velocities, 0, 0, 0};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(read_at<std::uint32_t>(bytes, 64 + 4 * i), sizes[i]) << i;
  }
  std::size_t place = 88;
  const Eigen::Isometry3d pose = scene.poses(frame.state.q)[0];
  EXPECT_EQ(read_at<float>(bytes, place + 8), static_cast<float>(pose.translation().z()));
  place += 12 * bodies;
  EXPECT_EQ(std::abs(read_at<float>(bytes, place + 12)),
            static_cast<float>(std::abs(Eigen::Quaterniond(pose.linear()).w())));
  place += 16 * bodies;
  EXPECT_EQ(read_at<std::int32_t>(bytes, place + 8), 3);
  EXPECT_EQ(read_at<std::uint32_t>(bytes, place + 16), 2u) << "slip";
  EXPECT_EQ(read_at<std::uint32_t>(bytes, place + 20), 1u) << "stick";
  EXPECT_EQ(read_at<float>(bytes, place + 24), 1.0F) << "point of the first";
  EXPECT_EQ(read_at<float>(bytes, place + 24 + 24 + 8), 1.0F) << "normal of the first";
  EXPECT_EQ(read_at<float>(bytes, place + 24 + 48), 4.0F) << "impulse of the first";
  EXPECT_EQ(read_at<float>(bytes, place + 24 + 72), -0.5F) << "gap of the first";
  EXPECT_EQ(read_at<float>(bytes, place + 24 + 80 + 4), 0.75F) << "friction of the second";
  const std::size_t contacts_end = place + 24 + 88;
  EXPECT_EQ(bytes.size(), contacts_end + 4 * (positions + velocities));

  frame.springs = {{{1, 2, 3}, {1.5, 2, 3}}, {{4, 5, 6}, {4, 5, 6.25}}};
  frame.state.v.setConstant(0.5);
  frame.joint_forces = Eigen::VectorXd::Constant(model.velocity_count(), 7.0);
  frame.actuator_forces = Eigen::VectorXd::Constant(1, 8.0);
  const std::vector<PulledPoint> pulls{{{1, 2, 3}, {4, 5, 6}}};
  const std::string more = page_frame(scene, frame, 42, 0x0123456789abcdefu, pulls);
  EXPECT_EQ(read_at<std::uint32_t>(more, 64), 2u) << "springs";
  EXPECT_EQ(more.substr(88, contacts_end - 88), bytes.substr(88, contacts_end - 88));
  EXPECT_EQ(read_at<float>(more, contacts_end + 12 + 8), 6.0F) << "anchor of the second";
  EXPECT_EQ(read_at<float>(more, contacts_end + 24), 0.5F) << "stretch of the first";
  EXPECT_EQ(read_at<float>(more, contacts_end + 36 + 8), 0.25F) << "of the second";
  std::size_t after = contacts_end + 48 + 4 * positions;
  EXPECT_EQ(read_at<float>(more, after), 0.5F) << "velocity";
  after += 4 * velocities;
  EXPECT_EQ(read_at<float>(more, after), 7.0F) << "force of a joint";
  after += 4 * velocities;
  EXPECT_EQ(read_at<float>(more, after), 8.0F) << "force of the actuator";
  EXPECT_EQ(read_at<float>(more, after + 4 + 8), 3.0F) << "point that is pulled";
  EXPECT_EQ(read_at<float>(more, after + 4 + 12), 4.0F) << "force on it";
  EXPECT_EQ(more.size(), after + 4 + 24);
}

}  // namespace
}  // namespace stiction
