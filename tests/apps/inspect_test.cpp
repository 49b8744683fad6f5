#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;

json inspect(const std::string& file) {
  const ProgramResult result = run_stiction({"inspect", "--json", file});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  return json::parse(result.output);
}

struct BuiltIn {
  const char* name;
  double mass;  ///< [kg], the sum of the file's masses
  int nq;
  int nv;
  std::size_t bodies;
};

class BuiltInModel : public ::testing::TestWithParam<BuiltIn> {};

TEST_P(BuiltInModel, HasTheNumbersOfItsFile) {
  const json report = inspect(GetParam().name);
  EXPECT_TRUE(report["ok"]);
  // Half a digit of the numbers below.
  EXPECT_NEAR(report["total_mass"], GetParam().mass, 5e-4);
  EXPECT_EQ(report["nq"], GetParam().nq);
  EXPECT_EQ(report["nv"], GetParam().nv);
  EXPECT_EQ(report["bodies"].size(), GetParam().bodies);
  EXPECT_EQ(report["joints"].size(), GetParam().bodies);
  double sum = 0.0;
  for (const json& body : report["bodies"]) sum += double{body["mass"]};
  EXPECT_NEAR(report["total_mass"], sum, 1e-12 * sum);
  for (const json& problem : report["problems"]) EXPECT_NE(problem["severity"], "error");
}

const BuiltIn built_in[] = {
    {"anymal", 30.4754, 19, 18, 13}, {"anymal_lumped", 33.3306, 19, 18, 13},
    {"beth", 33.947, 19, 18, 13},    {"chain10", 5.0, 10, 10, 10},
    {"solo12", 2.5, 19, 18, 13},     {"romeo", 40.5294, 38, 37, 32},
    {"pendulum", 1.0, 1, 1, 1},      {"double_pendulum", 2.0, 2, 2, 2},
};

INSTANTIATE_TEST_SUITE_P(Inspect, BuiltInModel, ::testing::ValuesIn(built_in),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Inspect, ListsTendonsWithTheirActuators) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder
          .write("puppet.xml", R"(<mujoco><worldbody><site name="top" pos="0 0 1"/>
    <body><joint name="j" type="slide" axis="0 0 1"/><geom size=".1" mass="1"/><site name="s"/>
    </body></worldbody><tendon><spatial name="string" range="0 2" limited="true">
    <site site="top"/><site site="s"/></spatial><fixed name="sum" stiffness="3">
    <joint joint="j" coef="2"/></fixed></tendon>
    <actuator><motor name="winch" tendon="string"/></actuator></mujoco>)")
          .string();
  const json tendons = inspect(file)["tendons"];
  ASSERT_EQ(tendons.size(), 2U);
  EXPECT_EQ(tendons[0]["kind"], "spatial");
  EXPECT_EQ(tendons[0]["initial_length"], 1.0);
  EXPECT_EQ(tendons[0]["upper"], 2.0);
  EXPECT_EQ(tendons[0]["actuators"], json({"winch"}));
  EXPECT_EQ(tendons[1]["joints"], json({"j"}));
  const ProgramResult text = run_stiction({"inspect", file});
  for (const char* word : {"Tendons", "string", "spatial", "winch", "1 joint"}) {
    EXPECT_NE(text.output.find(word), std::string::npos) << word;
  }
}

TEST(Inspect, EveryFileOfModelsIsTested) {
  std::set<std::string> tested;
  for (const BuiltIn& model : built_in) tested.insert(model.name);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(STICTION_SOURCE_DIR "/models")) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".urdf" || ending == ".xml") files.insert(entry.path().stem().string());
  }
  EXPECT_EQ(tested, files);
}

TEST(Inspect, JsonHasAllThatProgramsAskFor) {
  const json report = inspect("anymal");
  for (const char* key : {"file", "ok", "name", "total_mass", "nq", "nv", "gravity", "time_step",
                          "bodies", "joints", "shapes", "actuators", "sensors", "frames",
                          "couplings", "keyframes", "initial_positions", "problems"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  const json& base = report["joints"][0];
  EXPECT_EQ(base["kind"], "floating");
  EXPECT_EQ(base["name"], "floating_base");
  EXPECT_TRUE(base["lower"].is_null());
  const json& hip = report["joints"][1];
  EXPECT_EQ(hip["name"], "LF_HAA");
  EXPECT_EQ(hip["axis"], json::array({1.0, 0.0, 0.0}));
  EXPECT_EQ(hip["effort"], 80.0);
  EXPECT_EQ(report["bodies"][1]["parent"], "base");
  EXPECT_EQ(report["initial_positions"].size(), 19u);
}

TEST(Inspect, TextShowsTreeMassAndProblems) {
  const ProgramResult result = run_stiction({"inspect", "anymal"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"total mass 30.4754 kg", "nq 19", "nv 18", "├─ LF_HIP", "│  └─ LF_THIGH",
                           "floating_base", "0 errors"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos) << "colours in a file";
}

TEST(Inspect, WarningsDoNotFail) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "robot.urdf",
      "<robot name='r' version='2.0'><link name='base'><inertial><mass value='1'/><inertia ixx='1' "
      "ixy='0' "
      "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n<gazebo/><transmission/></robot>");
  const json report = inspect(file.string());
  ASSERT_EQ(report["problems"].size(), 3u);
  EXPECT_EQ(report["problems"][0]["severity"], "warning");
  EXPECT_EQ(report["problems"][1]["severity"], "note");
  EXPECT_EQ(report["problems"][1]["line"], 2);
}

TEST(Inspect, BaseCanBeChosen) {
  const ProgramResult result = run_stiction({"inspect", "--json", "--base", "fixed", "anymal"});
  EXPECT_EQ(json::parse(result.output)["nq"], 12);
}

/// The warnings of a model that loads.
std::vector<json> warnings(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_stiction(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  std::vector<json> found;
  const json report = json::parse(result.output);
  for (const json& problem : report["problems"]) {
    if (problem["severity"] == "warning") found.push_back(problem);
  }
  return found;
}

TEST(Inspect, OptionsThatMjcfDoesNotUseGetAWarning) {
  const test::TemporaryFolder folder;
  const std::string srdf = folder.write("robot.srdf", "<robot name='r'/>").string();
  EXPECT_EQ(warnings({"inspect", "--json", "chain10"}).size(), 0u);
  const auto base = warnings({"inspect", "--json", "chain10", "--base", "fixed"});
  ASSERT_EQ(base.size(), 1u);
  EXPECT_NE(std::string(base[0]["what"]).find("not used for MJCF"), std::string::npos);
  const auto pairs = warnings({"inspect", "--json", "chain10", "--srdf", srdf});
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0]["file"], srdf);
  EXPECT_NE(std::string(pairs[0]["what"]).find("not used for MJCF"), std::string::npos);
}

TEST(Inspect, AbsentSrdfIsAnErrorForUrdfAndMjcf) {
  for (const char* model : {"anymal", "chain10"}) {
    const ProgramResult result = run_stiction({"inspect", model, "--srdf", "/nowhere/robot.srdf"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find("/nowhere/robot.srdf"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("no such file"), std::string::npos) << result.errors;
  }
}

TEST(Program, SaysWhatItIs) {
  const ProgramResult version = run_stiction({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.output.rfind("stiction ", 0), 0u);
  const ProgramResult none = run_stiction({});
  const ProgramResult help = run_stiction({"--help"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(none.output, help.output);
  EXPECT_NE(help.output.find("inspect"), std::string::npos);
  EXPECT_NE(run_stiction({"inspect", "--help"}).output.find("--package"), std::string::npos);
}

TEST(Program, WrongUsageGetsOneLineAndCodeTwo) {
  const std::vector<std::vector<std::string>> wrong{{"levitate"},
                                                    {"inspect"},
                                                    {"--levitate"},
                                                    {"inspect", "anymal", "--levitate"},
                                                    {"inspect", "anymal", "beth"},
                                                    {"inspect", "anymal", "--base", "sideways"},
                                                    {"inspect", "anymal", "--package"},
                                                    {"inspect", "anymal", "--package", "/nofolder"},
                                                    {"inspect", ""}};
  for (const auto& arguments : wrong) {
    const ProgramResult result = run_stiction(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_NE(result.errors.find("--help"), std::string::npos) << result.errors;
  }
}

TEST(Program, NamesBuiltInModelsWhenAFileIsAbsent) {
  const ProgramResult near = run_stiction({"inspect", "anymall"});
  EXPECT_EQ(near.exit_code, 1);
  EXPECT_NE(near.errors.find("did you mean 'anymal'"), std::string::npos) << near.errors;
  const ProgramResult far = run_stiction({"inspect", "no_such_thing"});
  EXPECT_EQ(far.exit_code, 1);
  EXPECT_NE(far.errors.find("anymal, "), std::string::npos) << far.errors;
}

TEST(Program, SaysWhichArgumentIsWrong) {
  const ProgramResult folder = run_stiction({"inspect", "anymal", "--package", "/nofolder"});
  EXPECT_NE(folder.errors.find("no such folder: '/nofolder'"), std::string::npos) << folder.errors;
  const ProgramResult file = run_stiction({"inspect", ""});
  EXPECT_NE(file.errors.find("the file name is empty"), std::string::npos) << file.errors;
}

TEST(Program, NamesTheVariableThatHidesTheBuiltInModels) {
  const ProgramResult result = run_stiction({"inspect", "anymal"}, "STICTION_MODELS=/nope");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("STICTION_MODELS"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("/nope"), std::string::npos) << result.errors;
  // Files of one's own do not need the built-in models.
  EXPECT_EQ(run_stiction({"inspect", STICTION_SOURCE_DIR "/models/pendulum.urdf"},
                         "STICTION_MODELS=/nope")
                .exit_code,
            0);
}

TEST(Program, FullDiskIsAnErrorWithAMessage) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"inspect", "anymal"},
                                                    {"inspect", "--json", "anymal"},
                                                    {"--help"}}) {
    const ProgramResult result = run_stiction(arguments, {}, ">/dev/full");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find("cannot write"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace stiction
