// The same MJCF files read by MuJoCo and by us: counts, masses, inertias, joints, actuators,
// keyframes, and where every body, site and geom is at random positions.

#include <set>

#include "support/mjcf_comparison.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using Folder = test::TemporaryFolder;

// Sums of a few products in another order: a few rounding errors.
constexpr double rounding = 1e-9;
// MuJoCo turns inertias into principal axes, and stops turning when that is good to about 1e-8.
constexpr double diagonalisation = 2e-7;
// MuJoCo keeps vertices, normals and areas of meshes in single precision.
constexpr double single_precision = 1e-6;

void expect_same(const std::string& text, double axes_tolerance = rounding) {
  const Folder folder;
  test::MjcfComparison(folder.write("scene.xml", text)).expect_same(rounding, axes_tolerance);
}

TEST(MjcfAgainstMujoco, EveryPrimitiveWeighsTheSame) {
  expect_same(R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="0.8"/>
    <body name="sphere"><freejoint/><geom name="g1" type="sphere" size=".1"/></body>
    <body name="box"><freejoint/><geom name="g2" type="box" size=".1 .2 .3" mass="4"/></body>
    <body name="capsule"><freejoint/><geom name="g3" type="capsule" size=".1 .2"
      density="700"/></body>
    <body name="cylinder"><freejoint/><geom name="g4" type="cylinder" size=".1 .2"/></body>
    <body name="ellipsoid"><freejoint/><geom name="g5" type="ellipsoid" size=".1 .2 .3"
      condim="1"/></body>
    </worldbody></mujoco>)");
}

TEST(MjcfAgainstMujoco, FromToPlacesAndMeasures) {
  expect_same(R"(<mujoco><worldbody>
    <body name="a" pos="1 2 3" euler="10 20 30"><freejoint/>
      <geom name="g1" type="capsule" fromto="0 0 0 .3 -.2 .5" size=".05"/>
      <geom name="g2" type="cylinder" fromto="0 0 0 0 0 1" size=".05"/>
      <geom name="g3" type="box" fromto=".1 .2 .3 -.4 .5 .6" size=".05"/>
      <geom name="g4" type="ellipsoid" fromto="1 0 0 0 0 0" size=".05" mass="0.3"/>
      <geom name="g5" type="capsule" fromto="0 0 1 0 0 0" size=".05"/>
      <site name="s" type="capsule" fromto="0 0 0 1 1 1" size=".01"/>
    </body></worldbody></mujoco>)",
              diagonalisation);
}

TEST(MjcfAgainstMujoco, EveryFormOfOrientation) {
  const std::string body = R"(
    <body name="quat" quat="1 2 3 4"><joint/><geom size=".1" pos=".2 0 0"/></body>
    <body name="axisangle" axisangle="1 -2 3 40"><joint/><geom size=".1"/></body>
    <body name="euler" euler="10 -20 130"><joint/><geom size=".1"/></body>
    <body name="xyaxes" xyaxes="1 2 0 0 3 4"><joint/><geom size=".1"/></body>
    <body name="zaxis" zaxis="1 -2 -3"><joint/><geom size=".1"/></body>
    <body name="down" zaxis="0 0 -1"><joint/><geom size=".1"/></body>
    </worldbody></mujoco>)";
  for (const std::string sequence : {"xyz", "zyx", "XYZ", "ZXz", "yXy"}) {
    SCOPED_TRACE(sequence);
    expect_same("<mujoco><compiler eulerseq='" + sequence + "'/><worldbody>" + body);
    expect_same("<mujoco><compiler angle='radian' eulerseq='" + sequence + "'/><worldbody>" + body);
  }
}

TEST(MjcfAgainstMujoco, NestedDefaultsAndChildClasses) {
  expect_same(R"(<mujoco><compiler autolimits="true"/>
    <default><geom density="500" friction=".7"/><joint damping=".1" armature=".01"/>
      <default class="arm"><geom type="capsule" size=".05 .2"/><joint axis="0 1 0" range="-90 90"/>
        <default class="hand"><geom size=".03" euler="0 90 0" friction=".5"/>
          <joint frictionloss=".2" stiffness="3" springref="15"/></default>
        <default class="free_arm"><joint limited="false"/></default></default>
      <default class="box"><geom type="box" size=".1 .1 .1" contype="2"/></default></default>
    <worldbody><geom name="w" type="box" size="1 1 1" class="box"/>
      <body name="a" childclass="arm"><joint name="j1"/><geom name="g1"/>
        <body name="b" pos="0 0 .4"><joint name="j2" class="hand"/><geom name="g2" class="hand"/>
          <geom name="g3" class="box" density="100"/>
          <body name="c" childclass="hand" pos=".1 0 0"><joint name="j3" class="free_arm"/>
            <geom name="g4" size=".02"/></body></body></body>
      <body name="d"><joint name="j4" type="slide"/><geom name="g5" type="sphere" size=".1"/></body>
    </worldbody></mujoco>)");
}

TEST(MjcfAgainstMujoco, SeveralJointsInOneBodyAwayFromItsOrigin) {
  expect_same(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="1 0 0" euler=".1 .2 .3">
      <joint name="x" type="slide" axis="1 0 0" ref=".3"/>
      <joint name="y" type="slide" axis="0 2 0" pos=".4 0 0"/>
      <joint name="turn" axis="1 1 1" pos=".1 .2 .3" ref=".7" springref=".2" stiffness="4"/>
      <geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
      <body name="b" pos="0 .5 0"><joint name="ball" type="ball" pos="0 .1 .2" damping=".3"/>
        <joint name="h" type="slide" pos="-.3 0 .1" axis="0 1 0"/>
        <geom type="ellipsoid" size=".1 .2 .3" euler=".3 0 0"/>
        <body name="fixed" pos=".3 0 0" euler="0 0 1"><geom size=".2" pos="0 0 .1"/>
          <site name="tip" pos=".1 .2 .3" zaxis="1 0 0"/>
          <body name="c" pos="0 0 .2"><joint name="k" axis="1 0 0" pos=".1 0 0" ref="-.4"/>
            <geom size=".1"/></body></body></body></body>
    </worldbody></mujoco>)");
}

TEST(MjcfAgainstMujoco, GlobalCoordinatesPlaceEverythingInTheWorld) {
  expect_same(R"(<mujoco><compiler coordinate="global"/><worldbody>
    <body name="torso" pos="0 0 1.25" euler="10 20 30">
      <joint name="x" type="slide" axis="1 0 0" pos="0 0 0"/>
      <joint name="turn" axis="0 1 0" pos="0 0 1.25"/>
      <geom name="g1" type="capsule" fromto="0 0 1.45 0.1 0 1.05" size=".05"/>
      <site name="s" pos="0.1 0.2 1.3" euler="0 0 45"/>
      <body name="thigh" pos="0 0 1.05" euler="0 -20 0">
        <joint name="hip" axis="0 -1 0"/>
        <geom name="g2" type="box" pos="0 0.1 0.9" euler="0 30 0" size=".05 .1 .2"/>
        <body name="foot" pos="0.1 0 0.1"><joint name="ankle" axis="0 1 1" pos="0 0 0.2"/>
          <inertial pos="0.2 0 0.1" quat="1 2 3 4" mass="2" diaginertia="0.01 0.02 0.025"/>
          <geom name="g3" pos="0.2 0 0.1" size=".06"/>
        </body></body></body></worldbody></mujoco>)",
              diagonalisation);
}

TEST(MjcfAgainstMujoco, InertialInBothForms) {
  expect_same(R"(<mujoco><worldbody>
    <body name="a"><freejoint/><inertial pos=".1 .2 .3" mass="2" diaginertia=".1 .2 .25"
      euler="10 20 30"/><geom size="9"/></body>
    <body name="b"><freejoint/><inertial pos=".1 .2 .3" mass="2"
      fullinertia=".1 .2 .25 .01 -.02 .03"/></body>
    </worldbody></mujoco>)",
              diagonalisation);
}

TEST(MjcfAgainstMujoco, InertiaFromGeomAndItsGroups) {
  const std::string scene = R"(<worldbody>
    <body name="a"><freejoint/><inertial pos=".1 .2 .3" mass="2" diaginertia=".1 .2 .25"/>
      <geom size=".1" group="2"/><geom type="box" size=".1 .2 .3" pos=".3 0 0" group="4"/></body>
    </worldbody></mujoco>)";
  expect_same("<mujoco><compiler inertiafromgeom='auto'/>" + scene);
  expect_same("<mujoco><compiler inertiafromgeom='true'/>" + scene);
  expect_same("<mujoco><compiler inertiafromgeom='false'/>" + scene);
  expect_same("<mujoco><compiler inertiafromgeom='true' inertiagrouprange='1 2'/>" + scene);
}

TEST(MjcfAgainstMujoco, BoundsAndBalance) {
  const std::string scene = R"(<worldbody>
    <body name="light"><freejoint/><geom size=".01"/></body>
    <body name="static" pos="1 0 0"><geom size=".01"/></body>
    <body name="thin" euler="10 20 30"><joint/><inertial pos="0 .1 0" mass="1" euler="30 0 20"
      diaginertia=".001 .002 .2"/></body>
    <body name="good"><joint/><geom type="box" size=".1 .2 .3"/></body>
    </worldbody></mujoco>)";
  expect_same("<mujoco><compiler balanceinertia='true' boundmass='.05'/>" + scene);
  expect_same("<mujoco><compiler balanceinertia='true' boundinertia='.01'/>" + scene);
  expect_same("<mujoco><compiler boundinertia='.15' boundmass='2'/>" + scene);
}

TEST(MjcfAgainstMujoco, TotalMassIsSetOverAllBodies) {
  expect_same(R"(<mujoco><compiler settotalmass="10"/><worldbody><geom size="1"/>
    <body name="a"><freejoint/><geom size=".1"/></body>
    <body name="static"><geom size=".3"/></body>
    <body name="b"><joint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/></body>
    </worldbody></mujoco>)");
}

TEST(MjcfAgainstMujoco, MeshesFromFilesAndInline) {
  const Folder folder;
  folder.write("meshes/wedge.obj",
               "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  // MuJoCo 2.2.2 reads binary STL only.
  std::string stl(80, ' ');
  const auto put = [&stl](const auto& value) {
    stl.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const float points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  put(std::uint32_t{4});
  for (const auto& triangle : triangles) {
    stl.append(12, '\0');
    for (const int index : triangle) stl.append(reinterpret_cast<const char*>(points[index]), 12);
    stl.append(2, '\0');
  }
  folder.write("meshes/corner.stl", stl);
  const auto scene = folder.write("scene.xml", R"(<mujoco>
    <compiler meshdir="meshes" exactmeshinertia="true"/>
    <asset><mesh file="wedge.obj" refpos=".25 0 .5" refquat=".6 0 0 .8" scale="2 1 .5"/>
      <mesh name="mirrored" file="wedge.obj" scale="1 -1 1"/><mesh file="corner.stl"/>
      <mesh name="points" vertex="0 0 0  1 0 0  0 1 0  0 0 1  .2 .2 .2"/></asset>
    <worldbody>
      <body name="a"><freejoint/><geom type="mesh" mesh="wedge" pos="1 2 3" euler="10 20 30"/></body>
      <body name="b"><freejoint/><geom type="mesh" mesh="corner" mass="3"/>
        <geom type="mesh" mesh="mirrored" density="10" contype="0" conaffinity="0"/></body>
      <body name="c"><freejoint/><geom type="mesh" mesh="points"/></body>
      <body name="d"><joint/><geom type="mesh" mesh="wedge" mass="0"/><geom size=".1"/></body>
    </worldbody></mujoco>)");
  test::MjcfComparison(scene).expect_same(single_precision, single_precision);
}

TEST(MjcfAgainstMujoco, HeightFieldsFromBinaryFiles) {
  std::string binary;
  const auto put = [&binary](const auto& value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::int32_t{2});
  put(std::int32_t{3});
  for (const float height : {1.0F, 2.5F, -3.0F, 4.0F, 0.25F, 6.0F}) put(height);
  const Folder folder;
  folder.write("fields/hills.bin", binary);
  test::MjcfComparison both(folder.write("scene.xml", R"(<mujoco><compiler meshdir="fields"/>
    <asset><hfield name="hills" file="hills.bin" size="2 1 .5 .1"/></asset>
    <worldbody><geom name="ground" type="hfield" hfield="hills" pos="1 2 3"/>
      <body name="ball"><freejoint/><geom size=".1"/></body></worldbody></mujoco>)"));
  both.expect_same(rounding, rounding);
  const HeightField& field = both.model().height_fields().at(0);
  ASSERT_EQ(field.rows, both.theirs().hfield_nrow[0]);
  ASSERT_EQ(field.columns, both.theirs().hfield_ncol[0]);
  EXPECT_EQ(field.base, both.theirs().hfield_size[3]);
  for (std::size_t i = 0; i < field.heights.size(); ++i) {
    // MuJoCo keeps heights in single precision, as parts of the greatest one.
    EXPECT_NEAR(field.heights[i], 0.5 * static_cast<double>(both.theirs().hfield_data[i]), 1e-7);
  }
}

TEST(MjcfAgainstMujoco, ActuatorsWithSharedDefaults) {
  expect_same(R"(<mujoco><compiler autolimits="true"/>
    <default><position kp="7"/><general ctrlrange="-1 1" gainprm="3 4"/>
      <default class="strong"><motor gear="50" forcerange="-9 9"/></default></default>
    <worldbody><body name="a"><joint name="j"/><geom size=".1"/>
      <body name="b"><joint name="ball" type="ball"/><geom size=".1"/></body></body></worldbody>
    <actuator>
      <motor name="m" joint="j"/> <motor name="s" joint="j" class="strong"/>
      <position name="p" joint="j"/> <position name="p9" joint="j" kp="9" class="strong"/>
      <velocity name="v" joint="j" kv="2"/> <general name="g" joint="j"/>
      <general name="ga" joint="j" gaintype="affine" biastype="affine" gainprm="1 2 3"
        biasprm="4 5 6" ctrllimited="false"/>
      <damper name="d" joint="j" kv="2" ctrlrange="0 1"/>
      <motor name="mb" joint="ball" gear="1 2 3"/>
    </actuator></mujoco>)");
}

TEST(MjcfAgainstMujoco, MocapBodiesAndKeyframes) {
  expect_same(R"(<mujoco><worldbody>
    <body name="target" mocap="true" pos="1 2 3" quat="1 1 0 0"><geom name="t" size=".1"/></body>
    <body name="a" pos="0 0 1" euler="10 20 30"><freejoint name="root"/><geom size=".1"/>
      <body name="b" pos=".2 0 0"><joint name="ball" type="ball"/><geom size=".1" pos=".1 0 0"/>
        <body name="c" pos=".2 0 0"><joint name="h" ref="30"/><geom size=".1"/></body></body></body>
    </worldbody>
    <actuator><motor name="m" joint="h"/></actuator>
    <keyframe>
      <key name="first" time="2" qpos="1 2 3  2 0 1 1  1 0 0 1  .5" ctrl="3"
        qvel="1 2 3  .4 .5 .6  .7 .8 .9  .2"/>
      <key name="second" qvel="0 0 0  1 0 0  0 1 0  0"/>
      <key name="third"/>
    </keyframe></mujoco>)");
}

TEST(MjcfAgainstMujoco, CouplingsHoldWhereTheFileShowsThem) {
  const Folder folder;
  test::MjcfComparison both(folder.write("scene.xml", R"(<mujoco><worldbody>
    <body name="a" pos="0 0 1" euler="10 20 30"><joint name="j1"/><geom size=".1"/></body>
    <body name="b" pos="1 0 1" euler="0 50 0"><joint name="j2"/><geom size=".1"/></body>
    </worldbody><equality>
      <connect body1="a" body2="b" anchor=".1 .2 .3"/>
      <weld body1="a" body2="b"/>
      <weld body1="a" body2="b" relpose="1 2 3 1 0 1 0" anchor=".1 .2 .3" active="false"/>
      <connect body1="b" anchor=".1 0 0"/>
      <joint joint1="j1" joint2="j2" polycoef=".1 2 3 0 0"/>
    </equality></mujoco>)"));
  both.expect_same(rounding, rounding);
  const std::vector<Coupling>& ours = both.model().couplings();
  const mjModel& theirs = both.theirs();
  ASSERT_EQ(static_cast<int>(ours.size()), theirs.neq);
  using Row3 = Eigen::Map<const Eigen::Vector3d>;
  const auto data = [&theirs](int i) { return theirs.eq_data + mjNEQDATA * i; };
  for (const int i : {0, 3}) {
    const Coupling& coupling = ours[static_cast<std::size_t>(i)];
    EXPECT_LT((coupling.pose_a.translation() - Row3(data(i))).norm(), 1e-12);
    EXPECT_LT((coupling.pose_b.translation() - Row3(data(i) + 3)).norm(), 1e-12);
  }
  for (const int i : {1, 2}) {
    const Coupling& coupling = ours[static_cast<std::size_t>(i)];
    const Eigen::Isometry3d relative = coupling.pose_a * coupling.pose_b.inverse();
    const mjtNum* quat = data(i) + 6;
    const Eigen::Quaterniond rotation(quat[0], quat[1], quat[2], quat[3]);
    EXPECT_LT((relative.translation() - Row3(data(i) + 3)).norm(), 1e-9);
    EXPECT_LT((relative.linear() - rotation.normalized().toRotationMatrix()).norm(), 1e-9);
    EXPECT_EQ(coupling.active, theirs.eq_active[i] != 0);
  }
  EXPECT_LT((ours[2].pose_b.translation() - Eigen::Vector3d(.1, .2, .3)).norm(), 1e-12);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(ours[4].coefficients[k], data(4)[k]);
}

/// Names of the geoms in contact, each pair once.
std::set<std::set<std::string>> touching(const test::MjcfComparison& both) {
  std::set<std::set<std::string>> pairs;
  mjData* data = mj_makeData(&both.theirs());
  mj_forward(&both.theirs(), data);
  for (int i = 0; i < data->ncon; ++i) {
    pairs.insert({mj_id2name(&both.theirs(), mjOBJ_GEOM, data->contact[i].geom1),
                  mj_id2name(&both.theirs(), mjOBJ_GEOM, data->contact[i].geom2)});
  }
  mj_deleteData(data);
  return pairs;
}

TEST(MjcfAgainstMujoco, TheSamePairsMayCollide) {
  // All spheres overlap, so MuJoCo makes a contact of each pair that its rules let through.
  const std::string scene = R"(<worldbody>
      <geom name="world" size=".5"/>
      <body name="static" pos=".01 0 0"><geom name="static" size=".5"/>
        <body name="arm" pos=".01 0 0"><joint/><geom name="arm" size=".5"/>
          <body name="welded" pos=".01 0 0"><geom name="welded" size=".5"/>
            <body name="hand" pos=".01 0 0"><joint/><joint type="slide"/>
              <geom name="hand" size=".5"/><geom name="hand2" size=".4"/>
              <body name="finger" pos=".01 0 0"><joint/><geom name="finger" size=".5"/>
              </body></body></body></body></body>
      <body name="ghost" pos="0 .01 0"><freejoint/>
        <geom name="ghost" size=".5" contype="0" conaffinity="0"/></body>
      <body name="one_sided" pos="0 .02 0"><freejoint/>
        <geom name="one_sided" size=".5" contype="0"/></body>
      <body name="other_group" pos="0 .03 0"><freejoint/>
        <geom name="other_group" size=".5" contype="2" conaffinity="4"/></body>
    </worldbody>
    <contact><exclude body1="finger" body2="arm"/><pair geom1="ghost" geom2="other_group"/>
      <exclude body1="one_sided" body2="hand"/></contact></mujoco>)";
  for (const std::string filter : {"enable", "disable"}) {
    SCOPED_TRACE(filter);
    const Folder folder;
    const test::MjcfComparison both(folder.write(
        "scene.xml", "<mujoco><compiler autolimits='true'/><option><flag filterparent='" + filter +
                         "'/></option>" + scene));
    const std::set<std::set<std::string>> theirs = touching(both);
    EXPECT_GT(theirs.size(), 10U);
    const std::vector<Shape>& shapes = both.model().shapes();
    std::set<std::set<std::string>> ours;
    for (std::size_t a = 0; a < shapes.size(); ++a) {
      for (std::size_t b = a + 1; b < shapes.size(); ++b) {
        if (both.model().may_collide(static_cast<int>(a), static_cast<int>(b))) {
          ours.insert({shapes[a].name, shapes[b].name});
        }
      }
    }
    EXPECT_EQ(ours, theirs);
  }
}

TEST(MjcfAgainstMujoco, OurOwnModels) {
  int seen = 0;
  std::vector<std::filesystem::path> files;
  const std::filesystem::path models = std::filesystem::path(STICTION_SOURCE_DIR) / "models";
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    test::MjcfComparison(file).expect_same(rounding, rounding);
    ++seen;
  }
  EXPECT_GE(seen, 1);
}

TEST(MjcfAgainstMujoco, TheReferenceQuadruped) {
  const std::filesystem::path file =
      std::filesystem::path(STICTION_REFERENCE_DIR) / "robots" / "anymal_lumped.xml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference robots at " << file;
  test::MjcfComparison(file).expect_same(rounding, rounding);
}

}  // namespace
}  // namespace stiction
