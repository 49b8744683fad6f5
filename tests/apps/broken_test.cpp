// Broken files through the real program. Each file of tests/broken says at its top what the program
// must say about it, one line per planted problem:
//   <!-- expect LINE: part of the message or its remedy -->
// with - for LINE where there is none. `expect --strict LINE` is for what the program repairs with
// a warning unless it is called with --strict. A new file there is a new test.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using test::ProgramResult;
using test::run_stiction;

struct Expectation {
  std::string line;  ///< `-` where there is none
  std::string part;
  bool strict = false;
};

std::vector<Expectation> expectations(const fs::path& file) {
  const std::string start = "<!-- expect ";
  const std::string end = " -->";
  std::vector<Expectation> result;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with(start);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || !line.ends_with(end)) break;
    const std::string flag = "--strict ";
    const bool strict = line.substr(start.size()).starts_with(flag);
    const std::size_t number = start.size() + (strict ? flag.size() : 0);
    result.push_back({line.substr(number, colon - number),
                      line.substr(colon + 2, line.size() - end.size() - colon - 2), strict});
  }
  return result;
}

std::vector<fs::path> broken_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(STICTION_SOURCE_DIR "/tests/broken")) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".urdf" || ending == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

nlohmann::json errors_of(const std::string& file) {
  const ProgramResult result = run_stiction({"inspect", "--json", "--strict", file});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, "");
  nlohmann::json errors = nlohmann::json::array();
  const nlohmann::json report = nlohmann::json::parse(result.output, nullptr, false);
  EXPECT_FALSE(report.is_discarded()) << result.output;
  if (report.is_discarded()) return errors;
  EXPECT_FALSE(report.at("ok"));
  for (const auto& problem : report.at("problems")) {
    if (problem.at("severity") == "error") errors.push_back(problem);
  }
  return errors;
}

bool fits(const nlohmann::json& error, const fs::path& file, const Expectation& expected) {
  const std::string line = error["line"].is_null() ? "-" : std::to_string(int{error["line"]});
  const std::string text = std::string(error["element"]) + ": " + std::string(error["what"]) +
                           "; " + std::string(error["remedy"]);
  return error["file"] == file.string() && line == expected.line &&
         text.find(expected.part) != std::string::npos && !std::string(error["remedy"]).empty();
}

class BrokenFile : public ::testing::TestWithParam<fs::path> {};

TEST_P(BrokenFile, GetsOneClearMessagePerProblem) {
  const std::vector<Expectation> expected = expectations(GetParam());
  ASSERT_FALSE(expected.empty()) << "the file does not say what to expect";
  const bool repaired = std::ranges::all_of(expected, &Expectation::strict);
  EXPECT_EQ(run_stiction({"inspect", GetParam().string()}).exit_code, repaired ? 0 : 1);
  const nlohmann::json errors = errors_of(GetParam().string());
  EXPECT_EQ(errors.size(), expected.size()) << errors.dump(2);
  for (const Expectation& one : expected) {
    EXPECT_TRUE(std::any_of(errors.begin(), errors.end(),
                            [&](const auto& error) { return fits(error, GetParam(), one); }))
        << one.line << ": " << one.part << "\n"
        << errors.dump(2);
  }
}

TEST_P(BrokenFile, ReadsAsTextAlike) {
  const ProgramResult result = run_stiction({"inspect", "--strict", GetParam().string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find(GetParam().string()), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("→"), std::string::npos) << result.errors;
}

INSTANTIATE_TEST_SUITE_P(Broken, BrokenFile, ::testing::ValuesIn(broken_files()),
                         [](const auto& info) {
                           std::string name = info.param.filename().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(BrokenFiles, AreAtLeastForty) { EXPECT_GE(broken_files().size(), 40u); }

/// Inputs that do not fit into a folder of small text files.
class HostileInput : public ::testing::Test {
 protected:
  void expect_one_error(const std::string& file, const std::string& part) const {
    const nlohmann::json errors = errors_of(file);
    ASSERT_EQ(errors.size(), 1u) << errors.dump(2);
    EXPECT_EQ(errors[0]["file"], file);
    EXPECT_NE(std::string(errors[0]["what"]).find(part), std::string::npos) << errors.dump(2);
    EXPECT_FALSE(std::string(errors[0]["remedy"]).empty());
  }
  void expect_one_error_for(const std::string& text, const std::string& part) const {
    expect_one_error(folder_.write("robot.urdf", text).string(), part);
  }

  test::TemporaryFolder folder_;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST_F(HostileInput, EmptyFile) { expect_one_error_for("", "empty"); }
TEST_F(HostileInput, BlankFile) { expect_one_error_for(" \n\t\n", "empty"); }
TEST_F(HostileInput, Folder) { expect_one_error(folder_.path().string(), "folder"); }
TEST_F(HostileInput, AbsentFile) {
  expect_one_error((folder_.path() / "robot.urdf").string(), "no such file");
}
TEST_F(HostileInput, EndlessDevice) { expect_one_error("/dev/zero", "larger than 64 MB"); }
TEST_F(HostileInput, BinaryFile) {
  expect_one_error_for(std::string("\x7f"
                                   "ELF\0\1\2\3",
                                   8),
                       "binary");
}
TEST_F(HostileInput, Utf16File) {
  expect_one_error_for(std::string("\xff\xfe<\0r\0/\0>\0", 10), "binary");
}

TEST_F(HostileInput, HundredThousandNestedElements) {
  expect_one_error_for(repeated("<link>", 100000), "nested");
  expect_one_error_for(
      "<robot name='r'>" + repeated("<a>", 100000) + repeated("</a>", 100000) + "</robot>",
      "nested");
  expect_one_error_for("<mujoco><worldbody>" + repeated("<body>", 100000) +
                           repeated("</body>", 100000) + "</worldbody></mujoco>",
                       "nested");
}

TEST_F(HostileInput, BillionLaughs) {
  std::string text = "<!DOCTYPE lolz [<!ENTITY lol \"lol\">";
  for (int i = 1; i < 10; ++i) {
    const std::string inner = i == 1 ? "&lol;" : "&lol" + std::to_string(i - 1) + ";";
    text += "<!ENTITY lol" + std::to_string(i) + " \"" + repeated(inner, 10) + "\">";
  }
  expect_one_error_for(text + "]><robot name='&lol9;'/>", "entity");
}

TEST_F(HostileInput, ExternalEntity) {
  expect_one_error_for(
      "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><robot name='&x;'/>", "entity");
}

TEST_F(HostileInput, MeshThatIsAFolder) {
  fs::create_directories(folder_.path() / "base.stl");
  expect_one_error_for(
      "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
      "ixz='0' "
      "iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><mesh "
      "filename='base.stl'/></geometry>"
      "</collision></link></robot>",
      "is a folder");
}

TEST_F(HostileInput, NamesCannotSteerTheTerminal) {
  const fs::path file = folder_.write(
      "robot.urdf", "<robot name='r'><link name='\x1b[31mred\x07'/><link name='b'/></robot>");
  const ProgramResult result = run_stiction({"inspect", file.string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.errors.find('\x07'), std::string::npos);
}

TEST_F(HostileInput, NamesThatAreNoUtf8StayPrintable) {
  const fs::path file =
      folder_.write("robot.urdf", "<robot name='\xff\xfe'><link name='\xc3\x28'/></robot>");
  const ProgramResult result = run_stiction({"inspect", "--json", file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << result.output;
  EXPECT_TRUE(report.at("ok"));
  EXPECT_EQ(report.at("name"), "\xef\xbf\xbd\xef\xbf\xbd");  // U+FFFD for each wrong byte
}

/// A whole robot, cut off after every few bytes, is refused each time and never crashes.
TEST_F(HostileInput, RobotCutOffAnywhere) {
  std::ifstream stream(STICTION_SOURCE_DIR "/models/double_pendulum.urdf");
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  const std::size_t last = whole.rfind("</robot>");
  for (std::size_t length = 0; length < last; length += 97) {
    const fs::path file = folder_.write("robot.urdf", whole.substr(0, length));
    EXPECT_EQ(run_stiction({"inspect", file.string()}).exit_code, 1) << "after " << length;
  }
}

}  // namespace
}  // namespace stiction
