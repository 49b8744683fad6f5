// What is unusual about a robot is told, and ordinary robots are left in peace.

#include "stiction/sim/doctor.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"

namespace stiction {
namespace {

/// The warnings of a model, one per line.
std::string warnings_of(const Model& model) {
  const State start = model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
  std::string text;
  const ProblemList found = examine_robots(model, start, "robot.xml");
  for (const Problem& problem : found.all()) {
    EXPECT_EQ(problem.severity, Severity::warning);
    EXPECT_FALSE(problem.remedy.empty()) << problem.what;
    text += problem.what + '\n';
  }
  return text;
}

std::string warnings_of(const std::string& mjcf) {
  return warnings_of(load_model_text(mjcf, "robot.xml").model);
}

/// A floating robot of two links and a foot on a floor.
std::string walker(const std::string& trunk, const std::string& foot,
                   const std::string& floor = "") {
  return fmt::format(R"(<mujoco><worldbody>
      <geom name="floor" type="plane" size="5 5 1" {2}/>
      <body name="trunk" pos="0 0 1"><freejoint/><inertial mass="5" pos="0 0 0"
          diaginertia="0.05 0.05 0.05"/>{0}
        <body name="leg" pos="0 0 -0.2"><joint name="hip" axis="0 1 0" range="-60 60"/>
          <inertial mass="1" pos="0 0 -0.1" diaginertia="0.005 0.005 0.001"/>{1}
        </body></body></worldbody></mujoco>)",
                     trunk, foot, floor);
}

constexpr char box[] = R"(<geom name="box" type="box" size="0.2 0.1 0.1"/>)";
constexpr char foot[] = R"(<geom name="foot" size="0.03" pos="0 0 -0.3"/>)";

/// An arm of one link, 1 kg at 0.5 m, held level by what `actuator` says: 4.905 N·m.
std::string arm(const std::string& actuator, const std::string& body = "",
                const std::string& compiler = "") {
  return fmt::format(R"(<mujoco>{2}<worldbody><body name="arm"{1}>
      <joint name="shoulder" axis="0 -1 0"/>
      <inertial mass="1" pos="0.5 0 0" diaginertia="0.01 0.01 0.01"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/></body></worldbody>
      <actuator>{0}</actuator></mujoco>)",
                     actuator, body, compiler);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Doctor, FindsNothingUnusualInTheModelsOfTheProject) {
  int examined = 0;
  for (const char* folder : {"", "scenes"}) {
    for (const auto& entry : std::filesystem::directory_iterator(models_folder() / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".xml" && ending != ".urdf") continue;
      EXPECT_EQ(warnings_of(load_model(entry.path()).model), "") << entry.path();
      ++examined;
    }
  }
  EXPECT_GT(examined, 30);
}

TEST(Doctor, OrdinaryRobotsAreLeftInPeace) {
  EXPECT_EQ(warnings_of(walker(box, foot)), "");
  EXPECT_EQ(warnings_of(arm(R"(<position joint="shoulder" kp="100" forcerange="-5 5"/>)")), "");
}

TEST(Doctor, NamesMassesAndSizesThatNoRobotHas) {
  std::string grams = walker(box, foot);
  grams.replace(grams.find("mass=\"5\""), 8, "mass=\"5000\"");
  EXPECT_TRUE(says(warnings_of(grams), "has a mass of 5e+03 kg"));
  const std::string millimetres = walker(R"(<geom type="box" size="200 100 100"/>)", foot);
  EXPECT_TRUE(says(warnings_of(millimetres), "m from its root"));
}

TEST(Doctor, NamesInertiasInAnotherUnit) {
  std::string text = walker(box, foot);
  text.replace(text.find("0.005 0.005 0.001"), 17, "5000  5000  1000 ");  // kg·mm²
  EXPECT_TRUE(says(warnings_of(text), "the moments of inertia of 'leg'"));
}

TEST(Doctor, NamesRangesInAnotherUnit) {
  std::string degrees = walker(box, foot);
  degrees.replace(degrees.find("<mujoco>"), 8, "<mujoco><compiler angle=\"radian\"/>");
  EXPECT_TRUE(says(warnings_of(degrees), "the ranges of hinges 'hip' span up to 120 rad"));

  std::string radians = "<mujoco><worldbody>";
  for (int i = 0; i < 3; ++i) {
    radians += R"(<body><joint axis="0 1 0" range="-1.5 1.5"/><geom size="0.1" pos="0 0 1"/>)";
  }
  radians += "</body></body></body></worldbody></mujoco>";
  EXPECT_TRUE(says(warnings_of(radians), "can turn by more than 3 degrees"));
}

TEST(Doctor, NamesRobotsThatWouldSinkOrSlide) {
  EXPECT_TRUE(says(warnings_of(walker("", foot)), "its trunk sinks into the floor"));
  EXPECT_TRUE(says(warnings_of(walker("", "")), "it falls forever"));
  const std::string smooth =
      walker(box, R"(<geom name="foot" size="0.03" pos="0 0 -0.3" friction="0 0 0"/>)",
             "friction=\"0 0 0\"");
  const std::string text = warnings_of(smooth);
  EXPECT_TRUE(says(text, "the friction of 'foot' against the world is zero")) << text;
}

TEST(Doctor, NamesActuatorsThatAreTooWeakForThePose) {
  const std::string weak = warnings_of(arm(R"(<motor joint="shoulder" ctrlrange="-4 4"/>)"));
  EXPECT_TRUE(says(weak, "the actuators of 'shoulder' cannot hold the start pose")) << weak;
  EXPECT_TRUE(says(weak, "needs 4.91, has 4")) << weak;
  EXPECT_EQ(warnings_of(arm(R"(<motor joint="shoulder" ctrlrange="-4 4" gear="2"/>)")), "");
  EXPECT_EQ(warnings_of(arm(R"(<motor joint="shoulder" ctrlrange="-4 4"/>)", " gravcomp=\"1\"")),
            "");
  const std::string soft = warnings_of(arm(R"(<position joint="shoulder" kp="5"/>)"));
  EXPECT_TRUE(says(soft, "yield by up to 0.98 rad")) << soft;
}

TEST(Doctor, ToldOfARobotThatStartsInTheFloor) {
  const auto at = [](double height) {
    return fmt::format(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
        "<body name='trunk' pos='0 0 {}'><freejoint/>"
        "<geom type='box' size='.2 .2 .2' mass='10'/><body name='arm' pos='0 0 .2'>"
        "<joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 .2' "
        "mass='.5'/></body></body></worldbody></mujoco>",
        height);
  };
  EXPECT_EQ(warnings_of(at(0.2)), "");
  EXPECT_EQ(warnings_of(at(0.195)), "");
  const std::string deep = warnings_of(at(-0.1));
  EXPECT_NE(deep.find("starts 300 mm deep in the world, with 'trunk'"), std::string::npos) << deep;
  const Model model = load_model_text(at(-0.1), "robot.xml").model;
  const ProblemList found = examine_robots(model, model.initial_state(), "robot.xml");
  ASSERT_FALSE(found.all().empty());
  const std::string remedy = found.all().front().remedy;
  EXPECT_NE(remedy.find("start it 300 mm further out"), std::string::npos) << remedy;
}

/// A body without shapes may stand for something large: nothing says how large it is.
TEST(Doctor, InertiasOfBodiesWithoutShapesAreNotJudged) {
  EXPECT_EQ(warnings_of(std::string(
                "<mujoco><worldbody><body name='base' pos='0 0 1'><joint axis='0 1 0'/>"
                "<geom type='box' size='.1 .1 .1' mass='1'/><body name='cross' pos='0 0 .01'>"
                "<joint axis='1 0 0'/><inertial mass='.01' pos='0 0 0' "
                "diaginertia='1e-3 1e-3 1e-3'/></body></body></worldbody></mujoco>")),
            "");
}

TEST(Doctor, NamesJointsThatStartOutsideOfTheirRanges) {
  const auto elbow = [](const char* range) {
    return warnings_of(fmt::format(
        R"(<mujoco><worldbody><body name="arm"><joint name="elbow" axis="0 1 0" range="{}"/>
        <geom size="0.1"/></body></worldbody></mujoco>)",
        range));
  };
  const std::string text = elbow("-90 -10");
  EXPECT_TRUE(says(text, "joints 'elbow' of the robot with root 'arm' start up to 0.17 rad"))
      << text;
  EXPECT_EQ(elbow("-90 -1"), "") << "a limit that is a little beyond the pose of the file";
}

}  // namespace
}  // namespace stiction
