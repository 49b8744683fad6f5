// Rays against the same shapes in MuJoCo: mj_ray for single geoms, mj_rayHfield for height fields.

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <mujoco/mujoco.h>
#include <stdexcept>
#include <string>

#include "stiction/collision/rays.hpp"
#include "support/surface_checks.hpp"

namespace stiction {
namespace {

class Scene {
 public:
  explicit Scene(const std::string& mjcf) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(mjcf.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], mjcf.data(),
                mjcf.size());
    char error[1000] = "";
    model.reset(mj_loadXML("scene.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
    data.reset(mj_makeData(model.get()));
  }

  struct Delete {
    void operator()(mjModel* of) const { mj_deleteModel(of); }
    void operator()(mjData* of) const { mj_deleteData(of); }
  };
  std::unique_ptr<mjModel, Delete> model;
  std::unique_ptr<mjData, Delete> data;
};

struct Rays {
  Random random{31};
  Eigen::Vector3d from;
  Eigen::Vector3d direction;
  void next(double reach) {
    from = reach *
           Eigen::Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    // Half of them aim at the middle, which most of those meet.
    const Eigen::Vector3d any(random.normal(), random.normal(), random.normal());
    direction = (random.uniform() < 0.5 ? any : Eigen::Vector3d(0.3 * any - from)).normalized();
  }
};

/// Distances from outside and from inside, at the pose of the only geom.
void expect_same_as_mujoco(const std::string& geom, const ShapeGeometry& shape) {
  const Scene scene("<mujoco><worldbody><geom name='g' pos='.1 -.2 .3' quat='1 .4 -.3 .6' " + geom +
                    "/></worldbody></mujoco>");
  mj_kinematics(scene.model.get(), scene.data.get());
  Placement at;
  const double* p = scene.data->geom_xpos;
  const double* m = scene.data->geom_xmat;
  at.position = {p[0], p[1], p[2]};
  at.rotation = {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
  Rays rays;
  int hits = 0;
  for (int i = 0; i < 5000; ++i) {
    rays.next(1.0);
    int id = -1;
    const double expected = mj_ray(scene.model.get(), scene.data.get(), rays.from.data(),
                                   rays.direction.data(), nullptr, 1, -1, &id);
    const auto hit =
        cast_ray_on_shape(shape, at, from_eigen(rays.from), from_eigen(rays.direction), 1e6);
    ASSERT_EQ(hit.has_value(), expected >= 0.0) << geom << " ray " << i;
    if (!hit) continue;
    ++hits;
    // Grazing rays: MuJoCo's discriminant of the quadratic has lost digits.
    EXPECT_NEAR(hit->distance, expected, 1e-9 * (1.0 + expected)) << geom << " ray " << i;
  }
  EXPECT_GT(hits, 500);
}

TEST(RayAgainstMujoco, Primitives) {
  using test::geometry_of;
  expect_same_as_mujoco("type='sphere' size='.4'", geometry_of(ShapeKind::sphere, {0.4, 0, 0}));
  expect_same_as_mujoco("type='capsule' size='.2 .4'",
                        geometry_of(ShapeKind::capsule, {0.2, 0.4, 0}));
  expect_same_as_mujoco("type='box' size='.3 .5 .2'", geometry_of(ShapeKind::box, {0.3, 0.5, 0.2}));
  expect_same_as_mujoco("type='cylinder' size='.3 .4'",
                        geometry_of(ShapeKind::cylinder, {0.3, 0.4, 0}));
  expect_same_as_mujoco("type='ellipsoid' size='.3 .5 .2'",
                        geometry_of(ShapeKind::ellipsoid, {0.3, 0.5, 0.2}));
  expect_same_as_mujoco("type='plane' size='0 0 1'", geometry_of(ShapeKind::plane, {0, 0, 0}));
}

/// MuJoCo keeps heights in single precision and between 0 and 1; ours are made of the same numbers.
HeightField as_mujoco_has_it(const mjModel& model) {
  HeightField field;
  field.rows = model.hfield_nrow[0];
  field.columns = model.hfield_ncol[0];
  field.half_size = {model.hfield_size[0], model.hfield_size[1]};
  field.base = model.hfield_size[3];
  for (int i = 0; i < field.rows * field.columns; ++i) {
    field.heights.push_back(model.hfield_size[2] * static_cast<double>(model.hfield_data[i]));
  }
  return field;
}

class HeightFieldScene : public Scene {
 public:
  HeightFieldScene()
      : Scene(R"(<mujoco><asset><hfield name="h" nrow="14" ncol="11" size="1 1.3 .4 .2"/></asset>
          <worldbody><geom type="hfield" hfield="h" pos=".1 -.2 .3" quat="1 .1 -.05 .3"/>
          </worldbody></mujoco>)") {
    Random random(77);
    for (int i = 0; i < 14 * 11; ++i) {
      model->hfield_data[i] = static_cast<float>(random.uniform());
    }
    mj_kinematics(model.get(), data.get());
    const double* p = data->geom_xpos;
    const double* m = data->geom_xmat;
    at.position = {p[0], p[1], p[2]};
    at.rotation = {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
    shape = test::geometry_of(as_mujoco_has_it(*model));
  }
  Placement at;
  ShapeGeometry shape;
};

TEST(RayAgainstMujoco, HeightFieldFromOutside) {
  const HeightFieldScene scene;
  const auto in_field = [&](const Eigen::Vector3d& p) {
    return to_eigen(transpose_times(scene.at.rotation, from_eigen(p) - scene.at.position));
  };
  // On the upright sides MuJoCo compares with heights that are not those of the border: it meets
  // nothing at points below the border, and something at points above it. Those are left out.
  const auto on_side = [&](double distance, const Rays& rays) {
    const Eigen::Vector3d p = in_field(rays.from + distance * rays.direction);
    return p.z() > -1e-9 && distance >= 0.0 &&
           (std::abs(p.x()) > 1.0 - 1e-9 || std::abs(p.y()) > 1.3 - 1e-9);
  };
  Rays rays;
  int hits = 0;
  int misses = 0;
  for (int i = 0; i < 20000; ++i) {
    rays.next(1.6);
    const Eigen::Vector3d from = in_field(rays.from);
    const bool beside = std::abs(from.x()) > 1.0 || std::abs(from.y()) > 1.3;
    // MuJoCo sees its base as a box of its own, also from inside of the field.
    if (!beside && from.z() < 0.4 && from.z() > -0.2) continue;
    const double expected = mj_rayHfield(scene.model.get(), scene.data.get(), 0, rays.from.data(),
                                         rays.direction.data());
    const auto hit = cast_ray_on_shape(scene.shape, scene.at, from_eigen(rays.from),
                                       from_eigen(rays.direction), 1e6);
    if (on_side(expected, rays) || (hit && on_side(hit->distance, rays))) continue;
    ASSERT_EQ(hit.has_value(), expected >= 0.0) << "ray " << i;
    ++(hit ? hits : misses);
    if (!hit) continue;
    EXPECT_NEAR(hit->distance, expected, 1e-9) << "ray " << i;
  }
  EXPECT_GT(hits, 2000);
  EXPECT_GT(misses, 1000);
}

TEST(RayAgainstMujoco, TriangleMeshFromOutside) {
  Mesh mesh = test::make_box_mesh({0.3, 0.5, 0.2});
  std::string vertices;
  for (Eigen::Vector3d& v : mesh.vertices) {
    // Skewed, and such that single precision holds it.
    v = Eigen::Vector3d(v.x() + 0.25 * v.z(), v.y() - 0.5 * v.x(), v.z() + 0.25 * v.y());
    v = v.unaryExpr([](double x) { return std::round(x * 4096.0) / 4096.0; });
    for (int k = 0; k < 3; ++k) vertices += std::to_string(v[k]) + ' ';
  }
  const Scene scene("<mujoco><asset><mesh name='m' vertex='" + vertices +
                    "'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  mj_kinematics(scene.model.get(), scene.data.get());
  // MuJoCo moves a mesh to its centre and principal axes: its own vertices are taken.
  Mesh theirs;
  for (int i = 0; i < scene.model->nmeshvert; ++i) {
    const float* v = scene.model->mesh_vert + 3 * i;
    theirs.vertices.emplace_back(v[0], v[1], v[2]);
  }
  for (int i = 0; i < scene.model->nmeshface; ++i) {
    const int* f = scene.model->mesh_face + 3 * i;
    theirs.triangles.push_back({f[0], f[1], f[2]});
  }
  const double* p = scene.data->geom_xpos;
  const double* m = scene.data->geom_xmat;
  const Placement at{{{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}},
                     {p[0], p[1], p[2]}};
  const ShapeGeometry shape = test::geometry_of(theirs);
  Rays rays;
  int hits = 0;
  for (int i = 0; i < 10000; ++i) {
    rays.next(1.0);
    int id = -1;
    const double expected = mj_ray(scene.model.get(), scene.data.get(), rays.from.data(),
                                   rays.direction.data(), nullptr, 1, -1, &id);
    const auto hit =
        cast_ray_on_shape(shape, at, from_eigen(rays.from), from_eigen(rays.direction), 1e6);
    ASSERT_EQ(hit.has_value(), expected >= 0.0) << "ray " << i;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->distance, expected, 1e-9) << "ray " << i;
  }
  EXPECT_GT(hits, 500);
}

}  // namespace
}  // namespace stiction
