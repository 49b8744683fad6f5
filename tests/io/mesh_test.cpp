#include <array>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>
#include <string>

#include "stiction/core/random.hpp"
#include "stiction/io/mesh_file.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

class MeshFile : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

  test::TemporaryFolder folder_;
};

/// A box with edges 2, 4, 6 whose corner stands at (1, 1, 1), faces as quads.
const std::string box_obj =
    "v 1 1 1\nv 3 1 1\nv 3 5 1\nv 1 5 1\nv 1 1 7\nv 3 1 7\nv 3 5 7\nv 1 5 7\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

const std::string tetrahedron_stl =
    "solid t\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "endsolid t\n";

TEST_F(MeshFile, BoxHasTheInertiaOfABox) {
  const MeshResult result = read_mesh(write("box.obj", box_obj), Eigen::Vector3d::Ones());
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.mesh.vertices.size(), 8u);
  EXPECT_EQ(result.mesh.triangles.size(), 12u);
  BodyInertia inertia;
  ASSERT_TRUE(solid_inertia(result.mesh, 10.0, inertia));
  const double mass = 10.0 * 2 * 4 * 6;
  EXPECT_NEAR(inertia.mass, mass, 1e-12 * mass);
  EXPECT_TRUE(inertia.center_of_mass.isApprox(Eigen::Vector3d(2, 3, 4), 1e-14));
  const Eigen::Vector3d expected =
      mass / 12.0 * Eigen::Vector3d(4 * 4 + 6 * 6, 2 * 2 + 6 * 6, 2 * 2 + 4 * 4);
  EXPECT_TRUE(inertia.inertia.isApprox(Eigen::Matrix3d(expected.asDiagonal()), 1e-13));
}

TEST_F(MeshFile, MirroredScaleKeepsTrianglesFacingOutwards) {
  const fs::path file = write("box.obj", box_obj);
  BodyInertia plain;
  BodyInertia mirrored;
  ASSERT_TRUE(solid_inertia(read_mesh(file, {1, 1, 1}).mesh, 1.0, plain));
  const MeshResult result = read_mesh(file, {-1, 1, 1});
  ASSERT_TRUE(solid_inertia(result.mesh, 1.0, mirrored));
  EXPECT_NEAR(mirrored.mass, plain.mass, 1e-12);
  EXPECT_NEAR(mirrored.center_of_mass.x(), -plain.center_of_mass.x(), 1e-12);
  double volume = 0.0;
  for (const auto& t : result.mesh.triangles) {
    const auto& v = result.mesh.vertices;
    const auto at = [&](std::size_t k) { return v[static_cast<std::size_t>(t[k])]; };
    volume += at(0).dot(at(1).cross(at(2))) / 6.0;
  }
  EXPECT_GT(volume, 0.0);
}

TEST_F(MeshFile, StlCornersAreWelded) {
  const MeshResult result = read_mesh(write("t.STL", tetrahedron_stl), {2, 2, 2});
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.mesh.vertices.size(), 4u);
  EXPECT_EQ(result.mesh.triangles.size(), 4u);
  BodyInertia inertia;
  ASSERT_TRUE(solid_inertia(result.mesh, 1.0, inertia));
  EXPECT_NEAR(inertia.mass, 8.0 / 6.0, 1e-12);
  EXPECT_TRUE(inertia.center_of_mass.isApprox(Eigen::Vector3d::Constant(0.5), 1e-12));
}

TEST_F(MeshFile, HullOfACubeHasEightCornersAndFacesOutwards) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  }
  mesh.vertices.emplace_back(0.2, 0.1, 0.0);  // inside
  ASSERT_TRUE(add_convex_hull(mesh));
  EXPECT_EQ(mesh.hull_vertices.size(), 8u);
  EXPECT_EQ(mesh.hull_triangles.size(), 12u);
  Mesh hull;
  hull.vertices = mesh.hull_vertices;
  hull.triangles = mesh.hull_triangles;
  double volume = 0.0;
  for (const auto& t : hull.triangles) {
    const auto at = [&](std::size_t k) { return hull.vertices[static_cast<std::size_t>(t[k])]; };
    const double part = at(0).dot(at(1).cross(at(2))) / 6.0;
    EXPECT_GT(part, 0.0);
    volume += part;
  }
  EXPECT_NEAR(volume, 8.0, 1e-12);
}

TEST_F(MeshFile, FlatPointsHaveNoHullAndEncloseNothing) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_FALSE(add_convex_hull(mesh));
  EXPECT_TRUE(mesh.hull_vertices.empty());
  BodyInertia inertia;
  EXPECT_FALSE(solid_inertia(mesh, 1.0, inertia));
}

TEST_F(MeshFile, EachBadFileIsExplained) {
  const Eigen::Vector3d one = Eigen::Vector3d::Ones();
  std::string truncated(84, '\0');
  truncated[80] = '\x7f';
  for (const MeshResult& result :
       {read_mesh(folder_.path() / "absent.stl", one), read_mesh(folder_.path(), one),
        read_mesh(write("empty.stl", ""), one), read_mesh(write("words.stl", "hello"), one),
        read_mesh(write("truncated.stl", truncated), one),
        read_mesh(write("points.obj", "v 0 0 0\nv 1 0 0\n"), one),
        read_mesh(write("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), one),
        read_mesh(write("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), one),
        read_mesh(write("robot.blend", "x"), one),
        read_mesh(write("box.obj", box_obj), Eigen::Vector3d(1, 0, 1))}) {
    EXPECT_NE(result.problem, "");
    EXPECT_NE(result.remedy, "") << result.problem;
  }
}

}  // namespace
/// Points on an ellipsoid, all of them vertices of its hull.
Mesh ellipsoid_points(int count) {
  Mesh mesh;
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / count;
    const double r = std::sqrt(1.0 - z * z);
    mesh.vertices.emplace_back(0.05 * r * std::cos(turn * i), 0.04 * r * std::sin(turn * i),
                               0.03 * z);
  }
  return mesh;
}

/// How far the mesh reaches beyond its hull along a direction [m].
double missing_reach(const Mesh& mesh, const Eigen::Vector3d& direction) {
  const auto reach = [&](const std::vector<Eigen::Vector3d>& points) {
    double most = -1e300;
    for (const Eigen::Vector3d& point : points) most = std::max(most, direction.dot(point));
    return most;
  };
  return reach(mesh.vertices) - reach(mesh.hull_vertices);
}

TEST(HullReduction, HugeHullsKeepTheirShapeWithinTheStatedError) {
  Mesh mesh = ellipsoid_points(20000);
  ASSERT_TRUE(add_convex_hull(mesh));
  ASSERT_EQ(mesh.hull_vertices.size(), 20000u);
  const auto reduction = reduce_hull(mesh);
  ASSERT_TRUE(reduction.has_value());
  EXPECT_EQ(reduction->before, 20000u);
  EXPECT_EQ(reduction->after, mesh.hull_vertices.size());
  EXPECT_LT(reduction->after, 5000u);
  const double half_diagonal = Eigen::Vector3d(0.05, 0.04, 0.03).norm();
  EXPECT_LE(reduction->error, 1.001e-3 * half_diagonal);
  EXPECT_GT(reduction->error, 0.0);
  Random random(7);
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector3d direction =
        Eigen::Vector3d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                        random.uniform(-1.0, 1.0))
            .normalized();
    const double missing = missing_reach(mesh, direction);
    EXPECT_GE(missing, 0.0);
    EXPECT_LE(missing, reduction->error + 1e-12);
  }
}

TEST(HullReduction, HullsOfRobotsStayAsTheyAre) {
  Mesh mesh = ellipsoid_points(2000);
  ASSERT_TRUE(add_convex_hull(mesh));
  EXPECT_FALSE(reduce_hull(mesh).has_value());
  EXPECT_EQ(mesh.hull_vertices.size(), 2000u);
}

TEST(HullReduction, AskedForVerticesAreKeptToAndTheErrorIsMeasured) {
  Mesh mesh = ellipsoid_points(500);
  ASSERT_TRUE(add_convex_hull(mesh));
  const auto reduction = reduce_hull(mesh, 60);
  ASSERT_TRUE(reduction.has_value());
  EXPECT_LE(mesh.hull_vertices.size(), 60u);
  EXPECT_GT(reduction->error, 1e-4);
  EXPECT_LE(missing_reach(mesh, Eigen::Vector3d::UnitX()), reduction->error + 1e-12);
}

}  // namespace stiction
