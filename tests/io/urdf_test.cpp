#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>
#include <string>

#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {
namespace {

constexpr const char* inertial =
    "<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.25'/>"
    "</inertial>";

std::string link(const std::string& name, const std::string& more = "",
                 const std::string& mass = inertial) {
  return fmt::format("<link name='{}'>{}{}</link>\n", name, mass, more);
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  const bool bounded = type == "revolute" || type == "prismatic";
  return fmt::format(
      "<joint name='{}' type='{}'><parent link='{}'/><child link='{}'/>{}{}</joint>\n", name, type,
      parent, child, bounded ? "<limit lower='-1' upper='2' effort='30' velocity='4'/>" : "", more);
}

LoadedModel load(const std::string& body, const LoadOptions& options = {}) {
  return load_model_text("<robot name='r'>\n" + body + "</robot>", "r.urdf", {}, options);
}

TEST(Urdf, RootWithMassFloats) {
  const LoadedModel loaded = load(link("base"));
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.model.body_count(), 1);
  EXPECT_EQ(loaded.model.joint(0).kind, JointKind::floating);
  EXPECT_EQ(loaded.model.joint(0).name, "floating_base");
  EXPECT_EQ(loaded.model.position_count(), 7);
  EXPECT_EQ(loaded.model.name(), "r");
}

TEST(Urdf, MassOfLinksThatAreFixedToTheRootCounts) {
  const std::string body = link("footprint", "", "") + link("base") + link("arm") +
                           joint("f", "fixed", "footprint", "base") +
                           joint("j", "revolute", "base", "arm");
  const Model model = load(body).model;
  EXPECT_EQ(model.joint(0).kind, JointKind::floating);
  EXPECT_EQ(model.velocity_count(), 7);
  EXPECT_TRUE(model.find_frame("base").has_value());
}

TEST(Urdf, RootWithoutMassOrCalledWorldIsFixed) {
  for (const char* name : {"stand", "world"}) {
    const bool massless = std::string(name) == "stand";
    const Model model = load(link(name, "", massless ? "" : inertial) + link("arm") +
                             joint("j", "revolute", name, "arm"))
                            .model;
    EXPECT_EQ(model.body_count(), 1);
    EXPECT_EQ(model.velocity_count(), 1);
    EXPECT_DOUBLE_EQ(model.total_mass(), 2.0);
  }
}

TEST(Urdf, BaseCanBeChosen) {
  LoadOptions options;
  options.base = BaseKind::fixed;
  EXPECT_EQ(load(link("base") + link("arm") + joint("j", "revolute", "base", "arm"), options)
                .model.velocity_count(),
            1);
  options.base = BaseKind::floating;
  EXPECT_EQ(load(link("world"), options).model.velocity_count(), 6);
}

TEST(Urdf, FloatingJointOnTheWorldLinkFloatsInTheWorld) {
  const Model model =
      load(link("world", "", "") + link("base") +
           joint("free", "floating", "world", "base", "<origin xyz='1 2 3' rpy='0 0 1.5707963'/>"))
          .model;
  EXPECT_EQ(model.joint(0).kind, JointKind::floating);
  const Eigen::VectorXd q = model.initial_positions();
  EXPECT_TRUE(q.head<3>().isApprox(Eigen::Vector3d(1, 2, 3)));
  EXPECT_NEAR(q[5], std::sqrt(0.5), 1e-7);
}

TEST(Urdf, EveryJointTypeIsRead) {
  const std::string body =
      link("base") + link("a") + link("b") + link("c") + link("d") + link("e") +
      joint("revolute", "revolute", "base", "a", "<axis xyz='0 1 0'/>") +
      joint("continuous", "continuous", "a", "b", "<dynamics damping='0.5' friction='0.25'/>") +
      joint("prismatic", "prismatic", "b", "c", "<axis xyz='0 0 -1'/>") +
      joint("planar", "planar", "c", "d", "<axis xyz='0 0 1'/>") +
      joint("fixed", "fixed", "d", "e");
  const LoadedModel loaded = load(body);
  const Model& model = loaded.model;
  EXPECT_EQ(model.body_count(), 5);
  const Joint& revolute = model.joint(*model.find_joint("revolute"));
  EXPECT_EQ(revolute.kind, JointKind::revolute);
  EXPECT_EQ(revolute.limits.lower, -1.0);
  EXPECT_EQ(revolute.limits.upper, 2.0);
  EXPECT_EQ(revolute.limits.effort, 30.0);
  EXPECT_EQ(revolute.limits.velocity, 4.0);
  EXPECT_TRUE(model.joint_axis(revolute.body).isApprox(Eigen::Vector3d::UnitY()));
  const Joint& continuous = model.joint(*model.find_joint("continuous"));
  EXPECT_EQ(continuous.kind, JointKind::continuous);
  EXPECT_TRUE(std::isinf(continuous.limits.effort));
  EXPECT_EQ(model.parameters().damping[continuous.velocity_index], 0.5);
  EXPECT_EQ(model.parameters().friction[continuous.velocity_index], 0.25);
  EXPECT_TRUE(model.joint_axis(continuous.body).isApprox(Eigen::Vector3d::UnitX()))
      << "URDF's axis is x where none is given";
  EXPECT_EQ(model.joint(*model.find_joint("prismatic")).kind, JointKind::prismatic);
  EXPECT_EQ(model.joint(*model.find_joint("planar")).kind, JointKind::planar);
  EXPECT_FALSE(model.find_joint("fixed").has_value());
  EXPECT_TRUE(model.find_frame("e").has_value());
}

TEST(Urdf, InertialFrameTurnsTheInertia) {
  const std::string turned =
      "<inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='3'/>"
      "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.25'/></inertial>";
  const Model model = load(link("base", "", turned)).model;
  const BodyInertia& inertia = model.body_inertia(0);
  EXPECT_EQ(inertia.mass, 3.0);
  EXPECT_TRUE(inertia.center_of_mass.isApprox(Eigen::Vector3d(0.1, 0.2, 0.3)));
  const Eigen::Matrix3d expected = Eigen::Vector3d(0.2, 0.1, 0.25).asDiagonal();
  EXPECT_TRUE(inertia.inertia.isApprox(expected, 1e-14));
}

TEST(Urdf, RollPitchYawIsFixedAxisRotation) {
  const std::string body =
      link("base") + link("arm") +
      joint("j", "continuous", "base", "arm", "<origin xyz='1 2 3' rpy='0.3 -0.4 0.5'/>");
  const Model model = load(body).model;
  const Eigen::Matrix3d expected = (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()) *
                                    Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitY()) *
                                    Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()))
                                       .toRotationMatrix();
  EXPECT_TRUE(model.joint_pose(1).linear().isApprox(expected, 1e-14));
  EXPECT_TRUE(model.joint_pose(1).translation().isApprox(Eigen::Vector3d(1, 2, 3)));
}

TEST(Urdf, ShapesAreReadFromTheMiddle) {
  const auto shape = [](const char* tag, const char* geometry, const char* more = "") {
    return fmt::format("<{0}><origin xyz='0 0 1'/><geometry>{1}</geometry>{2}</{0}>", tag, geometry,
                       more);
  };
  const Model model =
      load(link("base", shape("collision", "<box size='1 2 3'/>") +
                            shape("collision", "<sphere radius='0.5'/>") +
                            shape("collision", "<cylinder radius='0.5' length='2'/>") +
                            shape("collision", "<capsule radius='0.25' length='4'/>") +
                            shape("visual", "<capsule radius='0.125' length='6'/>",
                                  "<material name='red'/>")) +
           "<material name='red'><color rgba='1 0 0 0.5'/></material>")
          .model;
  ASSERT_EQ(model.shapes().size(), 5u);
  const auto at = [&model](std::size_t i) { return model.shapes()[i]; };
  EXPECT_EQ(at(0).kind, ShapeKind::box);
  EXPECT_TRUE(at(0).size.isApprox(Eigen::Vector3d(0.5, 1.0, 1.5)));
  EXPECT_TRUE(at(0).pose.translation().isApprox(Eigen::Vector3d::UnitZ()));
  EXPECT_EQ(at(1).kind, ShapeKind::sphere);
  EXPECT_EQ(at(1).size.x(), 0.5);
  EXPECT_EQ(at(2).kind, ShapeKind::cylinder);
  EXPECT_EQ(at(2).size.y(), 1.0);
  EXPECT_EQ(at(3).kind, ShapeKind::capsule);
  EXPECT_TRUE(at(3).size.isApprox(Eigen::Vector3d(0.25, 2.0, 0.0)));
  EXPECT_TRUE(at(3).collides);
  EXPECT_FALSE(at(3).visible) << "the link has a visual shape";
  EXPECT_EQ(at(4).kind, ShapeKind::capsule);
  EXPECT_FALSE(at(4).collides);
  EXPECT_TRUE(at(4).visible);
  EXPECT_EQ(at(4).color, (std::array<float, 4>{1.0F, 0.0F, 0.0F, 0.5F}));
}

TEST(Urdf, MimicBecomesACoupling) {
  const std::string body = link("base") + link("a") + link("b") +
                           joint("follower", "revolute", "base", "a",
                                 "<mimic joint='leader' multiplier='-2' offset='0.5'/>") +
                           joint("leader", "revolute", "base", "b");
  const Model model = load(body).model;
  ASSERT_EQ(model.couplings().size(), 1u);
  const Coupling& mimic = model.couplings()[0];
  EXPECT_TRUE(mimic.mimic);
  EXPECT_EQ(mimic.kind, Coupling::Kind::joint);
  EXPECT_EQ(model.joint(mimic.joint_a).name, "follower");
  EXPECT_EQ(model.joint(mimic.joint_b).name, "leader");
  EXPECT_EQ(mimic.coefficients[0], 0.5);
  EXPECT_EQ(mimic.coefficients[1], -2.0);
}

TEST(Urdf, AFixedBaseKeepsItsFirstLinkFromItselfOnly) {
  const std::string ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  const XmlFile file("<robot name='r'>\n" + link("base", ball) + link("arm", ball) +
                         joint("turn", "revolute", "base", "arm") + "</robot>",
                     "r.urdf");
  LoadOptions options;
  options.base = BaseKind::fixed;
  ModelBuilder builder;
  ProblemList problems;
  Shape ground;
  ground.kind = ShapeKind::plane;
  builder.add_world_shape(ground);
  add_urdf(builder, file, {}, options, problems);
  const Model model = builder.build();
  ASSERT_EQ(model.shapes().size(), 3U);
  EXPECT_TRUE(model.may_collide(0, 2)) << "arm and ground";
  EXPECT_FALSE(model.may_collide(1, 2)) << "arm and base";
}

TEST(Urdf, LinksThatAJointJoinsDoNotCollide) {
  const std::string ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
  const Model model = load(link("base", ball) + link("a", ball) + link("b", ball) +
                           joint("j", "revolute", "base", "a") + joint("k", "revolute", "a", "b"))
                          .model;
  ASSERT_EQ(model.shapes().size(), 3u);
  EXPECT_FALSE(model.may_collide(0, 1));
  EXPECT_FALSE(model.may_collide(1, 2));
  EXPECT_TRUE(model.may_collide(0, 2));
}

TEST(Urdf, PrefixGoesBeforeEveryName) {
  LoadOptions options;
  options.prefix = "left/";
  const Model model =
      load(link("base") + link("arm") + joint("j", "revolute", "base", "arm"), options).model;
  EXPECT_EQ(model.body_name(0), "left/base");
  EXPECT_EQ(model.joint(0).name, "left/floating_base");
  EXPECT_EQ(model.joint(1).name, "left/j");
  EXPECT_TRUE(model.find_frame("left/arm").has_value());
}

TEST(Urdf, MasslessLinkBetweenJointsPassesMotionOn) {
  const std::string body = link("base") + link("cross", "", "") + link("arm") +
                           joint("x", "continuous", "base", "cross", "<axis xyz='1 0 0'/>") +
                           joint("y", "continuous", "cross", "arm", "<axis xyz='0 1 0'/>");
  const LoadedModel loaded = load(body);
  EXPECT_EQ(loaded.model.velocity_count(), 8);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
}

/// The severities and texts of problems that a good file may have.
std::string problems_of(const std::string& body) {
  std::string text;
  const LoadedModel loaded = load(body);
  for (const Problem& problem : loaded.problems.all()) text += to_string(problem) + '\n';
  return text;
}

TEST(Urdf, WhatIsNotUsedIsListedWithItsLines) {
  const std::string text =
      problems_of(link("base", "<contact/>") + link("arm", "<contact/>") +
                  joint("j", "revolute", "base", "arm",
                        "<calibration rising='0'/><safety_controller k_velocity='1'/>") +
                  "<gazebo reference='arm'><kp>1</kp></gazebo>\n<transmission name='t'/>\n");
  EXPECT_NE(text.find("r.urdf:2: note: <contact> in <link>: not used (2 times: lines 2, 3)"),
            std::string::npos)
      << text;
  for (const char* tag : {"<calibration>", "<safety_controller>", "<gazebo>", "<transmission>"}) {
    EXPECT_NE(text.find(tag), std::string::npos) << tag << "\n" << text;
  }
  EXPECT_EQ(text.find("error"), std::string::npos);
  EXPECT_EQ(text.find("warning"), std::string::npos) << text;
}

TEST(Urdf, OddThingsAreWarnedAbout) {
  const std::string text = problems_of(
      link("base",
           "<visual><geometry><sphere radius='1'/></geometry><material name='gold'/></visual>") +
      link("arm", "stray words") +
      "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/>"
      "<axis xyz='0 0 2'/><limit/></joint>\n");
  for (const char* part : {"'stray words'", "is not defined", "length 2", "effort is missing",
                           "velocity is missing", "it cannot move"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Urdf, LongChainsAreReadWithoutRecursion) {
  constexpr int count = 5000;
  std::string body = link("l0");
  for (int i = 1; i < count; ++i) {
    body += link(fmt::format("l{}", i));
    body += joint(fmt::format("j{}", i), "continuous", fmt::format("l{}", i - 1),
                  fmt::format("l{}", i));
  }
  EXPECT_EQ(load(body).model.body_count(), count);
}

TEST(Urdf, NumbersMayBeSeparatedByAnyBlanks) {
  const Model model = load(link("base",
                                "<collision><geometry><box size='\n1\t2\n  +3 '/></geometry>"
                                "</collision>"))
                          .model;
  EXPECT_TRUE(model.shapes()[0].size.isApprox(Eigen::Vector3d(0.5, 1.0, 1.5)));
}

/// The least change that makes 0.1, 0.1, 0.23 possible moves each moment by a third of the excess.
TEST(Urdf, InertiasThatAreALittleOffAreRepairedWithAWarning) {
  const std::string off =
      "<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.23' iyz='0' izz='0.1'/>"
      "</inertial>";
  const std::string text = "<robot name='r'>" + link("base", "", off) + "</robot>";
  const LoadedModel loaded = load_model_text(text, "r.urdf");
  const Eigen::Matrix3d& inertia = loaded.model.body_inertia(0).inertia;
  EXPECT_TRUE(inertia.isApprox(Eigen::Vector3d(0.11, 0.22, 0.11).asDiagonal().toDenseMatrix()))
      << inertia;
  ASSERT_EQ(loaded.problems.count(Severity::warning), 1u);
  EXPECT_NE(loaded.problems.all()[0].what.find("13 %"), std::string::npos)
      << loaded.problems.all()[0].what;
  LoadOptions strict;
  strict.strict = true;
  EXPECT_THROW((void)load_model_text(text, "r.urdf", {}, strict), InputError);
}

/// For comparisons with programs that simulate what no body can have.
TEST(Urdf, ImpossibleInertiasAreKeptOnRequestIfTheyArePositive) {
  const auto robot = [](const char* iyy) {
    return "<robot name='r'>" +
           link("base", "",
                std::string("<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='") +
                    iyy + "' iyz='0' izz='0.1'/></inertial>") +
           "</robot>";
  };
  EXPECT_THROW((void)load_model_text(robot("0.9"), "r.urdf"), InputError);
  LoadOptions options;
  options.keep_inertias = true;
  const LoadedModel loaded = load_model_text(robot("0.9"), "r.urdf", {}, options);
  EXPECT_EQ(loaded.model.body_inertia(0).inertia(1, 1), 0.9);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
  EXPECT_THROW((void)load_model_text(robot("-0.1"), "r.urdf", {}, options), InputError);
}

TEST(Urdf, MovingLinksWithoutMassGetALittleWithAWarning) {
  const std::string text = "<robot name='r'>" + link("base") + link("arm", "", "") +
                           "<joint name='j' type='continuous'><parent link='base'/>"
                           "<child link='arm'/><axis xyz='0 0 1'/></joint></robot>";
  const LoadedModel loaded = load_model_text(text, "r.urdf");
  EXPECT_DOUBLE_EQ(loaded.model.total_mass(), 2.001);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
}

TEST(Urdf, AMimicOfAJointThatIsNotThereIsDroppedWithAWarning) {
  const std::string text = "<robot name='r'>" + link("base") + link("arm") +
                           "<joint name='j' type='continuous'><parent link='base'/>"
                           "<child link='arm'/><axis xyz='0 0 1'/><mimic joint='gone'/></joint>"
                           "</robot>";
  const LoadedModel loaded = load_model_text(text, "r.urdf");
  EXPECT_TRUE(loaded.model.couplings().empty());
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
}

/// Bullet's word for a base that is fixed.
TEST(Urdf, ABaseWithAMassOfZeroIsFixedWithAWarning) {
  const std::string massless =
      "<inertial><mass value='0'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/>"
      "</inertial>";
  const std::string robot =
      link("base", "", massless) + link("arm") + joint("j", "continuous", "base", "arm");
  const LoadedModel loaded = load(robot);
  EXPECT_EQ(loaded.model.velocity_count(), 1);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
  LoadOptions strict;
  strict.strict = true;
  EXPECT_THROW(load(robot, strict), InputError);
}

TEST(Urdf, AMassWithoutMomentsTurnsLikeABallOfWater) {
  const std::string robot =
      link("base", "",
           "<inertial><mass value='4.18879'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' "
           "izz='0'/></inertial>");
  const LoadedModel loaded = load(robot);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1u);
  // A ball of 4.18879 kg of water has a radius of 0.1 m.
  EXPECT_NEAR(loaded.model.body_inertia(0).inertia(0, 0), 0.4 * 4.18879 * 0.01, 1e-6);
  LoadOptions strict;
  strict.strict = true;
  EXPECT_THROW(load(robot, strict), InputError);
}

/// Some programs write the whole matrix.
TEST(Urdf, TheMirrorImageOfAnInertiaIsListedAndNotUsed) {
  const LoadedModel loaded =
      load(link("base", "",
                "<inertial><mass value='2'/><inertia ixx='.1' ixy='.01' ixz='0' iyx='.01' iyy='.2' "
                "iyz='0' izx='0' izy='0' izz='.25'/></inertial>"));
  EXPECT_FALSE(loaded.problems.has_errors());
  EXPECT_EQ(loaded.problems.count(Severity::warning), 0u);
  EXPECT_EQ(loaded.model.body_inertia(0).inertia(1, 0), 0.01);
}

}  // namespace
}  // namespace stiction
