#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/page_columns.hpp"
#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// 0.3 s of the quadruped among boxes, recorded once.
const std::string& recorded_bytes() {
  static const std::string bytes = [] {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "run.h5").string();
    const ProgramResult result =
        run_stiction({"simulate", "quadruped_boxes", "--duration", "0.3", "--out", path});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return bytes_of(path);
  }();
  return bytes;
}

/// A folder with the recording in it.
class Replay : public testing::Test {
 protected:
  Replay() : recording_(folder_.write("run.h5", recorded_bytes()).string()) {}
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::ptrdiff_t file_count() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return std::distance(begin(files), end(files));
  }
  [[nodiscard]] json summary() const {
    const ProgramResult result = run_stiction({"replay", recording_, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json::parse(result.output);
  }

  TemporaryFolder folder_;
  std::string recording_;
};

json data_of_page(const std::string& page) {
  const std::string opening = "<script id=\"stiction-data\" type=\"application/json\">";
  const std::size_t first = page.find(opening);
  EXPECT_NE(first, std::string::npos);
  const std::size_t begin = first + opening.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_F(Replay, SummaryTellsWhatWasRecorded) {
  const json told = summary();
  EXPECT_EQ(told["complete"], true);
  EXPECT_EQ(told["solver"], "hybrid");
  EXPECT_EQ(told["frames"], 31) << "a frame every 0.01 s, and the start";
  EXPECT_NEAR(told["end_time"], 0.3, 1e-9);
  EXPECT_EQ(told["steps"], std::lround(0.3 / told["time_step"].get<double>()));
  EXPECT_EQ(told["not_certified"], 0);
  EXPECT_LE(told["worst_residual"], told["tolerance"]);
  EXPECT_GT(told["most_contacts"], 0);

  const ProgramResult text = run_stiction({"replay", recording_});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  for (const char* part : {"31 frames", "solver hybrid", "law coulomb", "worst residual",
                           "0 steps not certified", "J at the end"}) {
    EXPECT_TRUE(contains(text.output, part)) << part << '\n' << text.output;
  }
  EXPECT_EQ(file_count(), 1);
}

/// Without node and npm at hand the program is built without its viewer.
bool has_viewer(const ProgramResult& result) {
  return !contains(result.errors, "built without the viewer");
}

TEST_F(Replay, PageHoldsTheRun) {
  const ProgramResult result = run_stiction({"replay", recording_, "--html", path("run.html")});
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json data = data_of_page(bytes_of(path("run.html")));
  EXPECT_EQ(data["format"], "stiction-replay");
  ASSERT_EQ(data["runs"].size(), 1U);
  const json& run = data["runs"][0];
  const json told = summary();
  const auto times = test::unpack<double>(run["times"]);
  EXPECT_EQ(times.size(), run["frames"]);
  EXPECT_EQ(times.back(), told["end_time"]);
  long long steps = 0;
  for (const std::uint32_t count : test::unpack<std::uint32_t>(run["steps"])) steps += count;
  EXPECT_EQ(steps, told["steps"]);
  EXPECT_NEAR(std::ranges::max(test::unpack<float>(run["residual"])), told["worst_residual"],
              1e-14);
  const auto start = test::unpack<std::uint32_t>(run["contact_start"]);
  EXPECT_EQ(start.back(), test::unpack<std::uint8_t>(run["contact_mode"]).size());
}

TEST_F(Replay, TableHasALineAFrame) {
  const ProgramResult result = run_stiction({"replay", recording_, "--csv", path("run.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string table = bytes_of(path("run.csv"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 32) << "head and 31 frames";
}

TEST_F(Replay, OldFilesAreReplacedAsAWhole) {
  folder_.write("run.csv", std::string(5'000'000, 'x'));
  const ProgramResult result = run_stiction({"replay", recording_, "--csv", path("run.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(contains(bytes_of(path("run.csv")), "xxxxxxxx"));
  EXPECT_EQ(file_count(), 2);
}

bool has_chromium() { return std::system("command -v chromium >/dev/null 2>&1") == 0; }

/// Share of bytes in the rows of a PNG that differ from what its filter expects: nearly none in a
/// picture of one colour.
double detail(const std::string& png) {
  std::string packed;
  for (std::size_t place = 8; place + 12 <= png.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[place + i]); };
    const std::size_t size =
        static_cast<std::size_t>(byte(0)) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    if (png.substr(place + 4, 4) == "IDAT") packed += png.substr(place + 8, size);
    place += size + 12;
  }
  const std::string rows = test::inflate_bytes(packed);
  const auto changes = rows.size() - static_cast<std::size_t>(std::ranges::count(rows, '\0'));
  return static_cast<double>(changes) / static_cast<double>(rows.size());
}

TEST_F(Replay, PictureShowsTheScene) {
  if (!has_chromium()) GTEST_SKIP() << "Chromium is not installed";
  const ProgramResult result =
      run_stiction({"replay", recording_, "--png", "t=0.2", path("shot.png"), "--size", "400x300"});
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string png = bytes_of(path("shot.png"));
  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x01\x90\0\0\x01\x2c", 8)) << "400 x 300";
  EXPECT_GT(detail(png), 0.05) << "an empty page has less than 0.01";
  EXPECT_EQ(file_count(), 2);
}

bool has_ffmpeg() { return std::system("command -v ffprobe >/dev/null 2>&1") == 0; }

/// What ffprobe says of the video stream: width, height, pictures per second, pictures; then the
/// duration of the file [s].
std::string probed(const std::string& file) {
  const std::string command =
      "ffprobe -v error -count_packets -show_entries "
      "stream=width,height,r_frame_rate,nb_read_packets:format=duration -of csv=p=0 " +
      test::shell_quoted(file);
  std::string text;
  FILE* output = ::popen(command.c_str(), "r");
  for (int letter = std::fgetc(output); letter != EOF; letter = std::fgetc(output)) {
    text += static_cast<char>(letter);
  }
  ::pclose(output);
  return text;
}

TEST_F(Replay, VideoHasTheDurationOfTheRunAndThePicturesOfItsRate) {
  if (!has_chromium() || !has_ffmpeg()) GTEST_SKIP() << "Chromium or ffmpeg is not installed";
  const ProgramResult result =
      run_stiction({"replay", recording_, "--video", path("run.mp4"), "--size", "320x200", "--fps",
                    "20", "--camera", "fit"});
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  // The run takes 0.3 s.
  EXPECT_EQ(probed(path("run.mp4")), "320,200,20/1,6\n0.300000\n");
  EXPECT_EQ(file_count(), 2);
}

TEST_F(Replay, WithoutFfmpegThePackageIsNamed) {
  std::filesystem::create_directory(folder_.path() / "bin");
  const std::filesystem::path fake = folder_.write("bin/chromium", "#!/bin/sh\nexit 3\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const ProgramResult result = run_stiction({"replay", recording_, "--video", path("run.mp4")},
                                            "PATH=" + test::shell_quoted(path("bin")));
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "apt-get install ffmpeg")) << result.errors;
  EXPECT_EQ(file_count(), 2);
}

TEST_F(Replay, ACameraThatFollowsNobodyIsTold) {
  if (!has_chromium()) GTEST_SKIP() << "Chromium is not installed";
  const ProgramResult result = run_stiction(
      {"replay", recording_, "--png", "t=0.1", path("shot.png"), "--camera", "follow:nobody"});
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "there is no body 'nobody' → choose one of"))
      << result.errors;
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Replay, WithoutChromiumThePackageIsNamed) {
  const ProgramResult result =
      run_stiction({"replay", recording_, "--png", "t=0.2", path("shot.png")}, "PATH=/nonexistent");
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "Debian package chromium")) << result.errors;
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Replay, ChromiumThatFailsIsTold) {
  std::filesystem::create_directory(folder_.path() / "bin");
  const std::filesystem::path fake = folder_.write("bin/chromium", "#!/bin/sh\nexit 3\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const ProgramResult result =
      run_stiction({"replay", recording_, "--png", "t=0.2", path("shot.png")},
                   "PATH=" + test::shell_quoted(path("bin")));
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "Chromium ended")) << result.errors;
  EXPECT_EQ(file_count(), 2);
}

TEST_F(Replay, APageThatDoesNotFitIsToldAndLeavesNothing) {
  const ProgramResult result =
      run_stiction({"replay", recording_, "--html", path("out.html")}, "ulimit -f 100;");
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "free some space")) << result.errors;
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  EXPECT_EQ(file_count(), 1);
}

/// A Chromium that never answers; it leaves a file where temporary ones go.
TEST_F(Replay, CtrlCWhileAPictureIsDrawnLeavesNothing) {
  std::filesystem::create_directory(folder_.path() / "bin");
  std::filesystem::create_directory(folder_.path() / "temporary");
  const std::filesystem::path fake = folder_.write(
      "bin/chromium", "#!/bin/sh\n: >\"$TMPDIR/left\"\n: >\"${0%/*}/begun\"\nexec sleep 60\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const std::string wait = "while [ ! -e " + test::shell_quoted(path("bin/begun")) +
                           " ] && kill -0 $!; do sleep 0.05; done; kill -TERM $!; wait $!; "
                           "[ $? = 143 ]";
  const ProgramResult result =
      run_stiction({"replay", recording_, "--png", "t=0.2", path("shot.png")},
                   "PATH=" + test::shell_quoted(path("bin")) +
                       ":$PATH TMPDIR=" + test::shell_quoted(path("temporary")),
                   "& " + wait);
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 0) << "not ended by the signal: " << result.errors;
  EXPECT_EQ(result.errors, "stiction: interrupted; nothing was written\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "temporary"));
  EXPECT_EQ(file_count(), 3);
}

struct WrongLine {
  std::vector<std::string> arguments;
  int exit_code;
  const char* message;
};

TEST(ReplayPage, AMinuteOfAHumanoidIsBelowTenMegabytes) {
  const TemporaryFolder folder;
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_stiction(
      {"simulate", "romeo", "--duration", "60", "--control", "random", "--html", page, "--quiet"});
  if (contains(result.errors, "built without the viewer")) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(std::filesystem::file_size(page), 10'000'000U);
}

TEST_F(Replay, WrongLinesAreToldAndWriteNothing) {
  folder_.write("text.h5", "this is no recording");
  folder_.write("half.h5", recorded_bytes().substr(0, recorded_bytes().size() / 2));
  const std::string html = path("out.html");
  const std::vector<WrongLine> lines{
      {{"replay"}, 2, "recording is required"},
      {{"replay", path("none.h5")}, 1, "none.h5"},
      {{"replay", path("text.h5"), "--html", html}, 1, "text.h5"},
      {{"replay", path("half.h5"), "--html", html}, 1, "half.h5"},
      {{"replay", folder_.path().string()}, 1, "error"},
      {{"replay", recording_, "--html", path("no/out.html")}, 1, "--html"},
      {{"replay", recording_, "--html", recording_}, 1, "is also an input file"},
      {{"replay", recording_, "--html", html, "--csv", html}, 2, "both name"},
      {{"replay", recording_, "--html", html, "--json"}, 2, "--json"},
      {{"replay", recording_, "--png", "t=0.1"}, 2, "--png"},
      {{"replay", recording_, "--png", "0.1", path("a.png")}, 2, "is not a time such as t=1.5"},
      {{"replay", recording_, "--png", "t=nan", path("a.png")}, 2, "is not a time such as t=1.5"},
      {{"replay", recording_, "--png", "t=0.1", path("a.jpg")}, 2, "must end in .png"},
      {{"replay", recording_, "--size", "0x10"}, 2, "is not a size such as 1280x800"},
      {{"replay", recording_, "--size", "99999x10"}, 2, "is not a size such as 1280x800"},
      {{"replay", recording_, "--htm", html}, 2, "--html"},
      {{"replay", recording_, "--html", ""}, 2, "the file name is empty"},
      {{"replay", recording_, "--csv", ""}, 2, "the file name is empty"},
      {{"replay", ""}, 2, "the file name is empty"},
      {{"replay", recording_, "--size", "20x10"},
       2,
       "--size: has no effect without --png or --video"},
      {{"replay", recording_, "--video", path("a.avi")}, 2, "must end in .mp4 or .webm"},
      {{"replay", recording_, "--fps", "25"}, 2, "--fps: has no effect without --video"},
      {{"replay", recording_, "--video", path("a.mp4"), "--fps", "0"}, 2, "from 1 to 240"},
      {{"replay", recording_, "--video", path("a.mp4"), "--size", "41x30"}, 2, "even numbers"},
      {{"replay", recording_, "--camera", "front"}, 2, "--camera: has no effect without --png"},
      {{"replay", recording_, "--png", "t=0.1", path("a.png"), "--camera", "frnt"},
       2,
       "is no camera"},
  };
  for (const WrongLine& line : lines) {
    const ProgramResult result = run_stiction(line.arguments);
    const std::string shown = testing::PrintToString(line.arguments) + '\n' + result.errors;
    EXPECT_EQ(result.exit_code, line.exit_code) << shown;
    EXPECT_TRUE(contains(result.errors, line.message)) << shown;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << shown;
    EXPECT_EQ(result.output, "") << shown;
    EXPECT_EQ(file_count(), 3) << shown;
  }
  EXPECT_EQ(bytes_of(recording_), recorded_bytes());
}

TEST_F(Replay, TimesBeyondTheRunAreRefused) {
  if (!has_chromium()) GTEST_SKIP() << "Chromium is not installed";
  const ProgramResult result =
      run_stiction({"replay", recording_, "--png", "t=7", path("shot.png")});
  if (!has_viewer(result)) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "from t=0 to t=0.3")) << result.errors;
  EXPECT_EQ(file_count(), 1);
}

}  // namespace
}  // namespace stiction
