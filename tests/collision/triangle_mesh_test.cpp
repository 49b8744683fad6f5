// Shapes on triangle meshes: sheets, domes, closed boxes and thin walls.

#include "stiction/collision/triangle_mesh.hpp"

#include "stiction/collision/closed_forms.hpp"
#include "stiction/collision/terrain_pairs.hpp"
#include "support/surface_checks.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"

namespace stiction {
namespace {

using test::geometry_of;
using test::make_box_mesh;
using test::make_sheet;
using test::placement_of;

const ShapeGeometry ball = geometry_of(ShapeKind::sphere, {0.1, 0.0, 0.0});
const ShapeGeometry capsule = geometry_of(ShapeKind::capsule, {0.06, 0.12, 0.0});
const ShapeGeometry box = geometry_of(ShapeKind::box, {0.15, 0.1, 0.07});
const ShapeGeometry cylinder = geometry_of(ShapeKind::cylinder, {0.12, 0.08, 0.0});

PointBuffer points_of(NarrowFunction function, const ShapeGeometry& shape,
                      const Eigen::Isometry3d& pose, const ShapeGeometry& surface, double margin) {
  PointBuffer points;
  function(shape, placement_of(pose), surface, {}, margin, points);
  return points;
}

Eigen::Isometry3d pose_at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

/// A ball of flat facets: rings of vertices and two poles.
Mesh make_dome(double radius, int rings, int sides) {
  Mesh mesh;
  mesh.vertices.emplace_back(0.0, 0.0, radius);
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < sides; ++k) {
      const double down = M_PI * i / rings;
      const double round = 2.0 * M_PI * k / sides;
      mesh.vertices.emplace_back(radius * std::sin(down) * std::cos(round),
                                 radius * std::sin(down) * std::sin(round),
                                 radius * std::cos(down));
    }
  }
  mesh.vertices.emplace_back(0.0, 0.0, -radius);
  const int last = static_cast<int>(mesh.vertices.size()) - 1;
  for (int k = 0; k < sides; ++k) {
    const int next = (k + 1) % sides;
    mesh.triangles.push_back({0, 1 + k, 1 + next});
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = 1 + sides * i;
      mesh.triangles.push_back({a + k, a + sides + k, a + next});
      mesh.triangles.push_back({a + next, a + sides + k, a + sides + next});
    }
    mesh.triangles.push_back({last, last - sides + next, last - sides + k});
  }
  return mesh;
}

TEST(TriangleMeshEdges, AreToldApart) {
  const TriangleMesh closed(make_box_mesh({1.0, 2.0, 3.0}));
  int flat = 0;
  int convex = 0;
  for (int i = 0; i < closed.triangle_count(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const SurfaceEdge edge = closed.edge(closed.triangle(i), k);
      EXPECT_FALSE(edge.border);
      flat += edge.kind == EdgeKind::flat ? 1 : 0;
      convex += edge.kind == EdgeKind::convex ? 1 : 0;
    }
  }
  EXPECT_EQ(flat, 2 * 6);
  EXPECT_EQ(convex, 2 * 12);
  Mesh hollow = make_box_mesh({1.0, 2.0, 3.0});
  for (auto& t : hollow.triangles) std::swap(t[1], t[2]);
  const TriangleMesh room(hollow);
  for (int i = 0; i < room.triangle_count(); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_NE(room.edge(room.triangle(i), k).kind, EdgeKind::convex);
    }
  }
}

TEST(TriangleMeshEdges, VerticesAtOnePlaceAreOneAndTrianglesWithoutAreaAreDropped) {
  const Mesh sheet = make_sheet(5, 1.0, test::rough);
  Mesh loose;  // as an STL file has it
  for (const auto& t : sheet.triangles) {
    const int first = static_cast<int>(loose.vertices.size());
    for (const int corner : t) {
      loose.vertices.push_back(sheet.vertices[static_cast<std::size_t>(corner)]);
    }
    loose.triangles.push_back({first, first + 1, first + 2});
    loose.triangles.push_back({first, first + 1, first + 1});
  }
  const TriangleMesh expected(sheet);
  const TriangleMesh mesh(loose);
  ASSERT_EQ(mesh.triangle_count(), expected.triangle_count());
  for (int i = 0; i < mesh.triangle_count(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const SurfaceEdge a = mesh.edge(mesh.triangle(i), k);
      const SurfaceEdge b = expected.edge(expected.triangle(i), k);
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.border, b.border);
      EXPECT_EQ(a.owned, b.owned);
    }
  }
}

TEST(TriangleMeshTree, FindsWhatABoxMeets) {
  const TriangleMesh mesh(make_dome(1.0, 12, 17));
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Vector3<double> low{random.uniform(-1.2, 1.0), random.uniform(-1.2, 1.0),
                              random.uniform(-1.2, 1.0)};
    const Vector3<double> high = low + Vector3<double>{0.3, 0.2, 0.4};
    std::set<int> seen;
    mesh.visit(low, high,
               [&](const SurfaceTriangle& t) { EXPECT_TRUE(seen.insert(t.index).second); });
    for (int k = 0; k < mesh.triangle_count(); ++k) {
      for (const auto& c : mesh.triangle(k).corner) {
        if (c.x >= low.x && c.y >= low.y && c.z >= low.z && c.x <= high.x && c.y <= high.y &&
            c.z <= high.z) {
          EXPECT_TRUE(seen.contains(k));
        }
      }
    }
  }
}

TEST(TriangleMesh, FlatSheetIsAPlane) {
  for (const double slope : {0.0, 0.25, -0.7}) {
    const Mesh sheet = make_sheet(11, 1.0, [&](double x, double) { return slope * x + 0.3; });
    ASSERT_EQ(sheet.triangles.size(), 200U);
    const auto surface = geometry_of(sheet);
    test::expect_plane(ball, surface, collide_sphere_surface, slope, 0.3, 10000, 1);
    test::expect_plane(capsule, surface, collide_capsule_surface, slope, 0.3, 10000, 2);
    test::expect_plane(box, surface, collide_box_surface, slope, 0.3, 10000, 4);
    test::expect_plane(cylinder, surface, collide_cylinder_surface, slope, 0.3, 1000, 4);
  }
}

TEST(TriangleMesh, RoughSheetIsAsFarAsItsNearestTriangle) {
  const Mesh sheet = make_sheet(15, 1.0, test::rough);
  const TriangleMesh mesh(sheet);
  const auto surface = geometry_of(sheet);
  test::expect_distance(ball, surface, mesh, collide_sphere_surface, 800, 0.2, 0.4, 1e-9);
  test::expect_distance(capsule, surface, mesh, collide_capsule_surface, 800, 0.17, 0.5, 1e-9);
  test::expect_distance(box, surface, mesh, collide_box_surface, 800, 0.17, 0.5, 1e-9);
}

TEST(TriangleMesh, SphereOnAClosedBoxIsAsOnABox) {
  const Eigen::Vector3d half(0.5, 0.4, 0.3);
  const auto mesh = geometry_of(make_box_mesh(half));
  const auto solid = geometry_of(ShapeKind::box, from_eigen(half));
  Random random(8);
  int touching = 0;
  for (int i = 0; i < 5000; ++i) {
    const Eigen::Isometry3d pose = test::random_pose(random, 0.7, -0.5, 0.5);
    const double inside = (half - pose.translation().cwiseAbs()).minCoeff();
    if (inside > 0.099) continue;  // deeper than the sphere is thick
    PointBuffer expected;
    collide_sphere_box(ball, placement_of(pose), solid, {}, 0.05, expected);
    const auto points = points_of(collide_sphere_surface, ball, pose, mesh, 0.05);
    if (expected.count() == 0) {
      EXPECT_EQ(points.count(), 0);
      continue;
    }
    ++touching;
    ASSERT_EQ(points.count(), 1) << i << ' ' << pose.translation().transpose();
    EXPECT_NEAR(points[0].gap, expected[0].gap, 1e-12);
    EXPECT_LT(norm(points[0].normal - expected[0].normal), 1e-9);
    EXPECT_LT(norm(points[0].point - expected[0].point), 1e-9);
  }
  EXPECT_GT(touching, 500);
}

TEST(TriangleMesh, SphereRollsOverADomeByOnePointThatMovesSteadily) {
  const auto dome = geometry_of(make_dome(0.5, 24, 36));
  Eigen::Vector3d last = Eigen::Vector3d::Zero();
  for (int i = 0; i < 10000; ++i) {
    const double down = 0.2 + 2.5 * i / 10000.0;
    const double round = 0.003 * i;
    const Eigen::Vector3d out(std::sin(down) * std::cos(round), std::sin(down) * std::sin(round),
                              std::cos(down));
    const Eigen::Vector3d p = 0.599 * out;
    const auto points =
        points_of(collide_sphere_surface, ball, pose_at(p.x(), p.y(), p.z()), dome, 0.05);
    ASSERT_EQ(points.count(), 1) << i;
    const Eigen::Vector3d normal = -to_eigen(points[0].normal);
    EXPECT_GT(normal.dot(out), std::cos(0.12));  // half a facet
    if (i > 0) {
      EXPECT_LT((normal - last).norm(), 0.02) << i;
    }
    last = normal;
  }
}

TEST(TriangleMesh, NothingComesThroughAThinWallOnTheOtherSide) {
  // 1 cm thick; shapes overlap it by up to 5 cm, once from each side.
  const auto wall = geometry_of(make_box_mesh({0.005, 1.0, 1.0}));
  for (const double side : {-1.0, 1.0}) {
    for (double overlap = -0.02; overlap < 0.05; overlap += 0.0007) {
      const auto from = [&](double size) {
        return pose_at(side * (0.005 + size - overlap), 0.03, -0.04);
      };
      for (const auto& points :
           {points_of(collide_sphere_surface, ball, from(0.1), wall, 0.03),
            points_of(collide_box_surface, box, from(0.15), wall, 0.03),
            points_of(collide_cylinder_surface, cylinder, from(0.12), wall, 0.03)}) {
        ASSERT_GT(points.count(), 0) << overlap;
        for (int i = 0; i < points.count(); ++i) {
          EXPECT_NEAR(points[i].normal.x, -side, 1e-12) << overlap;
          EXPECT_NEAR(points[i].gap, -overlap, 1e-12) << overlap;
        }
      }
    }
  }
}

TEST(TriangleMesh, IsOneSided) {
  const auto sheet = geometry_of(make_sheet(5, 1.0, [](double, double) { return 0.0; }));
  // From behind: a centre less than a radius below is still pushed up, further below it is free.
  const auto shallow =
      points_of(collide_sphere_surface, ball, pose_at(0.1, 0.2, -0.04), sheet, 0.0);
  ASSERT_EQ(shallow.count(), 1);
  EXPECT_NEAR(shallow[0].gap, -0.14, 1e-12);
  EXPECT_NEAR(shallow[0].normal.z, -1.0, 1e-12);
  for (const double z : {-0.11, -0.3}) {
    EXPECT_EQ(points_of(collide_sphere_surface, ball, pose_at(0.1, 0.2, z), sheet, 0.2).count(), 0);
  }
  EXPECT_EQ(points_of(collide_box_surface, box, pose_at(0.1, 0.2, -0.15), sheet, 0.2).count(), 0);
}

TEST(TriangleMesh, SphereRollsOffABorderSteadily) {
  const auto sheet = geometry_of(make_sheet(5, 1.0, [](double, double) { return 0.0; }));
  for (int i = 0; i <= 100; ++i) {
    const double angle = 0.5 * M_PI * i / 100.0;
    const auto points =
        points_of(collide_sphere_surface, ball,
                  pose_at(1.0 + 0.09 * std::sin(angle), 0.1, 0.09 * std::cos(angle)), sheet, 0.0);
    ASSERT_EQ(points.count(), 1) << i;
    EXPECT_NEAR(points[0].gap, -0.01, 1e-12);
    EXPECT_NEAR(std::atan2(-points[0].normal.x, -points[0].normal.z), angle, 1e-12);
  }
  EXPECT_EQ(points_of(collide_sphere_surface, ball, pose_at(1.05, 0.1, -0.06), sheet, 0.0).count(),
            0);
}

TEST(TriangleMesh, BoxOnAClosedBoxStandsOnTheSharedArea) {
  // Two plates that overlap by a quarter: one corner of each and two crossings of edges.
  const auto lower = geometry_of(make_box_mesh({0.15, 0.1, 0.07}));
  for (const double tilt : {0.0, 1e-9, 1e-5}) {
    Eigen::Isometry3d pose = pose_at(0.11, 0.07, 0.14);
    pose.linear() =
        Eigen::AngleAxisd(tilt, Eigen::Vector3d(1, -1, 0).normalized()).toRotationMatrix();
    const auto points = points_of(collide_box_surface, box, pose, lower, 0.001);
    ASSERT_EQ(points.count(), 4) << tilt;
    for (int i = 0; i < 4; ++i) {
      const Eigen::Vector3d p = to_eigen(points[i].point);
      EXPECT_NEAR(std::abs(p.x() - 0.055), 0.095, 1e-5);
      EXPECT_NEAR(std::abs(p.y() - 0.035), 0.065, 1e-5);
      EXPECT_NEAR(points[i].normal.z, -1.0, 1e-9);
      EXPECT_NEAR(points[i].gap, 0.0, 3e-6);
    }
  }
}

TEST(TriangleMesh, AllocatesNothing) {
  const auto sheet = geometry_of(make_sheet(15, 1.0, test::rough));
  const auto stone = test::make_stone(0.1, 0.08);
  const test::AllocationCounter counter;
  PointBuffer points;
  collide_sphere_surface(ball, {identity3<double>(), {0.0, 0.0, 0.1}}, sheet, {}, 0.05, points);
  collide_box_surface(box, {identity3<double>(), {0.0, 0.0, 0.1}}, sheet, {}, 0.05, points);
  collide_hull_surface(stone, {identity3<double>(), {0.0, 0.0, 0.1}}, sheet, {}, 0.05, points);
  collide_cylinder_surface(cylinder, {identity3<double>(), {0.0, 0.0, 0.1}}, sheet, {}, 0.05,
                           points);
  EXPECT_EQ(counter.count(), 0U);
  EXPECT_GT(points.count(), 0);
}

}  // namespace
}  // namespace stiction
