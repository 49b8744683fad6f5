// The readers of STL, OBJ and PLY: against assimp on files that others wrote, and on damaged files.

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include "stiction/io/child_process.hpp"
#include "stiction/io/mesh_file.hpp"
#include "stiction/io/raw_mesh.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

const Eigen::Vector3d unscaled = Eigen::Vector3d::Ones();

template <class Number>
std::string bytes_of(Number number, bool big_endian = false) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  if (big_endian) bytes = std::string(bytes.rbegin(), bytes.rend());
  return bytes;
}

const std::vector<std::array<float, 3>> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<std::array<int, 3>> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string binary_stl() {
  std::string bytes(80, ' ');
  bytes += bytes_of(static_cast<std::uint32_t>(faces.size()));
  for (const auto& face : faces) {
    bytes += std::string(12, '\0');
    for (const int corner : face) {
      for (const float number : corners[static_cast<std::size_t>(corner)])
        bytes += bytes_of(number);
    }
    bytes += std::string(2, '\0');
  }
  return bytes;
}

std::string ply_head(const std::string& format, int vertices = 4, int triangles = 4) {
  return fmt::format(
      "ply\nformat {} 1.0\ncomment a tetrahedron\nelement vertex {}\nproperty float x\nproperty "
      "float y\nproperty float z\nproperty uchar red\nelement face {}\nproperty list uchar int "
      "vertex_indices\nend_header\n",
      format, vertices, triangles);
}

std::string text_ply() {
  std::string text = ply_head("ascii");
  for (const auto& at : corners) text += fmt::format("{} {} {} 255\n", at[0], at[1], at[2]);
  for (const auto& face : faces) text += fmt::format("3 {} {} {}\n", face[0], face[1], face[2]);
  return text;
}

std::string binary_ply(bool big_endian) {
  std::string bytes = ply_head(big_endian ? "binary_big_endian" : "binary_little_endian");
  for (const auto& at : corners) {
    for (const float number : at) bytes += bytes_of(number, big_endian);
    bytes += '\x7f';
  }
  for (const auto& face : faces) {
    bytes += '\3';
    for (const int corner : face) bytes += bytes_of(corner, big_endian);
  }
  return bytes;
}

const std::string dae =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
    "version='1.4.1'><asset><up_axis>Z_UP</up_axis></asset><library_geometries><geometry "
    "id='g'><mesh><source id='p'><float_array id='a' count='12'>0 0 0 1 0 0 0 1 0 0 0 "
    "1</float_array><technique_common><accessor source='#a' count='4' stride='3'><param name='X' "
    "type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
    "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/>"
    "</vertices><triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 "
    "3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
    "<visual_scene id='s'><node id='n'><instance_geometry url='#g'/></node></visual_scene>"
    "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>";

class MeshReader : public ::testing::Test {
 protected:
  MeshResult read(const std::string& name, const std::string& bytes) const {
    return read_mesh(folder_.write(name, bytes), unscaled);
  }
  void expect_tetrahedron(const std::string& name, const std::string& bytes) const {
    const MeshResult result = read(name, bytes);
    ASSERT_EQ(result.problem, "") << name;
    EXPECT_EQ(result.mesh.vertices.size(), 4u) << name;
    EXPECT_EQ(result.mesh.triangles.size(), 4u) << name;
    EXPECT_EQ(count_open_edges(result.mesh), 0u) << name;
    BodyInertia inertia;
    ASSERT_TRUE(solid_inertia(result.mesh, 1.0, inertia)) << name;
    EXPECT_NEAR(inertia.mass, 1.0 / 6.0, 1e-12) << name;
    EXPECT_TRUE(inertia.center_of_mass.isApprox(Eigen::Vector3d::Constant(0.25), 1e-12)) << name;
  }
  void expect_refused(const std::string& name, const std::string& bytes,
                      const std::string& part) const {
    const MeshResult result = read(name, bytes);
    EXPECT_NE(result.problem.find(part), std::string::npos) << name << ": " << result.problem;
    EXPECT_NE(result.problem.find(name), std::string::npos) << result.problem;
    EXPECT_FALSE(result.remedy.empty());
  }

  test::TemporaryFolder folder_;
};

TEST_F(MeshReader, EveryFormatGivesTheSameTetrahedron) {
  expect_tetrahedron("t.stl", binary_stl());
  expect_tetrahedron("t.ply", text_ply());
  expect_tetrahedron("little.ply", binary_ply(false));
  expect_tetrahedron("big.ply", binary_ply(true));
  expect_tetrahedron(
      "t.obj",
      "# a tetrahedron\r\nmtllib none.mtl\r\nv 0 0 0\r\nv 1 0 +0.0\r\nv 0 1e0 0 1\r\n"
      "v 0 0 1.\r\nvn 0 0 1\r\nusemtl m\r\ns off\r\nf 1 3 2\r\nf 1/1 2/1 4/1\r\n"
      "f -4//1 -1//1 -2//1\r\nf 2/1/1 \\\r\n 3/1/1 4/1/1 # the last\r\n");
  expect_tetrahedron("t.dae", dae);
}

TEST_F(MeshReader, PolygonsThatAreNotConvexKeepTheirArea) {
  // An arrow with its notch at the second corner, as a prism of height 1: area 0.5 · 2 · 2 − 0.5.
  const std::string text =
      "v 0 0 0\nv 1 0.5 0\nv 2 0 0\nv 1 2 0\nv 0 0 1\nv 1 0.5 1\nv 2 0 1\nv 1 2 1\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  const MeshResult result = read("arrow.obj", text);
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.mesh.triangles.size(), 12u);
  double top = 0.0;  // area of the upper face, each triangle counted as positive
  for (const auto& triangle : result.mesh.triangles) {
    const auto at = [&](std::size_t k) {
      return result.mesh.vertices[static_cast<std::size_t>(triangle[k])];
    };
    if (at(0).z() + at(1).z() + at(2).z() == 3.0) {
      top += 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    }
  }
  EXPECT_NEAR(top, 1.5, 1e-12);
  BodyInertia inertia;
  ASSERT_TRUE(solid_inertia(result.mesh, 1.0, inertia));
  EXPECT_NEAR(inertia.mass, 1.5, 1e-12);
}

TEST_F(MeshReader, DamagedFilesAreExplained) {
  const std::string stl = binary_stl();
  expect_refused("cut.stl", stl.substr(0, stl.size() - 7), "is not complete");
  expect_refused("short.stl", "sol", "is not STL");
  std::string count = stl;
  count[83] = '\x7f';
  expect_refused("count.stl", count, "is not complete");
  std::string nan = stl;
  nan.replace(84 + 12, 4, bytes_of(std::numeric_limits<float>::quiet_NaN()));
  expect_refused("nan.stl", nan, "NaN or infinity");
  expect_refused("half.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0",
                 "ends where a number should be, on line 5");
  expect_refused("open.stl",
                 "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
                 "0\nendloop\nendfacet\n",
                 "'endsolid'");
  expect_refused("word.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n",
                 "'zero' where a number");
  expect_refused("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "vertex 9, but only 3");
  expect_refused("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "vertex 0");
  expect_refused("comma.obj", "v 0,5 0 0\n", "'0,5' where a number");
  expect_refused("cut.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2", "ends within a face");
  expect_refused("huge.obj", "v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "NaN or infinity");
  expect_refused("zip.obj", std::string("PK\3\4\0\0", 6), "binary data");
}

TEST_F(MeshReader, DamagedPlyFilesAreExplained) {
  const std::string text = text_ply();
  expect_refused("head.ply", text.substr(0, 60), "no 'end_header'");
  expect_refused("body.ply", text.substr(0, text.size() - 10), "is not complete");
  const std::string binary = binary_ply(false);
  expect_refused("cut.ply", binary.substr(0, binary.size() - 1), "is not complete");
  std::string far = text;
  far.replace(far.rfind("3 1 2 3"), 7, "3 1 2 7");
  expect_refused("far.ply", far, "vertex 7, but only 4");
  std::string negative = binary;
  negative.replace(binary.size() - 4, 4, bytes_of(-1));
  expect_refused("negative.ply", negative, "vertex -1");
  expect_refused("many.ply", ply_head("ascii", 2000000000, 4) + "0 0 0 1\n", "do not fit");
  expect_refused("type.ply",
                 "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n",
                 "unknown number type 'quad'");
  expect_refused("flat.ply",
                 "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty "
                 "float y\nend_header\n0 0\n",
                 "without 'z'");
  expect_refused("format.ply", "ply\nformat morse 1.0\nend_header\n", "unknown format 'morse'");
  expect_refused("points.ply", ply_head("ascii", 1, 0) + "0 0 0 1\n", "has no triangles");
  expect_refused("order.ply",
                 "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int "
                 "vertex_indices\nelement vertex 1\nproperty float x\nend_header\n3 0 0 0\n0\n",
                 "before its vertices");
}

TEST_F(MeshReader, ADamagedDaeFileIsRefusedAndHarmsNothing) {
  expect_refused("cut.dae", dae.substr(0, dae.size() / 2), "cannot be read");
  std::string far = dae;
  far.replace(far.find("1 2 3</p>"), 9, "1 2 9</p>");
  expect_refused("far.dae", far, "cannot be read");
  std::string stride = dae;
  stride.replace(stride.find("stride='3'"), 10, "stride='0'");
  (void)read("stride.dae", stride);
}

TEST_F(MeshReader, OpenEdgesAreCounted) {
  const MeshResult result =
      read("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n");
  EXPECT_EQ(count_open_edges(result.mesh), 4u);
}

TEST(ChildProcess, LimitsEndWhatDoesNotEnd) {
  const auto start = std::chrono::steady_clock::now();
  const ChildResult late = run_in_child(
      [] {
        for (;;) ::usleep(1000);
        return std::string();
      },
      {.seconds = 0.2, .memory = 0, .output = 100});
  EXPECT_NE(late.fault.find("took more than"), std::string::npos) << late.fault;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  const ChildResult crashed = run_in_child(
      []() -> std::string {
        ::raise(SIGSEGV);
        return {};
      },
      {.seconds = 5.0, .memory = 0, .output = 100});
  EXPECT_NE(crashed.fault.find("crashed"), std::string::npos) << crashed.fault;
  const ChildResult much = run_in_child([] { return std::string(1 << 20, 'x'); },
                                        {.seconds = 5.0, .memory = 0, .output = 1000});
  EXPECT_NE(much.fault.find("gave more than"), std::string::npos) << much.fault;
  const ChildResult good =
      run_in_child([] { return std::string("done"); }, {.seconds = 5.0, .memory = 0, .output = 10});
  EXPECT_EQ(good.fault, "");
  EXPECT_EQ(good.output, "done");
  EXPECT_EQ(
      run_program({"no_such_program_here"}, {.seconds = 5.0, .memory = 0, .output = 10}).exit_code,
      127);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ChildProcess, MemoryIsLimited) {
  const ChildResult result = run_in_child(
      []() -> std::string {
        try {
          return std::string(std::size_t{1} << 30, 'x').substr(0, 3);
        } catch (const std::bad_alloc&) {
          return "refused";
        }
      },
      {.seconds = 5.0, .memory = std::size_t{64} << 20, .output = 10});
  EXPECT_EQ(result.output, "refused") << result.fault;
}
#endif

/// assimp reads the same files in its own way; both must see the same solid.
TEST(MeshReaders, AgreeWithAssimpOnFilesOfOthers) {
  const fs::path folder = fs::path(STICTION_REFERENCE_DIR) / "menagerie";
  if (!fs::exists(folder)) GTEST_SKIP() << "the reference robots are not at " << folder;
  int compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".stl" && ending != ".obj" && ending != ".STL") continue;
    if (entry.file_size() > 300000) continue;  // the small ones are many enough
    const MeshResult own = read_mesh(entry.path(), unscaled);
    ASSERT_EQ(own.problem, "");
    const RawMesh raw = read_foreign_mesh(entry.path(), entry.file_size());
    Mesh other;
    for (const auto& at : raw.vertices) other.vertices.emplace_back(at[0], at[1], at[2]);
    for (const auto& t : raw.triangles) {
      other.triangles.push_back(
          {static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])});
    }
    BodyInertia a;
    BodyInertia b;
    ASSERT_TRUE(legacy_inertia(own.mesh, 1.0, a)) << entry.path();
    ASSERT_TRUE(legacy_inertia(other, 1.0, b)) << entry.path();
    // assimp's reading of decimals is off by some units in the last place of a float.
    EXPECT_NEAR(a.mass, b.mass, 1e-5 * a.mass) << entry.path();
    EXPECT_TRUE(a.inertia.isApprox(b.inertia, 1e-4)) << entry.path();
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace stiction
