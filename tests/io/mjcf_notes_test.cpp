// What a file has and we do not use is listed; what is spread over files is found where it stands.

#include <algorithm>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using Folder = test::TemporaryFolder;

/// Problems whose text has `part` in it.
std::vector<Problem> with(const ProblemList& problems, const std::string& part) {
  std::vector<Problem> result;
  for (const Problem& problem : problems.all()) {
    if (to_string(problem).find(part) != std::string::npos) result.push_back(problem);
  }
  return result;
}

ProblemList problems_of(const std::string& text) {
  return load_model_text(text, "scene.xml").problems;
}

/// RK4 is asked for where motion has to be exact, so the note says how to get that here.
TEST(MjcfNotes, TheIntegratorRk4IsNamedWithOurOption) {
  const auto with_integrator = [](const std::string& name) {
    return problems_of("<mujoco><option integrator='" + name +
                       "'/><worldbody><geom size='1'/></worldbody></mujoco>");
  };
  const std::vector<Problem> notes = with(with_integrator("RK4"), "RK4");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].severity, Severity::note);
  EXPECT_NE(notes[0].what.find("--integrator rk4"), std::string::npos);
  EXPECT_TRUE(with(with_integrator("implicitfast"), "integrator").empty());
}

TEST(MjcfNotes, EachKindIsListedOnceWithItsCount) {
  const ProblemList problems = problems_of(
      "<mujoco>\n<visual><map znear='1'/></visual>\n"
      "<worldbody>\n<light/>\n<light/>\n"
      "<geom size='1' solref='.02 1'/>\n<light/>\n"
      "</worldbody></mujoco>");
  ASSERT_EQ(with(problems, "<light>").size(), 1U);
  const Problem light = with(problems, "<light>")[0];
  EXPECT_EQ(light.severity, Severity::note);
  EXPECT_EQ(light.source.line, 4);
  EXPECT_NE(light.what.find("3 times"), std::string::npos);
  EXPECT_EQ(with(problems, "solref").size(), 1U);
  EXPECT_EQ(with(problems, "<visual>").size(), 1U);
}

TEST(MjcfNotes, WhatChangesTheMotionIsAWarning) {
  const ProblemList problems = problems_of(R"(<mujoco>
    <worldbody><body name="b"><joint name="j"/><geom size="1" condim="6"/></body></worldbody>
    <tendon><fixed name="f" armature="1"><joint joint="j" coef="1"/></fixed></tendon>
    <actuator><muscle name="m" joint="j"/>
      <general joint="j" dyntype="user"/></actuator>
    <sensor><actuatorfrc actuator="m"/></sensor>
    <keyframe><key ctrl="1 2"/></keyframe></mujoco>)");
  for (const char* part : {"'armature'", "length range of this muscle", "user-defined"}) {
    ASSERT_EQ(with(problems, part).size(), 1U) << part;
    EXPECT_EQ(with(problems, part)[0].severity, Severity::warning) << part;
  }
}

TEST(MjcfNotes, ThePidPluginIsAServoAndOtherPluginsAreAWarning) {
  const std::string robot = R"(<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i">
    <config key="kp" value="2.5"/><config key="ki" value="3"/><config key="kd" value="0.02"/>
    </instance></plugin>%s</extension><worldbody><body name="b"><joint name="j"/><geom size="1"/></body>
    </worldbody><actuator><plugin name="p" joint="j" plugin="mujoco.pid" instance="i" actdim="2"/>
    <plugin name="q" joint="j" plugin="mujoco.pid"><config key="kp" value="4"/></plugin>
    </actuator></mujoco>)";
  const auto with_more = [&](const std::string& more) {
    std::string text = robot;
    return text.replace(text.find("%s"), 2, more);
  };
  const LoadedModel loaded = load_model_text(with_more(""), "pid.xml");
  ASSERT_EQ(loaded.model.actuators().size(), 2U);
  EXPECT_EQ(loaded.model.actuators()[0].gain[0], 2.5);
  EXPECT_EQ(loaded.model.actuators()[0].bias, (std::array<double, 3>{0.0, -2.5, -0.02}));
  EXPECT_EQ(loaded.model.actuators()[1].gain[0], 4.0);
  EXPECT_EQ(with(loaded.problems, "ki, imax and slewmax").size(), 1U);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 1U);
  EXPECT_EQ(with(problems_of(with_more("<plugin plugin='mujoco.sdf.bolt'/>")),
                 "plugins other than mujoco.pid")
                .size(),
            1U);
  EXPECT_THROW((void)load_model_text(
                   R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
    <actuator><plugin joint="j" plugin="mujoco.pid"><config key="kp" value="x"/></plugin></actuator>
    </mujoco>)",
                   "pid.xml"),
               InputError);
}

TEST(MjcfNotes, FilesThatAreFullyUsedHaveNone) {
  const ProblemList problems = problems_of(R"(<mujoco><compiler autolimits="true"/><worldbody>
    <body><joint range="0 90"/><geom type="box" size="1 1 1" rgba="1 0 0 1"/></body>
    </worldbody></mujoco>)");
  EXPECT_TRUE(problems.empty()) << to_string(problems.all().front());
}

TEST(MjcfNotes, RangeWithoutLimitedIsExplained) {
  const ProblemList problems = problems_of(R"(<mujoco><worldbody>
    <body><joint range="0 90"/><geom size="1"/></body></worldbody></mujoco>)");
  EXPECT_EQ(with(problems, "autolimits").size(), 1U);
}

TEST(MjcfNotes, MissingMeshesAreErrorsOnlyWhereTheyMatter) {
  const std::string asset = "<mujoco><asset><mesh name='m' file='absent.stl'/></asset>";
  const std::string visual = asset + R"(<worldbody><body><freejoint/><geom size="1"/>
    <geom type="mesh" mesh="m" mass="0" contype="0" conaffinity="0"/></body></worldbody></mujoco>)";
  const ProblemList problems = problems_of(visual);
  ASSERT_EQ(with(problems, "absent.stl").size(), 1U);
  EXPECT_EQ(with(problems, "absent.stl")[0].severity, Severity::warning);
  const std::string collides = asset + R"(<worldbody><body><freejoint/><geom size="1"/>
    <geom type="mesh" mesh="m" mass="0"/></body></worldbody></mujoco>)";
  EXPECT_THROW(problems_of(collides), InputError);
  const std::string weighs = asset + R"(<worldbody><body><freejoint/>
    <geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>)";
  EXPECT_THROW(problems_of(weighs), InputError);
}

TEST(MjcfInclude, PathsStartAtTheMainFileAndLinesAreThoseOfTheIncludedFile) {
  const Folder folder;
  folder.write("parts/leg.xml",
               "<mujocoinclude>\n<body name='leg'>\n<joint name='knee'/>\n"
               "<geom size='.1' solref='1 1'/>\n</body>\n</mujocoinclude>");
  folder.write("parts/robot.xml",
               "<mujoco><worldbody><body name='trunk'><freejoint/>\n"
               "<geom size='.2'/>\n<include file='parts/leg.xml'/>\n"
               "</body></worldbody></mujoco>");
  const auto main = folder.write("scene.xml",
                                 "<mujoco>\n<include file='parts/robot.xml'/>\n"
                                 "<worldbody><geom size='1'/></worldbody></mujoco>");
  const LoadedModel loaded = load_model(main);
  EXPECT_EQ(loaded.model.body_count(), 2);
  EXPECT_TRUE(loaded.model.find_joint("knee"));
  const Problem note = with(loaded.problems, "solref").at(0);
  EXPECT_EQ(std::filesystem::path(note.source.file).filename(), "leg.xml");
  EXPECT_EQ(note.source.line, 4);
}

TEST(MjcfInclude, ErrorsInsideNameTheIncludedFile) {
  const Folder folder;
  folder.write("part.xml", "<mujocoinclude>\n\n<geom size='-1'/></mujocoinclude>");
  const auto main = folder.write(
      "scene.xml", "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>");
  try {
    (void)load_model(main);
    FAIL();
  } catch (const InputError& error) {
    const Problem& problem = error.problems().all().at(0);
    EXPECT_EQ(std::filesystem::path(problem.source.file).filename(), "part.xml");
    EXPECT_EQ(problem.source.line, 3);
  }
}

TEST(MjcfInclude, LoopsRepeatsAndAbsentFilesAreErrors) {
  const Folder folder;
  const auto fails_with = [](const std::filesystem::path& path, const std::string& part) {
    try {
      (void)load_model(path);
      ADD_FAILURE() << path;
    } catch (const InputError& error) {
      EXPECT_EQ(with(error.problems(), part).size(), 1U) << error.what();
    }
  };
  const std::string tail = "<worldbody><geom size='1'/></worldbody></mujoco>";
  fails_with(folder.write("self.xml", "<mujoco><include file='self.xml'/>" + tail), "itself");
  folder.write("one.xml", "<mujoco><include file='two.xml'/></mujoco>");
  folder.write("two.xml", "<mujoco><include file='one.xml'/></mujoco>");
  fails_with(folder.write("loop.xml", "<mujoco><include file='one.xml'/>" + tail), "second time");
  fails_with(folder.write("absent.xml", "<mujoco><include file='nowhere.xml'/>" + tail),
             "does not exist");
  fails_with(folder.write("folder.xml", "<mujoco><include file='.'/>" + tail), "folder");
  folder.write("torn.xml", "<mujoco><worldbody>");
  fails_with(folder.write("includes_torn.xml", "<mujoco><include file='torn.xml'/>" + tail),
             "torn.xml");
}

TEST(MjcfHeightFields, TornFilesAreRefused) {
  const Folder folder;
  folder.write("short.bin", std::string("\2\0\0\0\3\0\0\0\0\0", 10));
  folder.write("huge.bin", std::string("\xff\xff\xff\x7f\xff\xff\xff\x7f", 8));
  for (const char* name : {"short.bin", "huge.bin", "absent.bin", "."}) {
    const std::string text = std::string("<mujoco><asset><hfield name='h' size='1 1 1 1' file='") +
                             name + "'/></asset><worldbody><geom type='hfield' hfield='h'/>" +
                             "</worldbody></mujoco>";
    EXPECT_THROW((void)load_model_text(text, "scene.xml", folder.path()), InputError) << name;
  }
}

TEST(MjcfMeshes, InlineAndMirroredMeshesHaveTheirVolume) {
  const auto mass = [](const std::string& mesh) {
    return load_model_text("<mujoco><asset><mesh name='m' " + mesh + R"(/></asset><worldbody>
      <body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>)",
                           "scene.xml")
        .model.total_mass();
  };
  const std::string corner = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' ";
  EXPECT_NEAR(mass(corner), 1000.0 / 6.0, 1e-9);
  EXPECT_NEAR(mass(corner + "face='0 2 1 0 1 3 0 3 2 1 2 3'"), 1000.0 / 6.0, 1e-9);
  EXPECT_NEAR(mass(corner + "scale='-2 1 1'"), 1000.0 / 3.0, 1e-9);
}

}  // namespace
}  // namespace stiction
