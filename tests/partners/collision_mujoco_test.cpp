/// \file
/// Contact points against MuJoCo's, whose closed forms are exact for planes, spheres and capsules.
/// Its capsule against box is exact for the deepest point while the axis is outside of the box. Its
/// boxes agree where a face is the plane of contact.

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

#include "support/collision_cases.hpp"

namespace stiction::test::pairs {
namespace {

using Eigen::Vector3d;

constexpr std::uint64_t seed = 2202;
constexpr double margin = 0.1;

struct MujocoPoint {
  double gap = 0.0;
  Vector3d point;
  Vector3d normal;  ///< from a to b
};

/// Two shapes in MuJoCo, the first on a body that is placed, the second on a free one.
class MujocoPair {
 public:
  MujocoPair(ShapeKind a, ShapeKind b) {
    const std::string text = "<mujoco><worldbody><body mocap='true'>" + geom(a) +
                             "</body><body><freejoint/>" + geom(b) + "</body></worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "pair.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("pair.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
  }

  [[nodiscard]] std::vector<MujocoPoint> find(const Case& c) {
    set_size(0, c.a);
    set_size(1, c.b);
    write_pose(c.at_a, data_->mocap_pos, data_->mocap_quat);
    write_pose(c.at_b, data_->qpos, data_->qpos + 3);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_collision(model_.get(), data_.get());
    std::vector<MujocoPoint> points;
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& contact = data_->contact[i];
      const double sign = contact.geom1 == 0 ? 1.0 : -1.0;
      points.push_back({contact.dist, Vector3d(contact.pos[0], contact.pos[1], contact.pos[2]),
                        sign * Vector3d(contact.frame[0], contact.frame[1], contact.frame[2])});
    }
    return points;
  }

 private:
  static std::string geom(ShapeKind kind) {
    return "<geom type='" + std::string(to_string(kind)) + "' size='.1 .1 .1' margin='0.1'/>";
  }

  void set_size(int geom, const ShapeGeometry& shape) {
    double* size = model_->geom_size + 3 * geom;
    size[0] = shape.size.x;
    size[1] = shape.size.y;
    size[2] = shape.size.z;
    if (shape.kind != ShapeKind::plane) model_->geom_rbound[geom] = shape.radius;
  }

  static void write_pose(const Placement& at, double* position, double* quaternion) {
    Eigen::Map<Vector3d>{position} = to_eigen(at.position);
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = to_eigen(at.rotation);
    mju_mat2Quat(quaternion, R.data());
    mju_normalize4(quaternion);
  }

  struct Deleter {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Deleter> model_;
  std::unique_ptr<mjData, Deleter> data_;
};

Case random_pair(ShapeKind a, ShapeKind b, Random& random) {
  Case c = random_case(a, b, random.index(4) == 0, random);
  if (a != ShapeKind::plane) return c;
  const Vector3d n = to_eigen(c.at_a.rotation).col(2);
  const double height = random.uniform(-0.5, 1.1) * c.b.radius;
  c.at_b.position = from_eigen(Vector3d(to_eigen(c.at_a.position) + height * n));
  return c;
}

/// Calls `check(case, ours, deepest of ours, MuJoCo's, deepest of MuJoCo's)` where both have
/// points; whether there are any must agree unless the gap is at the margin.
template <class Check>
void compare(ShapeKind a, ShapeKind b, int trials, const Check& check) {
  MujocoPair mujoco(a, b);
  Random random(seed);
  int compared = 0;
  for (int trial = 0; trial < trials && !::testing::Test::HasFailure(); ++trial) {
    const Case c = random_pair(a, b, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + " trial " + std::to_string(trial) + "\n" +
                 describe(c));
    const PointBuffer ours = find_points(c, margin);
    const std::vector<MujocoPoint> theirs = mujoco.find(c);
    const int i = deepest(ours);
    const auto k =
        std::min_element(theirs.begin(), theirs.end(),
                         [](const MujocoPoint& p, const MujocoPoint& q) { return p.gap < q.gap; });
    if (i < 0 || k == theirs.end()) {
      check(c, ours, i, theirs, nullptr);
      continue;
    }
    ++compared;
    check(c, ours, i, theirs, &*k);
  }
  EXPECT_GT(compared, trials / 4) << to_string(a) << " " << to_string(b);
}

/// Exact pairs: every point of MuJoCo's is one of ours.
void compare_all_points(ShapeKind a, ShapeKind b, int trials, double tolerance) {
  compare(a, b, trials,
          [&](const Case&, const PointBuffer& ours, int i, const std::vector<MujocoPoint>& theirs,
              const MujocoPoint* deepest) {
            if (deepest == nullptr) {
              ASSERT_TRUE(theirs.empty());
              ASSERT_TRUE(i < 0 || ours[i].gap > margin - tolerance);
              return;
            }
            ASSERT_NEAR(ours[i].gap, deepest->gap, tolerance);
            for (const MujocoPoint& point : theirs) {
              double nearest = INFINITY;
              for (int m = 0; m < ours.count(); ++m) {
                const double difference =
                    std::max({(to_eigen(ours[m].point) - point.point).norm(),
                              std::abs(ours[m].gap - point.gap),
                              (to_eigen(ours[m].normal) - point.normal).norm()});
                nearest = std::min(nearest, difference);
              }
              ASSERT_LT(nearest, 100.0 * tolerance) << "gap " << point.gap;
            }
          });
}

TEST(CollisionMujoco, PlaneAndSphere) {
  compare_all_points(ShapeKind::plane, ShapeKind::sphere, 10000, 1e-13);
}
TEST(CollisionMujoco, PlaneAndCapsule) {
  compare_all_points(ShapeKind::plane, ShapeKind::capsule, 10000, 1e-13);
}
TEST(CollisionMujoco, PlaneAndBox) {
  compare_all_points(ShapeKind::plane, ShapeKind::box, 10000, 1e-13);
}
TEST(CollisionMujoco, PlaneAndEllipsoid) {
  compare_all_points(ShapeKind::plane, ShapeKind::ellipsoid, 10000, 1e-13);
}
TEST(CollisionMujoco, SphereAndSphere) {
  compare_all_points(ShapeKind::sphere, ShapeKind::sphere, 10000, 1e-13);
}
TEST(CollisionMujoco, SphereAndCapsule) {
  compare_all_points(ShapeKind::sphere, ShapeKind::capsule, 10000, 1e-13);
}

/// How the deepest gaps of both compare.
struct Deepest {
  int all = 0;
  int agreed = 0;
  double their_deepest = 0.0;  ///< by how much theirs lies deeper than ours at most [m]
};

/// Only where ours is above `lowest`.
Deepest compare_deepest(ShapeKind a, ShapeKind b, double lowest) {
  Deepest result;
  compare(a, b, 10000,
          [&](const Case&, const PointBuffer& ours, int i, const std::vector<MujocoPoint>&,
              const MujocoPoint* deepest) {
            if (i < 0 || ours[i].gap < lowest) return;
            if (deepest == nullptr) {
              ASSERT_GT(ours[i].gap, margin - 1e-9);
              return;
            }
            ++result.all;
            const double difference = deepest->gap - ours[i].gap;
            if (std::abs(difference) < 1e-8) ++result.agreed;
            result.their_deepest = std::max(result.their_deepest, -difference);
          });
  return result;
}

TEST(CollisionMujoco, SphereAndBoxWhileTheCentreIsOutside) {
  const Deepest result = compare_deepest(ShapeKind::sphere, ShapeKind::box, -0.045);
  EXPECT_EQ(result.agreed, result.all);
}

// MuJoCo takes the ends of the line for nearly parallel axes, even if these cross between them.
TEST(CollisionMujoco, CapsuleAndCapsule) {
  const Deepest result = compare_deepest(ShapeKind::capsule, ShapeKind::capsule, -INFINITY);
  EXPECT_GT(result.agreed, result.all * 98 / 100);
  EXPECT_LT(result.their_deepest, 1e-9);
}

TEST(CollisionMujoco, CapsuleAndBoxWhileTheAxisIsOutside) {
  const Deepest result = compare_deepest(ShapeKind::capsule, ShapeKind::box, -0.045);
  EXPECT_GT(result.agreed, result.all * 99 / 100);
  EXPECT_LT(result.their_deepest, 1e-9);
}

// In a few nearly aligned poses MuJoCo differs; ours is checked against the support function
// elsewhere.
TEST(CollisionMujoco, PlaneAndCylinder) {
  const Deepest result = compare_deepest(ShapeKind::plane, ShapeKind::cylinder, -INFINITY);
  EXPECT_GT(result.agreed, result.all * 99 / 100);
}

// MuJoCo 2.2.2 reports half the depth for some pairs of faces, and chooses between faces and edges
// in its own way; where it chooses the same normal, the depth is ours or half of it.
TEST(CollisionMujoco, BoxesThatOverlapALittle) {
  int all = 0;
  int same_normal = 0;
  compare(ShapeKind::box, ShapeKind::box, 10000,
          [&](const Case&, const PointBuffer& ours, int i, const std::vector<MujocoPoint>&,
              const MujocoPoint* deepest) {
            if (i < 0 || ours[i].gap < -0.05 || ours[i].gap > -1e-6) return;
            ASSERT_NE(deepest, nullptr);
            ++all;
            EXPECT_GT(deepest->gap, ours[i].gap - 1e-9);
            if ((deepest->normal - to_eigen(ours[i].normal)).norm() > 1e-6) return;
            ++same_normal;
            const double half = std::abs(deepest->gap - 0.5 * ours[i].gap);
            EXPECT_LT(std::min(half, std::abs(deepest->gap - ours[i].gap)), 1e-9);
          });
  EXPECT_GT(all, 500);
  EXPECT_GT(same_normal, all * 85 / 100);
}

}  // namespace
}  // namespace stiction::test::pairs
