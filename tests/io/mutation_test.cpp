// Damaged copies of real files through the readers: each loads, or is refused with a message that
// names the file. None crashes, hangs, or takes gigabytes.
//
// A few thousand by default. STICTION_MUTATIONS sets the number, STICTION_MUTATION_START where to
// begin, so that a long run can be shared out and a single file repeated:
//   STICTION_MUTATIONS=100000 build/asan/bin/test_io --gtest_filter='Mutations.*'
//   STICTION_MUTATIONS=1 STICTION_MUTATION_START=4711 STICTION_MUTATION_FILE=/tmp/x.xml ...

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "stiction/io/load.hpp"
#include "stiction/io/mesh_file.hpp"
#include "stiction/io/mjcf_mesh.hpp"
#include "stiction/io/png_image.hpp"
#include "support/mutator.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t seed = 20260713;
constexpr long most_memory = 2L << 20;  // [kB]
// For one file, also under sanitizers: of the processor, because other work may keep it from us for
// long, and of the clock for one that waits for something.
constexpr long most_seconds = 20;
constexpr unsigned most_waiting = 600;
constexpr long per_process = 2000;

const std::string small_obj =
    "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const std::string small_stl =
    "solid t\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 .1 0\nvertex .1 0 0\nendloop\n"
    "endfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex .1 0 0\nvertex 0 0 .1\n"
    "endloop\nendfacet\nfacet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 .1\nvertex 0 .1 "
    "0\nendloop\nendfacet\nfacet normal 1 1 1\nouter loop\nvertex .1 0 0\nvertex 0 .1 0\nvertex 0 "
    "0 .1\nendloop\nendfacet\nendsolid t\n";

/// A gray image of 4 x 4 pixels.
constexpr std::array<unsigned char, 85> small_png{
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00, 0x8C,
    0x9A, 0xC1, 0xA2, 0x00, 0x00, 0x00, 0x1C, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60,
    0x60, 0xE1, 0xE0, 0x61, 0x10, 0x10, 0x91, 0x90, 0x61, 0x50, 0x50, 0xD1, 0xD0, 0x61, 0x30,
    0x30, 0xB1, 0xB0, 0x01, 0x00, 0x0C, 0x44, 0x01, 0xE1, 0x19, 0x7B, 0x1D, 0xAB, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

/// A tetrahedron in MuJoCo's own format.
std::string small_msh() {
  const std::array<std::int32_t, 4> counts{4, 0, 0, 4};
  const std::array<float, 12> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::array<std::int32_t, 12> faces{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const auto bytes_of = [](const auto& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  };
  return bytes_of(counts) + bytes_of(vertices) + bytes_of(faces);
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string lower_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

long number_from(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atol(text);
}

/// Files to damage. Robots are copied to a folder of their own with small meshes in place of
/// theirs, because the hull of a real one takes longer than all the rest; real meshes are damaged
/// by themselves.
class Corpus {
 public:
  Corpus() {
    add_tree(fs::path(STICTION_SOURCE_DIR) / "models");
    const fs::path reference = STICTION_REFERENCE_DIR;
    if (fs::exists(reference)) {
      add_tree(reference / "menagerie");
      add_tree(reference / "suite");
    }
    add_small_meshes();
    std::ranges::sort(robots);
    std::ranges::sort(meshes);
  }

  std::vector<fs::path> robots;  ///< XML and URDF
  std::vector<fs::path> meshes;

 private:
  void add_tree(const fs::path& from) {
    const fs::path to = folder_.path() / std::to_string(trees_++);
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      if (!entry.is_regular_file()) continue;
      const fs::path copy = fs::relative(entry.path(), from);
      const std::string ending = lower_ending(entry.path());
      if (ending == ".urdf" || ending == ".xml") {
        robots.push_back(folder_.write(to / copy, text_of(entry.path())));
      } else if (ending == ".obj" || ending == ".stl") {
        folder_.write(to / copy, ending == ".obj" ? small_obj : small_stl);
        if (entry.file_size() < 60000) meshes.push_back(entry.path());
      }
    }
  }

  void add_small_meshes() {
    const std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty "
        "float z\nelement face 4\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n"
        "0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
    std::string binary =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty uchar x\nproperty uchar "
        "y\nproperty uchar z\nelement face 4\nproperty list uchar uchar vertex_index\nend_header\n";
    binary += std::string("\0\0\0\1\0\0\0\1\0\0\0\1\3\0\2\1\3\0\1\3\3\0\3\2\3\1\2\3", 28);
    // More than once, so that they get their share among the files of others.
    for (int i = 0; i < 6; ++i) {
      const std::string name = std::to_string(i);
      meshes.push_back(folder_.write("m/" + name + "t.ply", ply));
      meshes.push_back(folder_.write("m/" + name + "b.ply", binary));
      meshes.push_back(folder_.write("m/" + name + ".stl", small_stl));
      meshes.push_back(folder_.write("m/" + name + ".obj", small_obj));
      meshes.push_back(folder_.write("m/" + name + ".msh", small_msh()));
      meshes.push_back(folder_.write(
          "m/" + name + ".png",
          std::string(reinterpret_cast<const char*>(small_png.data()), small_png.size())));
    }
  }

  test::TemporaryFolder folder_;
  int trees_ = 0;
};

/// Outcome of one damaged file; empty if all is well.
std::string complaint_about(const InputError& error, const std::string& file) {
  const std::string text = error.what();
  if (text.empty() || !error.problems().has_errors()) return "an error without a message";
  // An error in a file that it includes names that file.
  if (text.find(fs::path(file).parent_path().string()) == std::string::npos) {
    return "the message names no file: " + text.substr(0, 300);
  }
  return {};
}

struct Tally {
  long at = 0;  ///< the one that is tried now
  long loaded = 0;
  long refused = 0;
  char complaint[1000] = {};  ///< about `at`; empty if all is well
};

/// Tries number `i`. `Kind` knows which file and how.
class RobotMutations {
 public:
  explicit RobotMutations(const Corpus& corpus) : corpus_(corpus) {}

  [[nodiscard]] const fs::path& file(long i) const {
    return corpus_.robots[static_cast<std::size_t>(i) % corpus_.robots.size()];
  }

  [[nodiscard]] std::string damaged(long i) {
    const auto [text, is_new] = texts_.try_emplace(file(i));
    if (is_new) text->second = text_of(file(i));
    return test::Mutator(seed + static_cast<std::uint64_t>(i)).xml(text->second);
  }

  std::string attempt(long i, Tally& tally) {
    const std::string name = file(i).string();
    try {
      const LoadedModel loaded = load_model_text(damaged(i), name, file(i).parent_path());
      ++tally.loaded;
      return loaded.problems.has_errors() ? "it was loaded with errors" : "";
    } catch (const InputError& error) {
      ++tally.refused;
      return complaint_about(error, name);
    } catch (const std::exception& error) {
      return std::string("another kind of error: ") + error.what();
    }
  }

 private:
  const Corpus& corpus_;
  std::map<fs::path, std::string> texts_;
};

class MeshMutations {
 public:
  explicit MeshMutations(const Corpus& corpus) : corpus_(corpus) {}

  [[nodiscard]] const fs::path& file(long i) const {
    return corpus_.meshes[static_cast<std::size_t>(i) % corpus_.meshes.size()];
  }

  [[nodiscard]] std::string damaged(long i) const {
    test::Mutator mutator(seed + static_cast<std::uint64_t>(i));
    const std::string text = text_of(file(i));
    return text.find('\0') == std::string::npos ? mutator.numbers(text) : mutator.bytes(text);
  }

  std::string attempt(long i, Tally& tally) const {
    const std::string ending = lower_ending(file(i));
    const fs::path copy = folder_.write("damaged" + ending, damaged(i));
    MeshResult result;
    if (ending == ".png") {
      result.problem = read_gray_png(copy, 1e6).problem;
      result.remedy = "of another kind";
    } else if (ending == ".msh") {
      result.mesh = read_msh(copy, result.problem, result.paint);
      result.remedy = "of another kind";
    } else {
      result = read_mesh(copy, Eigen::Vector3d::Ones());
    }
    if (result.problem.empty()) {
      ++tally.loaded;
      if (ending == ".png") return {};
      if (result.mesh.triangles.empty() && ending != ".msh") return "a mesh without triangles";
      add_convex_hull(result.mesh);
      BodyInertia inertia;
      (void)solid_inertia(result.mesh, 1.0, inertia);
      return {};
    }
    ++tally.refused;
    if (result.remedy.empty()) return "no remedy";
    return result.problem.find(copy.string()) == std::string::npos ? "no file in the message" : "";
  }

 private:
  const Corpus& corpus_;
  test::TemporaryFolder folder_;
};

/// In a child process, so that a crash or a hang is one failure and not the end of the test.
template <class Kind>
void run_some(Kind& kind, long end, Tally& tally) {
  for (; tally.at < end; ++tally.at) {
    const itimerval limit{{0, 0}, {most_seconds, 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
    ::alarm(most_waiting);
    const std::string complaint = kind.attempt(tally.at, tally);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    if (complaint.empty() && usage.ru_maxrss < most_memory) continue;
    const std::string text =
        complaint.empty() ? fmt::format("it takes {} MB", usage.ru_maxrss >> 10) : complaint;
    tally.complaint[text.copy(tally.complaint, sizeof tally.complaint - 1)] = '\0';
    return;
  }
}

template <class Kind>
void try_all(Kind& kind, long usual) {
  const long start = number_from("STICTION_MUTATION_START", 0);
  const long end = start + number_from("STICTION_MUTATIONS", usual);
  if (const char* path = std::getenv("STICTION_MUTATION_FILE")) {
    std::ofstream(path, std::ios::binary) << kind.damaged(start);
  }
  void* shared =
      ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Tally& tally = *new (shared) Tally;
  int failures = 0;
  for (tally.at = start; tally.at < end && failures < 20;) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      run_some(kind, std::min(end, tally.at + per_process), tally);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    std::string fault = tally.complaint;
    if (WIFSIGNALED(status)) fault = ::strsignal(WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) fault = "a sanitizer ended it";
    tally.complaint[0] = '\0';
    if (fault.empty()) continue;
    ++failures;
    ADD_FAILURE() << "mutation " << tally.at << " of " << kind.file(tally.at) << ": " << fault;
    ++tally.at;
  }
  std::cout << fmt::format("seed {}: {} loaded, {} refused\n", seed, tally.loaded, tally.refused);
  EXPECT_GT(tally.loaded + tally.refused, 0);
  if (end - start >= 1000) {
    // The damage is neither always deadly nor never.
    EXPECT_GT(tally.loaded, (end - start) / 50);
    EXPECT_GT(tally.refused, (end - start) / 50);
  }
  ::munmap(shared, sizeof(Tally));
}

TEST(Mutations, OfRobotsLoadOrAreRefusedByName) {
  const Corpus corpus;
  RobotMutations mutations(corpus);
  try_all(mutations, 2000);
}

TEST(Mutations, OfMeshesLoadOrAreRefusedByName) {
  const Corpus corpus;
  MeshMutations mutations(corpus);
  try_all(mutations, 2000);
}

}  // namespace
}  // namespace stiction
