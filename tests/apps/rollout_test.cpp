// `stiction rollout`: many runs as a data set that others read, whoever made which part of it.

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/program.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every file of a folder by its path in there.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = bytes_of(entry.path());
    }
  }
  return files;
}

std::vector<std::string> random_runs(const fs::path& out) {
  return {"rollout",     "quadruped_stand",
          "--count",     "150",
          "--duration",  "0.1",
          "--control",   "random",
          "--randomise", "mass=0.8..1.2,friction=0.5..1,gains=0.9..1.1,joint_position=0.1",
          "--seed",      "7",
          "--out",       out.string()};
}

ProgramResult run(std::vector<std::string> arguments, const std::vector<std::string>& more = {},
                  const std::string& environment = {}) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_stiction(arguments, environment);
}

/// Reads by names and kinds that the layout of Minari fixes, and by nothing else.
class MinariReader {
 public:
  explicit MinariReader(const fs::path& folder)
      : metadata_(json::parse(bytes_of(folder / "data" / "metadata.json"))),
        file_(H5Fopen((folder / "data" / "main_data.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~MinariReader() { H5Fclose(file_); }
  MinariReader(const MinariReader&) = delete;
  MinariReader& operator=(const MinariReader&) = delete;

  [[nodiscard]] const json& metadata() const { return metadata_; }
  [[nodiscard]] bool good() const { return file_ >= 0; }

  [[nodiscard]] std::vector<hsize_t> shape(const std::string& place) const {
    const hid_t set = H5Dopen2(file_, place.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    std::vector<hsize_t> lengths(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, lengths.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return lengths;
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& place) const {
    std::size_t count = 1;
    for (const hsize_t length : shape(place)) count *= length;
    std::vector<double> values(count);
    const hid_t set = H5Dopen2(file_, place.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
    return values;
  }
  /// Booleans as h5py stores them: an enumeration with TRUE and FALSE.
  [[nodiscard]] std::vector<bool> flags(const std::string& place) const {
    const hid_t set = H5Dopen2(file_, place.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    EXPECT_EQ(H5Tget_class(type), H5T_ENUM);
    signed char yes = 0;
    EXPECT_GE(H5Tenum_valueof(type, "TRUE", &yes), 0);
    std::vector<signed char> values(shape(place).at(0));
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Tclose(type);
    H5Dclose(set);
    std::vector<bool> result;
    for (const signed char value : values) result.push_back(value == yes);
    return result;
  }
  [[nodiscard]] double attribute(const std::string& place, const char* name) const {
    double value = -1.0;
    const hid_t entry = H5Aopen_by_name(file_, place.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Aread(entry, H5T_NATIVE_DOUBLE, &value), 0) << place << ' ' << name;
    H5Aclose(entry);
    return value;
  }

 private:
  json metadata_;
  hid_t file_;
};

TEST(Rollout, DataHaveTheLayoutOfMinari) {
  const TemporaryFolder folder;
  const ProgramResult result = run(random_runs(folder.path() / "set"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_TRUE(contains(result.output, "150 runs")) << result.output;
  EXPECT_TRUE(contains(result.output, "every step certified")) << result.output;
  const MinariReader data(folder.path() / "set");
  ASSERT_TRUE(data.good());
  EXPECT_EQ(data.metadata()["total_episodes"], 150);
  EXPECT_EQ(data.metadata()["total_steps"], 150 * 10);
  EXPECT_EQ(data.metadata()["data_format"], "hdf5");
  double least_mass = 2.0, largest_mass = 0.0;
  for (int episode = 0; episode < 150; ++episode) {
    const std::string group = "episode_" + std::to_string(episode);
    ASSERT_EQ(data.attribute(group, "id"), episode);
    ASSERT_EQ(data.attribute(group, "total_steps"), 10);
    const double mass = data.attribute(group, "mass_factor");
    least_mass = std::min(least_mass, mass);
    largest_mass = std::max(largest_mass, mass);
    ASSERT_EQ(data.shape(group + "/observations/positions"), (std::vector<hsize_t>{11, 19}));
    ASSERT_EQ(data.shape(group + "/observations/velocities"), (std::vector<hsize_t>{11, 18}));
    ASSERT_EQ(data.shape(group + "/actions"), (std::vector<hsize_t>{10, 12}));
    ASSERT_EQ(data.shape(group + "/rewards"), (std::vector<hsize_t>{10}));
    ASSERT_EQ(data.shape(group + "/infos/time"), (std::vector<hsize_t>{11}));
    const std::vector<bool> truncated = data.flags(group + "/truncations");
    const std::vector<bool> terminated = data.flags(group + "/terminations");
    ASSERT_EQ(std::ranges::count(truncated, true), 1);
    ASSERT_TRUE(truncated.back());
    ASSERT_EQ(std::ranges::count(terminated, true), 0);
  }
  EXPECT_GE(least_mass, 0.8);
  EXPECT_LT(least_mass, 0.85);
  EXPECT_LE(largest_mass, 1.2);
  EXPECT_GT(largest_mass, 1.15);
}

/// The whole program again, by another command.
TEST(Rollout, OneRunIsThatOfSimulate) {
  const TemporaryFolder folder;
  const std::string csv = (folder.path() / "run.csv").string();
  const std::vector<std::string> scene{"quadruped_boxes", "--keyframe", "drop", "--duration",
                                       "0.5"};
  std::vector<std::string> simulate{"simulate", "--csv", csv, "--quiet"};
  simulate.insert(simulate.end(), scene.begin(), scene.end());
  ASSERT_EQ(run_stiction(simulate).exit_code, 0);
  std::vector<std::string> rollout{"rollout", "--count", "1", "--out",
                                   (folder.path() / "set").string()};
  rollout.insert(rollout.end(), scene.begin(), scene.end());
  const ProgramResult result = run_stiction(rollout);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const MinariReader data(folder.path() / "set");
  const std::vector<double> q = data.numbers("episode_0/observations/positions");
  const std::size_t width = data.shape("episode_0/observations/positions").at(1);
  std::ifstream table(csv);
  std::string line;
  std::getline(table, line);  // names
  std::size_t row = 0;
  for (; std::getline(table, line); ++row) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');  // time
    for (std::size_t k = 0; k < width; ++k) {
      std::getline(cells, cell, ',');
      ASSERT_EQ(std::stod(cell), q[row * width + k]) << "row " << row << ", entry " << k;
    }
  }
  EXPECT_EQ(row, 51u);
}

TEST(Rollout, BytesDoNotDependOnThreadsNorOnWhoMakesWhichPart) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(random_runs(folder.path() / "whole"), {"--threads", "1"}).exit_code, 0);
  const auto whole = contents(folder.path() / "whole");
  EXPECT_EQ(whole.size(), 7u);
  ASSERT_EQ(run(random_runs(folder.path() / "threads"), {"--threads", "3"}).exit_code, 0);
  EXPECT_EQ(contents(folder.path() / "threads"), whole);
  for (const char* part : {"2/3", "0/3", "1/3"}) {
    ASSERT_EQ(run(random_runs(folder.path() / "parts"), {"--shard", part}).exit_code, 0) << part;
  }
  EXPECT_EQ(contents(folder.path() / "parts"), whole);
  // By rank, as Open MPI and Slurm tell it.
  for (const char* rank : {"0", "1"}) {
    const std::string environment =
        std::string("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=") + rank;
    const ProgramResult result = run(random_runs(folder.path() / "ranks"), {}, environment);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  EXPECT_EQ(contents(folder.path() / "ranks"), whole);
}

TEST(Rollout, RanksOfMpirunMakeTheSameBytes) {
  if (std::system("command -v mpirun > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  const TemporaryFolder folder;
  ASSERT_EQ(run(random_runs(folder.path() / "whole")).exit_code, 0);
  std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np 3 " +
      test::shell_quoted(STICTION_PROGRAM);
  for (const std::string& word : random_runs(folder.path() / "ranks")) {
    command += ' ' + test::shell_quoted(word);
  }
  command += " --quiet > " + test::shell_quoted((folder.path() / "log").string()) + " 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << bytes_of(folder.path() / "log");
  EXPECT_EQ(contents(folder.path() / "ranks"), contents(folder.path() / "whole"));
}

TEST(Rollout, KilledRunResumesToTheSameBytes) {
  const TemporaryFolder folder;
  const auto arguments = [&](const char* out) {
    std::vector<std::string> words = random_runs(folder.path() / out);
    words[5] = "1";  // [s]
    return words;
  };
  ASSERT_EQ(run(arguments("whole")).exit_code, 0);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<std::string> words = arguments("killed");
    words.insert(words.begin(), STICTION_PROGRAM);
    words.push_back("--quiet");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(STICTION_PROGRAM, pointers.data());
    _exit(127);
  }
  const fs::path first = folder.path() / "killed" / "data" / "episodes_00000.hdf5";
  for (int k = 0; k < 3000 && !fs::exists(first); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(first));
  const std::string kept = bytes_of(first);
  const ProgramResult again = run(arguments("killed"));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(contains(again.errors, "--resume")) << again.errors;
  EXPECT_EQ(bytes_of(first), kept);
  const ProgramResult resumed = run(arguments("killed"), {"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  auto files = contents(folder.path() / "killed");
  std::erase_if(files, [](const auto& file) {  // what write_file() was busy with
    return !file.first.ends_with(".hdf5") && !file.first.ends_with(".json");
  });
  EXPECT_EQ(files, contents(folder.path() / "whole"));
}

/// Three ranks, of which one is killed at work; what the others did stays, and --resume makes the
/// rest.
TEST(Rollout, KilledRankOfThreeResumesToTheSameBytes) {
  const TemporaryFolder folder;
  const auto arguments = [&](const char* out) {
    std::vector<std::string> words = random_runs(folder.path() / out);
    words[5] = "1";  // [s]
    return words;
  };
  ASSERT_EQ(run(arguments("whole")).exit_code, 0);
  constexpr int ranks = 3, unlucky = 1;
  std::array<pid_t, ranks> children{};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::string> words = arguments("killed");
    words.insert(words.begin(), STICTION_PROGRAM);
    words.push_back("--quiet");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    children[static_cast<std::size_t>(rank)] = fork();
    if (children[static_cast<std::size_t>(rank)] != 0) continue;
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
    execv(STICTION_PROGRAM, pointers.data());
    _exit(127);
  }
  const fs::path plan = folder.path() / "killed" / "plan.json";
  for (int k = 0; k < 3000 && !fs::exists(plan); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(children[unlucky], SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(plan));
  const ProgramResult resumed = run(arguments("killed"), {"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  auto files = contents(folder.path() / "killed");
  std::erase_if(files, [](const auto& file) {  // what write_file() was busy with
    return !file.first.ends_with(".hdf5") && !file.first.ends_with(".json");
  });
  EXPECT_EQ(files, contents(folder.path() / "whole"));
}

TEST(Rollout, AnotherPlanIsNotMixedIntoAFolder) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(random_runs(folder.path() / "set")).exit_code, 0);
  const auto before = contents(folder.path() / "set");
  for (const std::vector<std::string>& change : std::vector<std::vector<std::string>>{
           {"--integrator", "implicit"}, {"--step", "0.002"}, {"--push", "base:0,9,0:0:1"}}) {
    std::vector<std::string> more = change;
    more.push_back("--resume");
    const ProgramResult result = run(random_runs(folder.path() / "set"), more);
    EXPECT_EQ(result.exit_code, 1) << change[0];
    EXPECT_TRUE(contains(result.errors, "another plan")) << result.errors;
  }
  EXPECT_EQ(contents(folder.path() / "set"), before);
}

TEST(Rollout, WrongArgumentsAreToldInOneLine) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "file").string();
  std::ofstream(file) << "text";
  struct Wrong {
    std::vector<std::string> arguments;
    int code;
    const char* told;
  };
  const std::vector<Wrong> wrong{
      {{"--count", "0"}, 2, "--count"},
      {{"--count", "-5"}, 2, "--count"},
      {{"--duration", "nan"}, 2, "--duration"},
      {{"--duration", "1e-9"}, 1, "--duration"},
      {{"--shard", "4/4"}, 2, "0/4"},
      {{"--shard", "half"}, 2, "INDEX/COUNT"},
      {{"--randomise", "mass"}, 2, "mass=0.8..1.2"},
      {{"--randomise", "mass=1"}, 2, "LOW..HIGH"},
      {{"--randomise", "mass=-1..2"}, 2, "above 0"},
      {{"--randomise", "mas=0.5..1"}, 2, "mass"},
      {{"--randomise", "mass=0.5..1,mass=0.5..1"}, 2, "twice"},
      {{"--randomise", "base_yaw=nan"}, 2, "base_yaw"},
      {{"--resume"}, 2, "--out"},
      {{"--threads", "0"}, 2, "threads"},
      {{"--seed", "-1"}, 2, "--seed"},
      {{"--out", file}, 1, "file"},
      {{"--out", "/proc/nothing"}, 1, "/proc/nothing"},
  };
  for (const Wrong& w : wrong) {
    std::vector<std::string> arguments{"rollout", "quadruped_stand"};
    arguments.insert(arguments.end(), w.arguments.begin(), w.arguments.end());
    const ProgramResult result = run_stiction(arguments);
    EXPECT_EQ(result.exit_code, w.code) << w.arguments[0] << ' ' << result.errors;
    EXPECT_TRUE(contains(result.errors, w.told)) << w.arguments[0] << ": " << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
  EXPECT_EQ(bytes_of(file), "text");
}

/// Robots of others, through the whole program.
TEST(Rollout, RobotsOfOthersRun) {
  const fs::path robots = fs::path(STICTION_REFERENCE_DIR) / "menagerie";
  if (!fs::exists(robots)) GTEST_SKIP() << "the published robots are not in " << robots;
  const TemporaryFolder folder;
  for (const char* file : {"unitree_go1/scene.xml", "unitree_h1/scene.xml",
                           "wonik_allegro/scene_right.xml", "robotiq_2f85/scene.xml"}) {
    const ProgramResult result =
        run_stiction({"rollout", (robots / file).string(), "--count", "3", "--duration", "0.3",
                      "--randomise", "mass=0.9..1.1,joint_position=0.01", "--json", "--out",
                      (folder.path() / fs::path(file).parent_path()).string()});
    ASSERT_EQ(result.exit_code, 0) << file << ": " << result.errors;
    const json summary = json::parse(result.output);
    EXPECT_EQ(summary["terminated"], 0) << file;
    EXPECT_EQ(summary["not_certified"], 0) << file;
    EXPECT_TRUE(summary["complete"]) << file;
  }
}

}  // namespace
}  // namespace stiction
