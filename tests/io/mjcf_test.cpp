#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

constexpr double pi = 3.14159265358979323846;

Model read(const std::string& text) { return load_model_text(text, "scene.xml").model; }

const Shape& shape_of(const Model& model, const std::string& name) {
  for (const Shape& shape : model.shapes()) {
    if (shape.name == name) return shape;
  }
  throw std::runtime_error("no shape " + name);
}

const Frame& frame_of(const Model& model, const std::string& name) {
  return model.frames().at(static_cast<std::size_t>(model.find_frame(name).value()));
}

double friction_of(const Model& model, const std::string& shape) {
  return model.materials()[static_cast<std::size_t>(shape_of(model, shape).material)].friction;
}

TEST(Mjcf, NearerDefaultsWinAndFewerNumbersKeepTheRest) {
  const Model model = read(R"(<mujoco>
    <default><geom size=".1 .2 .3" friction=".9"/>
      <default class="outer"><geom type="box" size=".5"/>
        <default class="inner"><geom size=".7 .8"/></default></default></default>
    <worldbody><geom name="a" class="outer"/><geom name="b" class="inner"/>
      <geom name="c" class="inner" size="1"/><geom name="d"/>
      <body childclass="inner"><geom name="e" friction=".2"/><geom name="f" class="outer"/></body>
    </worldbody></mujoco>)");
  EXPECT_EQ(shape_of(model, "a").size, Eigen::Vector3d(.5, .2, .3));
  EXPECT_EQ(shape_of(model, "b").size, Eigen::Vector3d(.7, .8, .3));
  EXPECT_EQ(shape_of(model, "c").size, Eigen::Vector3d(1, .8, .3));
  EXPECT_EQ(shape_of(model, "d").kind, ShapeKind::sphere);
  EXPECT_EQ(shape_of(model, "e").size, Eigen::Vector3d(.7, .8, .3));
  EXPECT_EQ(shape_of(model, "f").size, Eigen::Vector3d(.5, .2, .3));
  EXPECT_EQ(friction_of(model, "a"), .9);
  EXPECT_EQ(friction_of(model, "e"), .2);
}

TEST(Mjcf, OrientationsAreConvertedToOneForm) {
  const Model model = read(R"(<mujoco><worldbody>
    <site name="quat" quat="0.70710678118654752 0 0 0.70710678118654752"/>
    <site name="axisangle" axisangle="0 0 2 90"/> <site name="euler" euler="0 0 90"/>
    <site name="xyaxes" xyaxes="0 2 0 -1 1 0"/> <site name="zaxis" zaxis="1 0 0"/>
    <geom size="1"/></worldbody></mujoco>)");
  Eigen::Matrix3d quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  for (const char* name : {"quat", "axisangle", "euler", "xyaxes"}) {
    EXPECT_LT((frame_of(model, name).pose.linear() - quarter).norm(), 1e-12) << name;
  }
  const Eigen::Vector3d z = frame_of(model, "zaxis").pose.linear().col(2);
  EXPECT_LT((z - Eigen::Vector3d::UnitX()).norm(), 1e-12);
  EXPECT_EQ(frame_of(model, "quat").kind, Frame::Kind::site);
}

TEST(Mjcf, AnglesAreDegreesUnlessTheFileSaysRadian) {
  const std::string scene = R"(<worldbody><body><joint name="j" range="-1 2" ref="1"/>
    <geom size="1"/></body></worldbody></mujoco>)";
  const Model degrees = read("<mujoco>" + scene);
  const Model radians = read("<mujoco><compiler angle='radian'/>" + scene);
  EXPECT_DOUBLE_EQ(degrees.joint(0).limits.upper, 2.0 * pi / 180.0);
  EXPECT_DOUBLE_EQ(radians.joint(0).limits.upper, 2.0);
  EXPECT_DOUBLE_EQ(degrees.initial_positions()[0], pi / 180.0);
  EXPECT_DOUBLE_EQ(radians.initial_positions()[0], 1.0);
}

TEST(Mjcf, HingesWithoutRangeTurnForEver) {
  const Model model = read(R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body>
    <body><joint name="k" range="0 90" limited="false"/><geom size="1"/></body>
    <body><joint name="l" range="0 90"/><geom size="1"/></body></worldbody></mujoco>)");
  EXPECT_EQ(model.joint(model.find_joint("j").value()).kind, JointKind::continuous);
  EXPECT_EQ(model.joint(model.find_joint("k").value()).kind, JointKind::continuous);
  EXPECT_EQ(model.joint(model.find_joint("l").value()).kind, JointKind::revolute);
}

TEST(Mjcf, FramesMoveWhatTheyHoldAndNest) {
  const std::string plain = R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="b" pos="1 2 0" euler="0 0 1.5707963267948966">
      <joint name="j" pos="1 1 0" axis="0 1 0"/><geom name="g" pos="0 1 .5" size=".1"/>
    </body></worldbody></mujoco>)";
  const std::string framed = R"(<mujoco><compiler angle="radian"/>
    <default><default class="c"><geom size=".1"/></default></default><worldbody>
    <frame pos="1 0 0"><frame pos="0 2 0" euler="0 0 1.5707963267948966">
      <body name="b"><frame pos="0 1 0" euler="0 0 1.5707963267948966" childclass="c">
        <joint name="j" pos="0 -1 0" axis="1 0 0"/><geom name="g" pos="0 0 .5"/></frame>
      </body></frame></frame></worldbody></mujoco>)";
  const Model a = read(plain);
  const Model b = read(framed);
  EXPECT_LT((a.joint_pose(0).matrix() - b.joint_pose(0).matrix()).norm(), 1e-12);
  EXPECT_LT((a.joint_axis(0) - b.joint_axis(0)).norm(), 1e-12);
  EXPECT_LT((a.body_inertia(0).center_of_mass - b.body_inertia(0).center_of_mass).norm(), 1e-12);
  const Eigen::Vector3d difference =
      shape_of(a, "g").pose.translation() - shape_of(b, "g").pose.translation();
  EXPECT_LT(difference.norm(), 1e-12);
}

TEST(Mjcf, SeveralJointsMakeAChainOfBodies) {
  const Model model = read(R"(<mujoco><worldbody><body name="cart">
    <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <joint name="turn"/><geom size=".1"/></body></worldbody></mujoco>)");
  ASSERT_EQ(model.body_count(), 3);
  EXPECT_EQ(model.body_name(2), "cart");
  EXPECT_EQ(model.joint(0).name, "x");
  EXPECT_EQ(model.joint(2).name, "turn");
  EXPECT_EQ(model.parent(2), 1);
  EXPECT_DOUBLE_EQ(model.total_mass(), 1000.0 * 4.0 / 3.0 * pi * 1e-3);
}

TEST(Mjcf, UnnamedThingsGetNamesThatNobodyElseHas) {
  const Model model = read(R"(<mujoco><worldbody>
    <body><joint/><geom size="1"/><body name="body_1"><joint/><geom size="1"/></body></body>
    <body name="a"><joint name="a_joint"/><joint type="slide"/><geom size="1"/></body>
    </worldbody></mujoco>)");
  EXPECT_EQ(model.body_name(0), "body_1_2");
  EXPECT_EQ(model.joint(0).name, "body_1_2_joint");
  EXPECT_EQ(model.body_name(1), "body_1");
  EXPECT_TRUE(model.find_joint("a_joint_2"));
}

TEST(Mjcf, UnnamedActuatorsAreNamedAfterWhatTheyDrive) {
  const Model model = read(R"(<mujoco><worldbody>
    <body name="b"><joint name="j"/><joint name="k" axis="1 0 0"/><geom size="1"/></body></worldbody>
    <actuator><motor joint="j"/><position joint="j"/><motor name="k" joint="j"/><motor joint="k"/>
    </actuator></mujoco>)");
  EXPECT_EQ(model.actuators()[0].name, "j");
  EXPECT_EQ(model.actuators()[1].name, "j_2");
  EXPECT_EQ(model.actuators()[2].name, "k");
  EXPECT_EQ(model.actuators()[3].name, "k_2");
}

TEST(Mjcf, CondimOneHasNoFrictionAgainstItself) {
  const Model model = read(R"(<mujoco><worldbody><geom name="slick" size="1" condim="1"/>
    <geom name="rough" size="1" friction="1.5"/>
    <geom name="rough2" size="1" friction="1.5 .005 .0001"/>
    </worldbody></mujoco>)");
  const int slick = shape_of(model, "slick").material;
  EXPECT_EQ(model.material_between(slick, slick).friction, 0.0);
  const int rough = shape_of(model, "rough").material;
  EXPECT_EQ(model.material_between(slick, rough).friction, 1.5);
  EXPECT_EQ(friction_of(model, "rough"), 1.5);
  EXPECT_EQ(shape_of(model, "rough").material, shape_of(model, "rough2").material);
}

/// The larger condim and the larger coefficients count, also those of a geom that would not use
/// them by itself; a higher priority decides alone, and a pair does not ask.
TEST(Mjcf, CondimFourAndSixHaveTorsionalAndRollingFriction) {
  const LoadedModel loaded = load_model_text(R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="1 1 1" friction="1 .02 .003"/>
    <body><freejoint/><geom name="four" size="1" condim="4"/></body>
    <body><freejoint/><geom name="six" size="1" condim="6" friction="1 .01 .004"/></body>
    <body><freejoint/><geom name="three" size="1" friction="1 .5 .5" priority="2"/></body>
    <body><freejoint/><geom name="paired" size="1" condim="6"/></body></worldbody>
    <contact><pair geom1="floor" geom2="paired" condim="6" friction="1 1 .7 .8 .8"/>
      <pair geom1="floor" geom2="three" condim="4"/></contact></mujoco>)",
                                             "rolls.xml");
  EXPECT_TRUE(loaded.problems.empty());
  const Model& model = loaded.model;
  EXPECT_TRUE(model.has_turning_friction());
  const auto between = [&model](const char* a, const char* b) {
    const auto place = [&model](const char* name) {
      return static_cast<int>(&shape_of(model, name) - model.shapes().data());
    };
    const ContactMaterial material = model.contact_material(place(a), place(b));
    return std::pair(material.spin_friction, material.roll_friction);
  };
  EXPECT_EQ(between("floor", "floor"), std::pair(0.0, 0.0));
  EXPECT_EQ(between("floor", "four"), std::pair(0.02, 0.0));
  EXPECT_EQ(between("floor", "six"), std::pair(0.02, 0.004));
  EXPECT_EQ(between("four", "six"), std::pair(0.01, 0.004));
  EXPECT_EQ(between("six", "three"), std::pair(0.0, 0.0));
  EXPECT_EQ(between("paired", "floor"), std::pair(0.7, 0.8));
  EXPECT_EQ(between("floor", "three"), std::pair(0.005, 0.0));
}

TEST(Mjcf, RestitutionStandsInCustomNumbers) {
  const Model model = read(R"(<mujoco><custom><numeric name="stiction:restitution" data=".3"/>
    <numeric name="stiction:restitution:ball" data=".9 .01"/></custom>
    <worldbody><geom name="floor" size="1"/><geom name="ball" size="1"/><geom size="1"/>
    </worldbody></mujoco>)");
  const auto material = [&model](const char* name) {
    return model.materials()[static_cast<std::size_t>(shape_of(model, name).material)];
  };
  EXPECT_EQ(material("floor").restitution, .3);
  EXPECT_EQ(material("ball").restitution, .9);
  EXPECT_EQ(material("ball").restitution_threshold, .01);
  EXPECT_EQ(material("floor").restitution_threshold, 0.0);
  EXPECT_EQ(material("").restitution, .3);
}

TEST(Mjcf, SurfaceVelocityAndPairsOfMaterialsStandInCustom) {
  const Model model = read(R"(<mujoco><custom>
    <numeric name="stiction:surface_velocity:belt" data="1 -2 3"/>
    <text name="stiction:material:belt" data="rubber"/>
    <text name="stiction:material:ball" data="steel"/>
    <text name="stiction:material:soft ball" data="rubber"/>
    <numeric name="stiction:pair:steel:rubber" data=".25 .5 .1"/>
    <numeric name="stiction:pair:rubber:rubber" data="2"/>
    <numeric name="foreign" data="1"/><text name="author" data="x"/></custom>
    <worldbody><geom name="belt" size="1"/><geom name="ball" size="1"/>
    <geom name="soft ball" size="1" friction=".7"/><geom name="other" size="1"/>
    </worldbody></mujoco>)");
  EXPECT_EQ(shape_of(model, "belt").surface_velocity, Eigen::Vector3d(1, -2, 3));
  EXPECT_EQ(shape_of(model, "ball").surface_velocity, Eigen::Vector3d(0, 0, 0));
  const auto between = [&model](const char* a, const char* b) {
    const auto index = [&model](const char* name) {
      return static_cast<int>(&shape_of(model, name) - model.shapes().data());
    };
    return model.contact_material(index(a), index(b));
  };
  EXPECT_EQ(between("belt", "ball").friction, .25);
  EXPECT_EQ(between("ball", "soft ball").restitution, .5);
  EXPECT_EQ(between("ball", "belt").restitution_threshold, .1);
  EXPECT_EQ(between("soft ball", "belt").friction, 2.0);
  EXPECT_EQ(between("ball", "other").friction, 1.0);
  EXPECT_EQ(between("other", "soft ball").restitution, 0.0);
}

TEST(Mjcf, MocapBodiesAreKinematicAndFloat) {
  const Model model = read(R"(<mujoco><worldbody>
    <body name="wall" mocap="true" pos="1 2 3" quat="0 1 0 0"><geom size="1"/></body></worldbody>
    <custom><numeric name="stiction:velocity:wall" data="1 2 3 4 5 6"/></custom>
    <keyframe><key name="start"/><key name="there" mpos="4 5 6"/></keyframe></mujoco>)");
  ASSERT_EQ(model.body_count(), 1);
  EXPECT_EQ(model.joint(0).kind, JointKind::floating);
  EXPECT_TRUE(model.joint(0).kinematic);
  EXPECT_EQ(model.initial_positions().head<3>(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(model.total_mass(), 0.0);
  ASSERT_EQ(model.keyframes().size(), 2U);
  for (const Keyframe& key : model.keyframes()) {
    EXPECT_EQ(key.v, (Eigen::VectorXd(6) << 1, 2, 3, 4, 5, 6).finished());
  }
  EXPECT_EQ(model.keyframes()[0].q.head<3>(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(model.keyframes()[1].q.head<3>(), Eigen::Vector3d(4, 5, 6));
}

TEST(Mjcf, HeightFieldsLieAsTheTextShowsThem) {
  const Model model = read(R"(<mujoco><asset>
    <hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2  3 4 10"/></asset>
    <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>)");
  ASSERT_EQ(model.height_fields().size(), 1U);
  const HeightField& field = model.height_fields()[0];
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  EXPECT_EQ(field.half_size, Eigen::Vector2d(1, 2));
  EXPECT_EQ(field.base, .1);
  // Stretched to the height of 0.5; the last row of the text lies at -y.
  EXPECT_EQ(field.heights, (std::vector<double>{.15, .2, .5, 0, .05, .1}));
}

TEST(Mjcf, VisualGeomsDoNotCollideUnlessAPairNamesThem) {
  const Model model = read(R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="a"><freejoint/><geom name="look" size=".1" contype="0" conaffinity="0" group="2"/>
      <geom name="pair" size=".1" contype="0" conaffinity="0"/>
      <geom name="hidden" size=".1" group="3"/></body></worldbody>
    <contact><pair geom1="pair" geom2="floor" friction=".4 .4"/></contact></mujoco>)");
  EXPECT_FALSE(shape_of(model, "look").collides);
  EXPECT_TRUE(shape_of(model, "pair").collides);
  EXPECT_TRUE(shape_of(model, "look").visible);
  EXPECT_FALSE(shape_of(model, "hidden").visible);
  ASSERT_EQ(model.contact_pairs().size(), 1U);
  EXPECT_EQ(model.contact_pairs()[0].friction, .4);
  const auto shapes = std::pair(model.contact_pairs()[0].shape_a, model.contact_pairs()[0].shape_b);
  EXPECT_EQ(model.shapes()[static_cast<std::size_t>(shapes.first)].name, "pair");
  EXPECT_EQ(model.shapes()[static_cast<std::size_t>(shapes.second)].name, "floor");
}

TEST(Mjcf, DiscardedVisualGeomsKeepTheirMass) {
  const std::string scene = R"(<worldbody><body><freejoint/><geom size=".1"/>
    <geom size=".2" contype="0" conaffinity="0"/></body></worldbody></mujoco>)";
  const Model all = read("<mujoco>" + scene);
  const Model some = read("<mujoco><compiler discardvisual='true'/>" + scene);
  EXPECT_EQ(some.shapes().size(), 1U);
  EXPECT_DOUBLE_EQ(some.total_mass(), all.total_mass());
}

TEST(Mjcf, MocapBodiesMoveAsTheyAreTold) {
  const Model model = read(R"(<mujoco><worldbody><body name="hand" mocap="true" pos="1 2 3">
    <geom size=".1"/></body></worldbody>
    <keyframe><key name="k" mpos="4 5 6" mquat="0 1 0 0"/></keyframe></mujoco>)");
  ASSERT_EQ(model.body_count(), 1);
  EXPECT_TRUE(model.joint(0).kinematic);
  EXPECT_EQ(model.joint(0).kind, JointKind::floating);
  EXPECT_EQ(model.initial_positions().head<3>(), Eigen::Vector3d(1, 2, 3));
  Eigen::VectorXd wished(7);
  wished << 4, 5, 6, 1, 0, 0, 0;
  EXPECT_EQ(model.keyframe_state(0).q, wished);
}

TEST(Mjcf, KeyframesAreTurnedIntoOurOrderAndAxes) {
  const Model model = read(R"(<mujoco><worldbody><body><freejoint/><geom size=".1"/>
    <body pos="1 0 0"><joint name="h"/><geom size=".1"/></body></body></worldbody>
    <actuator><motor joint="h"/></actuator>
    <keyframe><key name="turned" time="3" qpos="1 2 3  1 0 0 1  .5" qvel="1 2 3  4 5 6  7"
      ctrl=".2"/></keyframe></mujoco>)");
  const State state = model.keyframe_state(model.find_keyframe("turned").value());
  const double half = std::sqrt(0.5);
  Eigen::VectorXd q(8);
  q << 1, 2, 3, 0, 0, half, half, .5;
  Eigen::VectorXd v(7);
  v << 1, 2, 3, -5, 4, 6, 7;  // (4, 5, 6) in the body's axes, which stand turned by 90 degrees
  EXPECT_EQ(state.time, 3.0);
  EXPECT_LT((state.q - q).norm(), 1e-12);
  EXPECT_LT((state.v - v).norm(), 1e-12);
  EXPECT_EQ(model.keyframes()[0].control[0], .2);
}

TEST(Mjcf, SensorsKnowWhatTheyLookAt) {
  const Model model = read(R"(<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="j"/>
    <geom name="g" pos=".5 0 0" size=".1"/><site name="s" pos="0 .1 0"/></body></worldbody>
    <actuator><motor name="m" joint="j"/></actuator>
    <sensor><jointpos name="a" joint="j" noise=".01" cutoff="5"/><gyro site="s"/>
      <actuatorfrc actuator="m"/><framepos objtype="xbody" objname="b"/>
      <framepos objtype="body" objname="b"/><framequat objtype="geom" objname="g"/>
      <subtreecom body="b"/><clock/><user dim="1"/></sensor></mujoco>)");
  const std::vector<Sensor>& sensors = model.sensors();
  ASSERT_EQ(sensors.size(), 9U);
  EXPECT_EQ(sensors[0].kind, SensorKind::joint_position);
  EXPECT_EQ(sensors[0].noise, .01);
  EXPECT_EQ(sensors[0].cutoff, 5.0);
  const auto frame = [&](std::size_t i) {
    return model.frames().at(static_cast<std::size_t>(sensors[i].index));
  };
  EXPECT_EQ(frame(1).name, "s");
  EXPECT_EQ(sensors[2].target, Sensor::Target::actuator);
  EXPECT_EQ(frame(3).name, "b");
  EXPECT_LT((frame(4).pose.translation() - Eigen::Vector3d(.5, 0, 0)).norm(), 1e-12);
  EXPECT_LT((frame(5).pose.translation() - Eigen::Vector3d(.5, 0, 0)).norm(), 1e-12);
  EXPECT_EQ(sensors[6].kind, SensorKind::subtree_center_of_mass);
  EXPECT_EQ(sensors[7].kind, SensorKind::clock);
  EXPECT_EQ(sensors[8].kind, SensorKind::other);
  EXPECT_EQ(sensors[8].type, "user");
}

TEST(Mjcf, ActuatorsOfNewerFiles) {
  const Model model = read(R"(<mujoco><worldbody><body><joint name="j" range="-90 90"
      actuatorfrcrange="-7 7"/><geom size=".1"/></body></worldbody>
    <actuator><position joint="j" kp="10" kv="2" inheritrange=".5"/></actuator></mujoco>)");
  const Actuator& actuator = model.actuators().at(0);
  EXPECT_EQ(actuator.bias, (std::array<double, 3>{0, -10, -2}));
  EXPECT_DOUBLE_EQ(actuator.control_range[1], pi / 4.0);
  EXPECT_EQ(model.joint(0).limits.effort, 7.0);
}

TEST(Mjcf, PrefixesLetOneRobotBeLoadedTwice) {
  const std::string text = R"(<mujoco><worldbody><geom name="floor" size="1"/>
    <body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body></worldbody>
    <contact><pair geom1="floor" geom2="g"/></contact>
    <actuator><motor name="m" joint="j"/></actuator><sensor><gyro name="y" site="s"/></sensor>
    <keyframe><key name="k" qpos="1" ctrl="2"/></keyframe></mujoco>)";
  LoadOptions options;
  options.prefix = "left/";
  const Model model = load_model_text(text, "scene.xml", {}, options).model;
  EXPECT_TRUE(model.find_body("left/b"));
  EXPECT_TRUE(model.find_joint("left/j"));
  EXPECT_TRUE(model.find_frame("left/s"));
  EXPECT_TRUE(model.find_actuator("left/m"));
  EXPECT_TRUE(model.find_keyframe("left/k"));
  EXPECT_EQ(shape_of(model, "left/g").name, "left/g");
  EXPECT_EQ(model.sensors()[0].name, "left/y");
}

TEST(Mjcf, OptionsSetGravityAndTimeStep) {
  const Model model = read(R"(<mujoco model="m"><option timestep=".004" gravity="0 0 -1.6"/>
    <worldbody><geom size="1"/></worldbody></mujoco>)");
  EXPECT_EQ(model.name(), "m");
  EXPECT_EQ(model.time_step(), .004);
  EXPECT_EQ(model.gravity(), Eigen::Vector3d(0, 0, -1.6));
  const Model weightless = read(R"(<mujoco><option><flag gravity="disable"/></option>
    <worldbody><geom size="1"/></worldbody></mujoco>)");
  EXPECT_EQ(weightless.gravity(), Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(weightless.time_step(), .002);
}

TEST(Mjcf, NestedIncludesStartAtTheFolderOfTheirFile) {
  test::TemporaryFolder folder;
  folder.write("robot/parts/leg.xml",
               "<mujoco><body name='leg'><freejoint/><geom size='0.1'/></body></mujoco>");
  folder.write("robot/robot.xml", "<mujoco><include file='parts/leg.xml'/></mujoco>");
  folder.write("common.xml", "<mujoco><geom type='plane' size='1 1 1' rgba=''/></mujoco>");
  folder.write("robot/floor.xml", "<mujoco><include file='common.xml'/></mujoco>");
  const std::filesystem::path scene = folder.write(
      "scene.xml",
      "<mujoco><worldbody><include file='robot/robot.xml'/><include file='robot/floor.xml'/>"
      "</worldbody></mujoco>");
  const Model model = load_model(scene).model;
  EXPECT_EQ(model.body_count(), 1);
  EXPECT_EQ(model.shapes().size(), 2u) << "the floor is found beside the main file";
}

TEST(Mjcf, ZeroQuaternionsOfKeyframesMeanNoRotation) {
  const Model model =
      load_model_text(
          "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody>"
          "<keyframe><key name='k' qpos='0 0 1 0 0 0 0'/></keyframe></mujoco>",
          "k.xml")
          .model;
  EXPECT_EQ(model.keyframes()[0].q[6], 1.0);
}

/// MuJoCo collides the hull of every mesh, whatever it is fixed to.
TEST(Mjcf, MeshesOfTheWorldAreHullsUnlessTheFileAsksForTriangles) {
  const std::string start =
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom name='g' type='mesh' mesh='m'/></worldbody>";
  EXPECT_FALSE(load_model_text(start + "</mujoco>", "m.xml").model.shapes()[0].as_triangles);
  EXPECT_TRUE(load_model_text(start + "<custom><numeric name='stiction:triangles:g' data='1'/>"
                                      "</custom></mujoco>",
                              "m.xml")
                  .model.shapes()[0]
                  .as_triangles);
}

/// A weld without moments holds a point, as in MuJoCo.
TEST(Mjcf, AWeldWithoutMomentsIsAConnection) {
  const auto kind = [](const std::string& attribute) {
    return load_model_text(
               "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody>"
               "<equality><weld body1='b' " +
                   attribute + "/></equality></mujoco>",
               "w.xml")
        .model.couplings()[0]
        .kind;
  };
  EXPECT_EQ(kind("torquescale='0'"), Coupling::Kind::connect);
  EXPECT_EQ(kind("torquescale='.5'"), Coupling::Kind::weld);
  EXPECT_EQ(kind(""), Coupling::Kind::weld);
}

TEST(Mjcf, NewerAttributesThatChangeTheMotionAreWarnings) {
  for (const char* attribute : {"surfacevel='1 0 0'", "adhesion='1'"}) {
    const LoadedModel loaded =
        load_model_text(std::string("<mujoco><worldbody><body><freejoint/><geom size='.1' ") +
                            attribute + "/></body></worldbody></mujoco>",
                        "a.xml");
    EXPECT_EQ(loaded.problems.count(Severity::warning), 1u) << attribute;
  }
}

TEST(Mjcf, AskedForHullVerticesAreKeptTo) {
  const auto load_hull = [](const std::string& limit) {
    std::string points;
    for (int i = 0; i < 60; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / 60.0;
      const double r = std::sqrt(1.0 - z * z);
      points += fmt::format("{} {} {} ", r * std::cos(2.4 * i), r * std::sin(2.4 * i), z);
    }
    return load_model_text("<mujoco><asset><mesh name='m' " + limit + " vertex='" + points +
                               "'/></asset><worldbody><body><freejoint/><geom type='mesh' "
                               "mesh='m'/></body></worldbody></mujoco>",
                           "m.xml");
  };
  EXPECT_EQ(load_hull("").model.meshes()[0].hull_vertices.size(), 60u);
  const LoadedModel limited = load_hull("maxhullvert='20'");
  EXPECT_LE(limited.model.meshes()[0].hull_vertices.size(), 20u);
  EXPECT_EQ(limited.problems.count(Severity::note), 1u);
  EXPECT_THROW(load_hull("maxhullvert='3'"), InputError);
}

}  // namespace
}  // namespace stiction
