// Scenes made in C++: shapes, inertias, materials, and what is refused.

#include <gtest/gtest.h>
#include <stdexcept>

#include "stiction/sim/scene.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

TEST(SceneBuilder, MakesWhatTheFileOfTheSameSceneSays) {
  SceneBuilder scene("mass_ratio_stack");
  scene.use_material(0.5);
  scene.add_plane("floor");
  scene.add_box("light", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.1));
  scene.add_box("heavy", {0.1, 0.1, 0.1}, 1000.0, at(0, 0, 0.3));
  const Model made = scene.build();
  const Model read = load_scene("mass_ratio_stack");
  ASSERT_EQ(made.body_count(), read.body_count());
  EXPECT_EQ(made.initial_positions(), read.initial_positions());
  for (int body = 0; body < made.body_count(); ++body) {
    EXPECT_EQ(made.body_name(body), read.body_name(body));
    EXPECT_EQ(made.body_inertia(body).mass, read.body_inertia(body).mass);
    EXPECT_LT((made.body_inertia(body).inertia - read.body_inertia(body).inertia).norm(), 1e-12);
  }
  EXPECT_EQ(made.contact_material(0, 1).friction, read.contact_material(0, 1).friction);
}

TEST(SceneBuilder, SolidsHaveTheInertiaOfTheirShape) {
  SceneBuilder scene;
  scene.add_sphere("sphere", 0.5, 2.0, at(0, 0, 0));
  scene.add_cylinder("cylinder", 0.5, 1.0, 3.0, at(0, 0, 0));
  scene.add_ellipsoid("ellipsoid", {1, 2, 3}, 5.0, at(0, 0, 0));
  scene.add_capsule("capsule", 0.5, 1e-9, 2.0, at(0, 0, 0));
  const Model model = scene.build();
  const auto moments = [&](const char* name) {
    return Eigen::Vector3d(model.body_inertia(*model.find_body(name)).inertia.diagonal());
  };
  EXPECT_LT((moments("sphere") - Eigen::Vector3d::Constant(0.2)).norm(), 1e-14);
  EXPECT_LT((moments("cylinder") - Eigen::Vector3d(1.1875, 1.1875, 0.375)).norm(), 1e-14);
  EXPECT_LT((moments("ellipsoid") - Eigen::Vector3d(13, 10, 5)).norm(), 1e-13);
  EXPECT_LT((moments("capsule") - moments("sphere")).norm(), 1e-8) << "without length it is a ball";
}

TEST(SceneBuilder, ShapesHaveTheMaterialInUseUnlessTheyNameAnother) {
  SceneBuilder scene;
  const int ice = scene.use_material(0.05);
  scene.use_material(0.9, 0.5, 0.1);
  scene.add_plane("floor");
  scene.add_box("puck", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 1), ice);
  scene.add_fixed(scene.conveyor({1, 1, 0.1}, {0.5, 0, 0}, at(3, 0, 0)));
  const Model model = scene.build();
  const auto friction = [&](std::size_t shape) {
    return model.materials()[static_cast<std::size_t>(model.shapes()[shape].material)].friction;
  };
  EXPECT_EQ(friction(0), 0.9);
  EXPECT_EQ(friction(1), 0.9);
  EXPECT_EQ(friction(2), 0.05);
  EXPECT_EQ(model.shapes()[1].surface_velocity, Eigen::Vector3d(0.5, 0, 0));
  EXPECT_EQ(model.contact_material(0, 2).restitution, 0.5);
}

TEST(SceneBuilder, KinematicBodiesGoWhereTheirVelocitySays) {
  SceneBuilder scene;
  scene.add_kinematic("lift", {scene.box({1, 1, 0.1})}, at(0, 0, 0));
  Simulation simulation(scene.build());
  const Model& model = simulation.model();
  EXPECT_TRUE(model.joint(0).kinematic);
  set_velocity(model, simulation.state(), "lift", {0, 0, 0.5}, {0, 0, 1});
  simulation.run(1.0);
  const Eigen::Isometry3d pose = pose_of(model, simulation.state(), "lift");
  EXPECT_NEAR(pose.translation().z(), 0.5, 1e-12);
  EXPECT_LT((pose.linear() - at({0, 0, 0}, 1.0, {0, 0, 1}).linear()).norm(), 1e-12);
  EXPECT_EQ(angular_velocity(model, simulation.state(), "lift").z(), 1.0);
}

TEST(SceneBuilder, RefusesImpossibleScenesWithEveryMistake) {
  SceneBuilder scene;
  scene.use_material(-1.0, 2.0);
  scene.add_sphere("ball", -0.1, 1.0, at(0, 0, 0));
  scene.add_box("ball", {1, 1, 1}, 1.0, at(0, 0, 0), 7);
  scene.set_time_step(-1.0);
  try {
    (void)scene.build();
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* what :
         {"friction is -1", "restitution is 2", "a sphere has size -0.1",
          "two links are called 'ball'", "its material is not in the model", "time step is -1"}) {
      EXPECT_NE(text.find(what), std::string::npos) << what << " in " << text;
    }
  }
}

TEST(SceneBuilder, AsksForBodiesByNameAndSaysWhichIsAbsent) {
  const Model model = load_scene("pendulum");
  State state = model.initial_state();
  EXPECT_THROW(set_velocity(model, state, "bab", {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW((void)pose_of(model, state, "bob"), std::invalid_argument) << "it does not float";
}

TEST(SceneBuilder, PosesGoInAndComeOut) {
  SceneBuilder scene;
  scene.add_sphere("ball", 0.1, 1.0, at({1, 2, 3}, 0.4, {0, 2, 0}));
  const Model model = scene.build();
  State state = model.initial_state();
  EXPECT_LT(
      (pose_of(model, state, "ball").matrix() - at({1, 2, 3}, 0.4, {0, 1, 0}).matrix()).norm(),
      1e-15);
  const Eigen::Isometry3d other = at({4, 5, 6}, -1.0, {1, 1, 0});
  set_pose(model, state, "ball", other);
  EXPECT_LT((pose_of(model, state, "ball").matrix() - other.matrix()).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::test
