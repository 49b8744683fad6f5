// Scenes that are put together from copies and other files, and assets in MuJoCo's own formats.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using Folder = test::TemporaryFolder;

Model load(const std::string& text) { return load_model_text(text, "scene.xml").model; }

/// The only error of a file has these words in it.
void fails_with(const std::string& text, const std::string& words,
                const std::filesystem::path& folder = {}) {
  try {
    (void)load_model_text(text, "scene.xml", folder);
    ADD_FAILURE() << "loaded: " << text.substr(0, 200);
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(MjcfReplicate, CopiesStandInARowAndReferencesFollow) {
  const Model model = load(R"(<mujoco><worldbody>
      <replicate count="3" offset="0 1 0" sep="_">
        <body name="arm"><joint name="j" axis="0 1 0"/><geom size=".1"/><site name="tip"/></body>
      </replicate></worldbody>
    <actuator><motor name="m" joint="j"/></actuator>
    <sensor><clock name="time"/><jointpos name="angle" joint="j"/></sensor></mujoco>)");
  ASSERT_EQ(model.body_count(), 3);
  for (int i = 0; i < 3; ++i) {
    const std::string suffix = "_" + std::to_string(i);
    EXPECT_EQ(model.body_name(i), "arm" + suffix);
    EXPECT_EQ(model.joint(i).name, "j" + suffix);
    EXPECT_DOUBLE_EQ(model.joint_pose(i).translation().y(), i);
    EXPECT_EQ(model.actuators()[static_cast<std::size_t>(i)].name, "m" + suffix);
    EXPECT_EQ(model.actuators()[static_cast<std::size_t>(i)].joint, i);
    EXPECT_EQ(model.sensors()[static_cast<std::size_t>(i + 1)].name, "angle" + suffix);
    EXPECT_EQ(model.sensors()[static_cast<std::size_t>(i + 1)].index, i);
  }
  EXPECT_EQ(model.sensors()[0].name, "time");
}

TEST(MjcfReplicate, NestsAndPadsItsNumbers) {
  const Model model = load(R"(<mujoco><worldbody>
      <replicate count="11" offset="1 0 0"><replicate count="2" offset="0 0 1" euler="0 0 90">
        <body name="b" pos="0 2 0"><freejoint/><geom size=".1"/></body>
      </replicate></replicate></worldbody></mujoco>)");
  ASSERT_EQ(model.body_count(), 22);
  EXPECT_EQ(model.body_name(0), "b000");
  EXPECT_EQ(model.body_name(21), "b110");
  // The second of the inner copies is turned by 90 degrees: its body stands at -2 on x.
  const Eigen::VectorXd& q = model.initial_positions();
  EXPECT_NEAR(q[7], -2.0, 1e-12);
  EXPECT_NEAR(q[9], 1.0, 1e-12);
  EXPECT_NEAR(q[7 * 21], 10.0 - 2.0, 1e-12);
}

TEST(MjcfReplicate, TooManyAndTooFewAreErrors) {
  const auto scene = [](const std::string& count) {
    return "<mujoco><worldbody><replicate " + count +
           "><body><freejoint/><geom size='1'/></body></replicate></worldbody></mujoco>";
  };
  fails_with(scene("count='1000000000'"), "make fewer copies");
  fails_with(scene("count='0'"), "at least 1");
  fails_with(scene(""), "'count' is missing");
  std::string nested = "<geom size='1'/>";
  for (int i = 0; i < 30; ++i) nested = "<replicate count='2'>" + nested + "</replicate>";
  fails_with("<mujoco><worldbody>" + nested + "</worldbody></mujoco>", "make fewer copies");
}

constexpr const char* hand = R"(<mujoco model="hand"><compiler angle="radian" meshdir="shapes"/>
  <default><geom density="500"/><joint damping="3"/><position kp="7"/>
    <default class="finger"><joint range="0 1"/></default></default>
  <asset><mesh name="tip" file="tip.obj"/><material name="skin" rgba="1 0 0 1"/></asset>
  <worldbody><body name="palm" pos="0 0 1"><geom type="box" size=".1 .1 .1" material="skin"/>
    <body name="finger" childclass="finger"><joint name="bend" axis="0 1 0"/>
      <geom type="mesh" mesh="tip"/><site name="end"/></body></body>
    <body name="left_behind"><freejoint/><geom size=".1"/></body></worldbody>
  <contact><exclude body1="palm" body2="finger"/></contact>
  <actuator><position name="bender" joint="bend"/></actuator>
  <sensor><framepos name="where" objtype="site" objname="end"/></sensor></mujoco>)";

constexpr const char* tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
    "f 1 4 3\nf 2 3 4\n";

class MjcfAttach : public ::testing::Test {
 protected:
  void SetUp() override {
    folder.write("hand/hand.xml", hand);
    folder.write("hand/shapes/tip.obj", tetrahedron);
  }
  [[nodiscard]] LoadedModel load(const std::string& body, const std::string& rest = {}) const {
    return load_model_text(
        "<mujoco><default><geom density='1'/><joint damping='9'/></default>"
        "<asset><model name='hand' file='hand/hand.xml'/></asset><worldbody>" +
            body + "</worldbody>" + rest + "</mujoco>",
        "scene.xml", folder.path());
  }
  Folder folder;
};

TEST_F(MjcfAttach, AModelKeepsItsUnitsDefaultsAndAssets) {
  const Model model = load(R"(<body name="arm"><joint name="turn" range="0 90"/><geom size=".1"/>
      <frame pos="1 0 0"><attach model="hand" body="palm" prefix="l_"/></frame>
      <frame pos="-1 0 0"><attach model="hand" body="palm" prefix="r_"/></frame></body>)",
                           "<actuator><motor joint='l_bend'/></actuator>")
                          .model;
  ASSERT_EQ(model.body_count(), 3);
  const Joint& bend = model.joint(*model.find_joint("l_bend"));
  EXPECT_DOUBLE_EQ(bend.limits.upper, 1.0);  // radians there, degrees here
  EXPECT_NEAR(model.joint(0).limits.upper, 1.5707963267948966, 1e-15);
  EXPECT_DOUBLE_EQ(model.parameters().damping[bend.velocity_index], 3.0);
  EXPECT_DOUBLE_EQ(model.parameters().damping[0], 9.0);
  EXPECT_NEAR(model.body_inertia(bend.body).mass, 500.0 / 6.0, 1e-9);
  EXPECT_DOUBLE_EQ(model.joint_pose(bend.body).translation().x(), 1.0);
  EXPECT_DOUBLE_EQ(model.joint_pose(bend.body).translation().z(), 1.0);
  // Ours first, then those of each hand.
  ASSERT_EQ(model.actuators().size(), 3U);
  EXPECT_EQ(model.actuators()[1].name, "l_bender");
  EXPECT_DOUBLE_EQ(model.actuators()[1].gain[0], 7.0);
  EXPECT_EQ(model.actuators()[2].name, "r_bender");
  EXPECT_EQ(model.sensors().size(), 2U);
  EXPECT_TRUE(model.find_frame("r_end"));
  EXPECT_FALSE(model.find_body("l_left_behind"));
  EXPECT_EQ(model.meshes().size(), 1U);  // read once for both
}

TEST_F(MjcfAttach, WithoutABodyAllOfTheWorldComes) {
  folder.write("hand/key.xml", R"(<mujoco model="all"><compiler angle="radian"/><worldbody>
      <body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>
      <actuator><motor name="m" joint="j"/></actuator>
      <keyframe><key name="home" qpos=".5" ctrl="2"/></keyframe></mujoco>)");
  const Model model = load_model_text(R"(<mujoco><asset><model file="hand/key.xml"/></asset>
      <worldbody><body><joint name="first" ref="30"/><geom size=".1"/></body>
        <attach model="all" prefix="x/"/></worldbody>
      <actuator><motor joint="first"/></actuator></mujoco>)",
                                      "scene.xml", folder.path())
                          .model;
  ASSERT_EQ(model.keyframes().size(), 1U);
  EXPECT_EQ(model.keyframes()[0].name, "x/home");
  EXPECT_NEAR(model.keyframes()[0].q[0], 0.5235987755982988, 1e-15);  // where the file shows it
  EXPECT_DOUBLE_EQ(model.keyframes()[0].q[1], 0.5);
  EXPECT_DOUBLE_EQ(model.keyframes()[0].control[0], 0.0);
  EXPECT_DOUBLE_EQ(model.keyframes()[0].control[1], 2.0);
}

TEST_F(MjcfAttach, ABodyOfTheSameFileCanBeCopied) {
  const Model model = ::stiction::load_model_text(R"(<mujoco><worldbody>
      <body name="leg"><joint name="hip"/><geom size=".1"/></body>
      <frame pos="0 1 0"><attach body="leg" prefix="second_"/></frame></worldbody>
      <actuator><motor name="m" joint="hip"/></actuator></mujoco>)",
                                                  "scene.xml")
                          .model;
  EXPECT_TRUE(model.find_joint("second_hip"));
  EXPECT_TRUE(model.find_actuator("second_m"));
}

TEST_F(MjcfAttach, LoopsAndWrongNamesAreErrors) {
  const auto at = [this](const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder.write(name, text);
    try {
      (void)load_model(file);
      ADD_FAILURE() << name;
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  const std::string self = R"(<mujoco><asset><model name="m" file="self.xml"/></asset><worldbody>
      <body name="b"><geom size="1"/><attach model="m" body="b" prefix="p"/></body></worldbody></mujoco>)";
  EXPECT_NE(at("self.xml", self).find("attaches itself"), std::string::npos);
  const auto half = [](const std::string& other) {
    return "<mujoco><asset><model name='m' file='" + other +
           "'/></asset><worldbody><body name='b'><attach model='m' body='b' prefix='p'/></body>"
           "</worldbody></mujoco>";
  };
  folder.write("two.xml", half("one.xml"));
  EXPECT_NE(at("one.xml", half("two.xml")).find("attaches itself"), std::string::npos);
  fails_with(
      "<mujoco><worldbody><body name='b'><attach body='b' prefix='p'/></body></worldbody>"
      "</mujoco>",
      "attaches itself");
  fails_with("<mujoco><worldbody><attach model='hnd' prefix='p'/></worldbody></mujoco>",
             "there is no model 'hnd'");
  fails_with(
      "<mujoco><asset><model name='m' file='none.xml'/></asset><worldbody>"
      "<attach model='m' prefix='p'/></worldbody></mujoco>",
      "does not exist");
  fails_with(
      "<mujoco><asset><model name='m' file='hand/hand.xml'/></asset><worldbody>"
      "<attach model='m' body='fist' prefix='p'/></worldbody></mujoco>",
      "there is no body 'fist'", folder.path());
}

TEST(MjcfFlags, SwitchOffWhatTheyName) {
  const auto scene = [](const std::string& flags) {
    return load("<mujoco><compiler angle='radian'/><option><flag " + flags +
                R"(/></option><worldbody><body name="b" gravcomp="1"><joint name="j" range="0 1"
        damping="1" stiffness="2" frictionloss="3"/><geom size=".1"/></body>
        <geom type="plane" size="1 1 1"/></worldbody>
        <equality><joint joint1="j"/></equality></mujoco>)");
  };
  const Model all = scene("");
  EXPECT_TRUE(std::isfinite(all.joint(0).limits.upper));
  EXPECT_EQ(all.couplings().size(), 1U);
  const Model free = scene("constraint='disable'");
  EXPECT_FALSE(std::isfinite(free.joint(0).limits.upper));
  EXPECT_TRUE(free.couplings().empty());
  EXPECT_EQ(free.parameters().friction[0], 0.0);
  EXPECT_FALSE(free.may_collide(0, 1));
  EXPECT_EQ(free.parameters().damping[0], 1.0);
  EXPECT_FALSE(std::isfinite(scene("limit='disable'").joint(0).limits.upper));
  EXPECT_TRUE(scene("equality='disable'").couplings().empty());
  EXPECT_EQ(scene("frictionloss='disable'").parameters().friction[0], 0.0);
  EXPECT_EQ(scene("spring='disable'").parameters().stiffness[0], 0.0);
  EXPECT_EQ(scene("damper='disable'").parameters().damping[0], 0.0);
  const Model passive = scene("passive='disable'");
  EXPECT_EQ(passive.parameters().stiffness[0] + passive.parameters().damping[0], 0.0);
  EXPECT_TRUE(passive.gravity_compensation().empty());
  EXPECT_EQ(all.gravity_compensation().size(), 1U);
}

/// 3 x 2 pixels of 24 bits; their red values are 10 60 110 and 210 20 30.
const std::string png(
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x03\x00\x00\x00"
    "\x02\x08\x02\x00\x00\x00\x12\x16\xf1\x4d\x00\x00\x00\x1c\x49\x44\x41\x54\x78\xda\x63\xe0\xe2"
    "\xe4\xb4\x61\x64\xcc\x63\x62\x62\xb8\xc4\xc0\x20\xc2\xca\x2a\xc7\xce\x0e\x00\x14\x24\x01\xe9"
    "\xce\x79\xc4\xdf\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82",
    85);

TEST(MjcfHeightFields, ImagesGiveRedValuesFromTheBottomUp) {
  const Folder folder;
  folder.write("h.png", png);
  const std::string scene =
      "<mujoco><asset><hfield name='h' size='1 2 4 1' file='h.png'/></asset><worldbody>"
      "<geom type='hfield' hfield='h'/></worldbody></mujoco>";
  const Model model = load_model_text(scene, "scene.xml", folder.path()).model;
  const HeightField& field = model.height_fields().at(0);
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  const std::vector<double> expected{4.0, 0.2, 0.4, 0.0, 1.0, 2.0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(field.heights.at(i), expected[i], 1e-12);

  // Cut anywhere, it is an error; so are a huge one and something else.
  for (std::size_t size = 0; size < png.size() - 12; ++size) {
    folder.write("h.png", png.substr(0, size));
    EXPECT_THROW((void)load_model_text(scene, "scene.xml", folder.path()), InputError) << size;
  }
  folder.write("h.png", "GIF89a, not what the name says");
  fails_with(scene, "is not a PNG image", folder.path());
  std::string huge = png;
  // 20,000 x 20,000, with its checksum
  std::memcpy(huge.data() + 16,
              "\x00\x00\x4e\x20\x00\x00\x4e\x20\x08\x02\x00\x00\x00\x6c\x12\xd1\x6e", 17);
  folder.write("h.png", huge);
  fails_with(scene, "make it smaller", folder.path());
}

std::string msh(std::array<std::int32_t, 4> counts, const std::vector<float>& vertices,
                const std::vector<std::int32_t>& faces) {
  std::string bytes(reinterpret_cast<const char*>(counts.data()), sizeof counts);
  bytes.append(reinterpret_cast<const char*>(vertices.data()), vertices.size() * sizeof(float));
  bytes.append(reinterpret_cast<const char*>(faces.data()), faces.size() * sizeof(std::int32_t));
  return bytes;
}

TEST(MjcfMeshes, MshFilesAreReadAndCheckedAgainstTheirLength) {
  const Folder folder;
  const std::string scene = R"(<mujoco><asset><mesh name="m" file="m.msh" scale="-1 1 2"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>)";
  const std::vector<float> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<std::int32_t> faces{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  for (const bool with_faces : {true, false}) {
    folder.write("m.msh",
                 with_faces ? msh({4, 0, 0, 4}, vertices, faces) : msh({4, 0, 0, 0}, vertices, {}));
    const Model model = load_model_text(scene, "scene.xml", folder.path()).model;
    EXPECT_NEAR(model.total_mass(), 1000.0 / 3.0, 1e-9);
    EXPECT_NEAR(model.body_inertia(0).center_of_mass.x(), -0.25, 1e-9);
  }
  for (const auto& counts : {std::array<std::int32_t, 4>{5, 0, 0, 4},
                             {4, 4, 0, 4},
                             {4, 0, 0, 5},
                             {-4, 0, 0, 4},
                             {2000000000, 2000000000, 2000000000, 2000000000}}) {
    folder.write("m.msh", msh(counts, vertices, faces));
    fails_with(scene, "MSH", folder.path());
  }
  folder.write("m.msh", msh({4, 0, 0, 4}, vertices, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4}));
  fails_with(scene, "missing vertices", folder.path());
  folder.write("m.msh", "");
  fails_with(scene, "cannot be read", folder.path());
}

TEST(MjcfGeoms, PrimitivesFitBoxesAroundMeshes) {
  // A box of 0.2 x 0.4 x 1 m away from the origin: the inertia box is the box itself.
  const auto shape = [](const std::string& geom, const std::string& compiler = {}) {
    return load("<mujoco><compiler " + compiler +
                R"(/><asset><mesh name="m" vertex="1 1 1  1.2 1 1  1 1.4 1  1.2 1.4 1  1 1 2
      1.2 1 2  1 1.4 2  1.2 1.4 2" /></asset><worldbody><body><freejoint/><geom mesh="m" )" +
                geom + "/></body></worldbody></mujoco>")
        .shapes()
        .at(0);
  };
  for (const char* rule : {"", "fitaabb='true'"}) {
    const Shape box = shape("type='box'", rule);
    EXPECT_TRUE(box.size.isApprox(Eigen::Vector3d(0.1, 0.2, 0.5), 1e-9)) << box.size.transpose();
    EXPECT_TRUE(box.pose.translation().isApprox(Eigen::Vector3d(1.1, 1.2, 1.5), 1e-9));
    EXPECT_TRUE(box.pose.linear().cwiseAbs().isApprox(Eigen::Matrix3d::Identity(), 1e-9));
  }
  EXPECT_NEAR(shape("type='capsule'").size.x(), 0.15, 1e-9);
  EXPECT_NEAR(shape("type='capsule'").size.y(), 0.5 - 0.075, 1e-9);
  EXPECT_NEAR(shape("type='cylinder' fitscale='2'").size.y(), 1.0, 1e-9);
  EXPECT_NEAR(shape("type='sphere'", "fitaabb='true'").size.x(), 0.5, 1e-9);
  fails_with(
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom type='plane' mesh='m'/></worldbody></mujoco>",
      "cannot be fitted");
}

}  // namespace
}  // namespace stiction
