// URDF and the files around it: meshes in packages, SRDF, the reference robots.

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

const std::string cube_obj =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

std::string robot_with_mesh(const std::string& uri, const std::string& tag = "collision") {
  return fmt::format(
      "<robot name='r'>\n<link name='base'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
      "ixz='0' iyy='1' iyz='0' izz='1'/></inertial>\n<{0}><geometry>"
      "<mesh filename='{1}' scale='2 2 2'/></geometry></{0}></link></robot>",
      tag, uri);
}

/// An environment variable for the time of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class UrdfMesh : public ::testing::Test {
 protected:
  void expect_cube(const std::string& uri, const LoadOptions& options = {}) const {
    const LoadedModel loaded =
        load_model(folder_.write("robot/urdf/r.urdf", robot_with_mesh(uri)), options);
    ASSERT_EQ(loaded.model.meshes().size(), 1u);
    const Mesh& mesh = loaded.model.meshes()[0];
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_EQ(mesh.hull_vertices.size(), 8u);
    EXPECT_TRUE(mesh.vertices[6].isApprox(Eigen::Vector3d(2, 2, 2))) << "scaled";
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  test::TemporaryFolder folder_;
};

TEST_F(UrdfMesh, IsFoundBesideTheFile) {
  folder_.write("robot/meshes/cube.obj", cube_obj);
  expect_cube("../meshes/cube.obj");
  expect_cube("..\\meshes\\cube.obj");
  expect_cube("file://" + path("robot/meshes/cube.obj"));
  expect_cube(path("robot/meshes/cube.obj"));
}

TEST_F(UrdfMesh, IsFoundInThePackageThatHoldsTheFile) {
  folder_.write("robot/meshes/cube.obj", cube_obj);
  expect_cube("package://robot/meshes/cube.obj");
}

TEST_F(UrdfMesh, IsFoundInPackageFolders) {
  folder_.write("share/cubes/meshes/cube.obj", cube_obj);
  LoadOptions above;
  above.package_folders = {path("elsewhere"), path("share")};
  expect_cube("package://cubes/meshes/cube.obj", above);
  LoadOptions itself;
  itself.package_folders = {path("share/cubes/")};
  expect_cube("package://cubes/meshes/cube.obj", itself);
}

TEST_F(UrdfMesh, IsFoundInAPackageBesideTheOneThatHoldsTheFile) {
  folder_.write("cubes/meshes/cube.obj", cube_obj);
  expect_cube("package://cubes/meshes/cube.obj");
  expect_cube("package:///cubes/meshes/cube.obj");
  expect_cube("model://cubes/meshes/cube.obj");
  expect_cube("package://cubes//meshes/cube.obj");
}

TEST_F(UrdfMesh, IsFoundByThePackageManifest) {
  folder_.write("robot/package.xml", "<package><name>\n one </name></package>");
  folder_.write("robot/meshes/cube.obj", cube_obj);
  expect_cube("package://one/meshes/cube.obj");
  folder_.write("other-1.2/package.xml", "<package format=\"3\"><name>two</name></package>");
  folder_.write("other-1.2/cube.obj", cube_obj);
  expect_cube("package://two/cube.obj");
}

TEST_F(UrdfMesh, IsFoundInAPackageThatWasUnpackedUnderAnotherName) {
  folder_.write("robot/shapes/cube.obj", cube_obj);
  expect_cube("package://robot_description/shapes/cube.obj");
}

TEST_F(UrdfMesh, IsFoundThroughTheEnvironment) {
  folder_.write("workspace/share/cubes/meshes/cube.obj", cube_obj);
  {
    const Environment ros("ROS_PACKAGE_PATH", "/nowhere:" + path("workspace/share"));
    expect_cube("package://cubes/meshes/cube.obj");
  }
  {
    const Environment above("ROS_PACKAGE_PATH", path("workspace"));
    expect_cube("package://cubes/meshes/cube.obj");
  }
  const Environment ament("AMENT_PREFIX_PATH", "/nowhere::" + path("workspace"));
  expect_cube("package://cubes/meshes/cube.obj");
}

TEST_F(UrdfMesh, ExplicitFoldersComeBeforeTheEnvironment) {
  folder_.write("good/cubes/cube.obj", cube_obj);
  folder_.write("bad/cubes/cube.obj", "nothing");
  const Environment ros("ROS_PACKAGE_PATH", path("bad"));
  LoadOptions options;
  options.package_folders = {path("good")};
  expect_cube("package://cubes/cube.obj", options);
}

TEST_F(UrdfMesh, AbsentVisualMeshIsAWarningAndTheShapeIsLeftOut) {
  const LoadedModel loaded =
      load_model(folder_.write("r.urdf", robot_with_mesh("package://nobody/cube.obj", "visual")));
  EXPECT_TRUE(loaded.model.shapes().empty());
  ASSERT_EQ(loaded.problems.count(Severity::warning), 1u);
  EXPECT_EQ(loaded.problems.all()[0].source.line, 3);
}

TEST_F(UrdfMesh, AbsentCollisionMeshIsAnErrorThatNamesEachPlace) {
  LoadOptions options;
  options.package_folders = {path("a"), path("b")};
  try {
    (void)load_model(folder_.write("r.urdf", robot_with_mesh("package://cubes/cube.obj")), options);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(path("a/cubes/cube.obj")), std::string::npos) << text;
    EXPECT_NE(text.find(path("b/cubes/cube.obj")), std::string::npos) << text;
  }
}

TEST_F(UrdfMesh, SharedFilesAreReadOnce) {
  folder_.write("cube.obj", cube_obj);
  std::string text = robot_with_mesh("cube.obj");
  const std::string visual =
      "<visual><geometry><mesh filename='cube.obj' scale='2 2 2'/></geometry></visual></link>";
  text.replace(text.find("</link>"), 7, visual);
  const Model model = load_model(folder_.write("r.urdf", text)).model;
  EXPECT_EQ(model.meshes().size(), 1u);
  EXPECT_EQ(model.shapes().size(), 2u);
}

std::string three_balls() {
  std::string text = "<robot name='r'>";
  for (const char* name : {"a", "b", "c"}) {
    text += fmt::format(
        "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
        "iyz='0' "
        "izz='1'/></inertial><collision><geometry><sphere "
        "radius='1'/></geometry></collision></link>",
        name);
  }
  for (const char* name : {"b", "c"}) {
    text += fmt::format(
        "<joint name='to_{0}' type='continuous'><parent link='a'/><child link='{0}'/></joint>",
        name);
  }
  return text + "</robot>";
}

TEST(Srdf, DisabledCollisionsAreKept) {
  const test::TemporaryFolder folder;
  const fs::path urdf = folder.write("r.urdf", three_balls());
  EXPECT_TRUE(load_model(urdf).model.may_collide(1, 2));
  LoadOptions options;
  options.prefix = "p_";
  options.srdf = folder.write("r.srdf",
                              "<robot name='r'>\n<group name='g'/>\n"
                              "<disable_collisions link1='b' link2='c' reason='Never'/>\n"
                              "<disable_collisions link1='b' link2='nobody'/></robot>");
  const LoadedModel loaded = load_model(urdf, options);
  EXPECT_FALSE(loaded.model.may_collide(1, 2));
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
  EXPECT_EQ(loaded.problems.count(Severity::note), 1u);
  EXPECT_EQ(loaded.problems.all()[0].source.line, 4);
}

TEST(Srdf, GroupStatesAreKeyframes) {
  const test::TemporaryFolder folder;
  std::string robot = three_balls();
  robot.insert(robot.find("</robot>"),
               "<link name='d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
               "ixz='0' iyz='0'/></inertial></link><joint name='to_d' type='continuous'><parent "
               "link='c'/><child link='d'/><mimic joint='to_b' multiplier='2' offset='0.1'/>"
               "</joint>");
  const fs::path urdf = folder.write("r.urdf", robot);
  LoadOptions options;
  options.srdf = folder.write(
      "r.srdf",
      "<robot name='r'>\n"
      "<group_state name='home' group='left'><joint name='to_b' value='0.5'/></group_state>\n"
      "<group_state name='home' group='right'><joint name='to_c' value=' -1 '/></group_state>\n"
      "<group_state name='home' group='odd'><joint name='to_b' value='0.7'/></group_state>\n"
      "<group_state name='bad'><joint name='nobody' value='1'/>\n<joint name='to_c' value='x'/>"
      "</group_state></robot>");
  const LoadedModel loaded = load_model(urdf, options);
  const Model& model = loaded.model;
  EXPECT_EQ(loaded.problems.count(Severity::warning), 2u);
  const auto position = [&model](const char* keyframe, const char* joint) {
    const int k = model.find_keyframe(keyframe).value();
    return model.keyframe_state(k).q[model.joint(*model.find_joint(joint)).position_index];
  };
  ASSERT_EQ(model.keyframes().size(), 3u);
  EXPECT_EQ(position("home", "to_b"), 0.5);
  EXPECT_EQ(position("home", "to_c"), -1.0) << "states of two groups with one name are one pose";
  EXPECT_DOUBLE_EQ(position("home", "to_d"), 0.1 + 2.0 * 0.5) << "it follows";
  EXPECT_EQ(position("odd/home", "to_b"), 0.7) << "it contradicts the first";
  EXPECT_EQ(position("bad", "to_c"), 0.0);
}

TEST(Srdf, AbsentFileIsAnError) {
  const test::TemporaryFolder folder;
  LoadOptions options;
  options.srdf = folder.path() / "r.srdf";
  EXPECT_THROW((void)load_model(folder.write("r.urdf", three_balls()), options), InputError);
}

TEST(ReferenceRobots, AreReadOrSayWhichMeshesTheyMiss) {
  const fs::path robots = fs::path(STICTION_REFERENCE_DIR) / "robots";
  if (!fs::exists(robots)) GTEST_SKIP() << "no reference robots in " << robots;
  const auto mass = [&robots](const char* name) {
    return load_model(robots / name).model.total_mass();
  };
  // The masses of all their links, added up.
  EXPECT_NEAR(mass("anymal_b.urdf"), 30.475397462, 1e-9);
  EXPECT_NEAR(mass("anymal_c.urdf"), 52.13485, 1e-9);
  for (const char* name : {"romeo_small.urdf", "solo12.urdf"}) {
    try {
      (void)load_model(robots / name);
      ADD_FAILURE() << name << " has meshes that are not there";
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems().all()) {
        if (problem.severity != Severity::error) continue;
        EXPECT_NE(problem.what.find("mesh file package://"), std::string::npos) << problem.what;
        EXPECT_GT(problem.source.line, 0);
      }
    }
  }
}

}  // namespace
}  // namespace stiction
