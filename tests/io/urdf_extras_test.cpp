// What stands beside links and joints in URDF files: Gazebo, transmissions, mimics, xacro.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

std::string link(const std::string& name, const std::string& more = "") {
  return fmt::format(
      "<link name='{}'><inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' "
      "iyz='0' izz='0.25'/></inertial><collision><geometry><sphere radius='0.1'/></geometry>"
      "</collision>{}</link>\n",
      name, more);
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return fmt::format(
      "<joint name='{}' type='revolute'><parent link='{}'/><child link='{}'/><axis xyz='0 0 1'/>"
      "<limit lower='-1' upper='2' effort='30' velocity='4'/>{}</joint>\n",
      name, parent, child, more);
}

const std::string two_links = link("base") + link("arm") + joint("elbow", "base", "arm");

LoadedModel load(const std::string& body) {
  return load_model_text("<robot name='r'>\n" + body + "</robot>", "r.urdf");
}

std::string text_of(const ProblemList& problems) {
  std::string text;
  for (const Problem& problem : problems.all()) text += to_string(problem) + '\n';
  return text;
}

TEST(UrdfExtras, GazeboFrictionDecidesAgainstTheGround) {
  const LoadedModel loaded =
      load(two_links + "<gazebo reference='arm'><mu1>0.25</mu1><mu2> 0.25 </mu2></gazebo>");
  EXPECT_EQ(loaded.problems.count(Severity::warning), 0u) << text_of(loaded.problems);
  const Model& model = loaded.model;
  for (const Shape& shape : model.shapes()) {
    const Material& material = model.materials()[static_cast<std::size_t>(shape.material)];
    const bool arm = shape.source.element.find("arm") != std::string::npos;
    EXPECT_EQ(material.friction, arm ? 0.25 : 1.0);
    EXPECT_EQ(material.priority, arm ? 1 : 0) << "a ground of friction 1 must not win";
  }
}

TEST(UrdfExtras, NumbersThatBulletKeepsInLinksAreMaterials) {
  const LoadedModel loaded =
      load(link("base") +
           link("arm",
                "<contact><lateral_friction value='0.3'/><spinning_friction value='0.02'/>"
                "<rolling_friction value='0.001'/><restitution value='0.5'/><stiffness "
                "value='3e4'/></contact>") +
           joint("elbow", "base", "arm"));
  EXPECT_EQ(loaded.problems.count(Severity::warning), 0u) << text_of(loaded.problems);
  EXPECT_NE(text_of(loaded.problems).find("<stiffness> in <contact> (contacts here are rigid)"),
            std::string::npos);
  const Model& model = loaded.model;
  int seen = 0;
  for (const Shape& shape : model.shapes()) {
    if (shape.source.element.find("arm") == std::string::npos) continue;
    ++seen;
    const Material& material = model.materials()[static_cast<std::size_t>(shape.material)];
    EXPECT_EQ(material.friction, 0.3);
    EXPECT_EQ(material.spin_friction, 0.02);
    EXPECT_EQ(material.roll_friction, 0.001);
    EXPECT_EQ(material.restitution, 0.0) << "it multiplies that of the ground, which has none";
    EXPECT_EQ(material.priority, 1);
  }
  EXPECT_EQ(seen, 1);
}

TEST(UrdfExtras, OptionalVariablesOfTheEnvironmentAreInserted) {
  const std::string robot =
      "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>" + link("base") + link("arm") +
      "<joint name='elbow' type='continuous'><parent link='base'/><child link='arm'/>"
      "<origin xyz='$(optenv STICTION_TEST_PLACE 1 2 3)'/></joint></robot>";
  const auto place = [&robot] {
    return Eigen::Vector3d(load_model_text(robot, "r.urdf").model.joint_pose(1).translation());
  };
  ::unsetenv("STICTION_TEST_PLACE");
  EXPECT_EQ(place(), Eigen::Vector3d(1, 2, 3));
  ::setenv("STICTION_TEST_PLACE", "4 5 6", 1);
  EXPECT_EQ(place(), Eigen::Vector3d(4, 5, 6));
  ::unsetenv("STICTION_TEST_PLACE");
}

TEST(UrdfExtras, ZerosForEffortAndVelocityAreNoLimits) {
  const auto effort = [](const char* limit) {
    const Model model =
        load(link("base") + link("arm") +
             "<joint name='elbow' type='revolute'><parent link='base'/><child link='arm'/>"
             "<limit lower='-1' upper='1' " +
             limit + "/></joint>")
            .model;
    return model.joint(*model.find_joint("elbow")).limits.largest_effort();
  };
  EXPECT_FALSE(std::isfinite(effort("effort='0' velocity='0'")));
  EXPECT_EQ(effort("effort='0' velocity='3'"), 0.0) << "a passive joint";
}

TEST(UrdfExtras, UnequalFrictionAndWordsAreWarnedAbout) {
  const LoadedModel loaded =
      load(two_links +
           "<gazebo reference='arm'><mu1>0.5</mu1><mu2>0.1</mu2></gazebo>\n"
           "<gazebo reference='base'><mu1>high</mu1></gazebo>\n"
           "<gazebo reference='leg'><mu1>1</mu1></gazebo>\n<gazebo><static>true</static></gazebo>");
  const std::string text = text_of(loaded.problems);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 4u) << text;
  for (const char* part : {"0.5 in one direction and 0.1", "'high' is not a number",
                           "no link or joint 'leg'", "--base fixed"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

TEST(UrdfExtras, StiffnessOfContactsIsNoted) {
  const std::string text =
      text_of(load(two_links + "<gazebo reference='arm'><kp>1e6</kp><kd>1</kd><material>Gazebo/Red"
                               "</material></gazebo><gazebo><plugin name='p'/></gazebo>")
                  .problems);
  for (const char* part : {"<kp> in <gazebo> (contacts here are rigid", "<material> in <gazebo>",
                           "<plugin> in <gazebo>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

TEST(UrdfExtras, LinksWithoutGravityAreCarried) {
  const Model model =
      load(two_links + "<gazebo reference='arm'><turnGravityOff>true</turnGravityOff></gazebo>")
          .model;
  ASSERT_EQ(model.gravity_compensation().size(), 1u);
  EXPECT_EQ(model.gravity_compensation()[0].mass, 2.0);
  EXPECT_TRUE(load(two_links + "<gazebo reference='arm'><gravity>true</gravity></gazebo>")
                  .model.gravity_compensation()
                  .empty());
}

TEST(UrdfExtras, SpringsOfGazeboPullAtTheJoint) {
  const Model model = load(two_links +
                           "<gazebo reference='elbow'><springStiffness>30</springStiffness>"
                           "<springReference>-0.5</springReference></gazebo>")
                          .model;
  const int elbow = *model.find_joint("elbow");
  EXPECT_EQ(model.parameters().stiffness[elbow], 30.0);
  EXPECT_EQ(model.joint(elbow).spring_reference, -0.5);
}

TEST(UrdfExtras, RotorInertiaCountsWithTheSquareOfTheReduction) {
  const auto transmission = [](const std::string& inside) {
    return "<transmission name='t'><type>SimpleTransmission</type><joint name='elbow'/><actuator "
           "name='m'>" +
           inside + "</actuator></transmission>";
  };
  const auto armature = [&](const std::string& inside) {
    const Model model = load(two_links + transmission(inside)).model;
    return model.parameters().armature[model.velocity_count() - 1];
  };
  EXPECT_DOUBLE_EQ(armature("<drake:gear_ratio value='100'/><drake:rotor_inertia value='2e-5'/>"),
                   0.2);
  EXPECT_DOUBLE_EQ(
      armature("<mechanicalReduction>-50</mechanicalReduction><rotorInertia>1e-4</rotorInertia>"),
      0.25);
  EXPECT_EQ(armature("<mechanicalReduction>50</mechanicalReduction>"), 0.0);
  const std::string text = text_of(
      load(two_links + "<transmission name='t'><joint name='knee'/></transmission>\n").problems);
  EXPECT_NE(text.find("joint 'knee', which does not exist"), std::string::npos) << text;
}

TEST(UrdfExtras, ACircleOfMimicsIsRefusedOnceAndAChainIsFine) {
  const std::string links = link("base") + link("a") + link("b") + link("c");
  const auto chain = [&](const char* last) {
    return links + joint("ja", "base", "a", fmt::format("<mimic joint='{}'/>", last)) +
           joint("jb", "a", "b", "<mimic joint='ja'/>") +
           joint("jc", "b", "c", "<mimic joint='jb'/>");
  };
  try {
    (void)load(chain("jc"));
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 1u) << error.what();
    EXPECT_NE(std::string(error.what()).find("'ja' → 'jc' → 'jb' → 'ja'"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(load(links + joint("ja", "base", "a") + joint("jb", "a", "b", "<mimic joint='ja'/>") +
                 joint("jc", "b", "c", "<mimic joint='jb'/>"))
                .model.couplings()
                .size(),
            2u);
}

TEST(UrdfExtras, AMasslessLinkBetweenParallelJointsIsExplainedInTheWordsOfUrdf) {
  try {
    (void)load(link("base") + "<link name='middle'/>\n" + link("arm") +
               joint("one", "base", "middle") + joint("two", "middle", "arm"));
    FAIL() << "it was read";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("r.urdf:3: error: <link name=\"middle\">"), std::string::npos) << text;
    EXPECT_NE(text.find("not independent, and no mass lies between"), std::string::npos) << text;
  }
}

/// A folder with a program `xacro` in front of PATH.
class Xacro : public ::testing::Test {
 protected:
  Xacro() : old_path_(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH")) {}
  ~Xacro() override { ::setenv("PATH", old_path_.c_str(), 1); }

  void install(const std::string& script) {
    const fs::path program = folder_.write("bin/xacro", "#!/bin/sh\n" + script);
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("PATH", ((folder_.path() / "bin").string() + ":" + old_path_).c_str(), 1);
  }
  /// The error of loading a template.
  std::string error_of_template() const {
    const fs::path file = folder_.write("robot.urdf.xacro", source);
    try {
      (void)load_model(file);
    } catch (const InputError& error) {
      EXPECT_EQ(error.problems().count(Severity::error), 1u) << error.what();
      return error.what();
    }
    return "it was read";
  }

  static constexpr const char* source =
      "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:property name='m' "
      "value='1'/><link name='base'/></robot>";
  test::TemporaryFolder folder_;
  std::string old_path_;
};

TEST_F(Xacro, TemplatesAreExpandedByTheProgram) {
  folder_.write("expanded.urdf", "<robot name='made by xacro'>\n" + two_links + "</robot>");
  install(
      "case \"$1\" in */robot.urdf.xacro) cat \"$(dirname \"$1\")/expanded.urdf\";; *) exit 3;; "
      "esac\n");
  const LoadedModel loaded = load_model(folder_.write("robot.urdf.xacro", source));
  EXPECT_EQ(loaded.model.name(), "made by xacro");
  EXPECT_EQ(loaded.model.body_count(), 2);
}

TEST_F(Xacro, ItsFailureIsTold) {
  install("echo 'Undefined substitution argument prefix' >&2\nexit 2\n");
  const std::string error = error_of_template();
  EXPECT_NE(error.find("Undefined substitution argument prefix"), std::string::npos) << error;
  EXPECT_NE(error.find("robot.urdf.xacro"), std::string::npos) << error;
}

TEST_F(Xacro, FaultsOfTheResultNameTheTemplate) {
  install("echo '<robot name=\"r\"><link/></robot>'\n");
  EXPECT_NE(error_of_template().find("robot.urdf.xacro (after xacro)"), std::string::npos);
}

TEST_F(Xacro, WithoutTheProgramTheCommandIsNamed) {
  ::setenv("PATH", "/nowhere", 1);
  const std::string error = error_of_template();
  EXPECT_NE(error.find("not installed"), std::string::npos) << error;
  EXPECT_NE(error.find("`xacro "), std::string::npos) << error;
}

TEST_F(Xacro, AFileThatWasExpandedBeforeNeedsNoProgram) {
  ::setenv("PATH", "/nowhere", 1);
  const std::string done =
      "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n" + two_links + "</robot>";
  EXPECT_EQ(load_model(folder_.write("robot.urdf", done)).model.body_count(), 2);
}

}  // namespace
}  // namespace stiction
