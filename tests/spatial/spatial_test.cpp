// Spatial algebra against explicit 6x6 matrices. Order there: angular, linear.

#include "stiction/spatial/spatial.hpp"

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace stiction::test {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// A few dozen roundings of numbers of size one.
constexpr double rounding = 1e-13;

Eigen::Matrix3d skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

Vector6 to_vector(const Motion<double>& m) {
  Vector6 v;
  v << to_eigen(m.angular), to_eigen(m.linear);
  return v;
}

Vector6 to_vector(const Force<double>& f) {
  Vector6 v;
  v << to_eigen(f.angular), to_eigen(f.linear);
  return v;
}

Matrix6 to_dense(const RigidInertia<double>& I) {
  Matrix6 m;
  const Eigen::Matrix3d h = skew(to_eigen(I.mass_center));
  m << to_eigen(I.inertia), h, h.transpose(), I.mass * Eigen::Matrix3d::Identity();
  return m;
}

Matrix6 to_dense(const ArticulatedInertia<double>& I) {
  Matrix6 m;
  const Eigen::Matrix3d B = to_eigen(I.coupling);
  m << to_eigen(I.angular), B, B.transpose(), to_eigen(I.linear);
  return m;
}

/// X with m_old = X m_new, for a new reference point at -r from the old one.
Matrix6 motion_shift(const Eigen::Vector3d& r) {
  Matrix6 X = Matrix6::Identity();
  X.bottomLeftCorner<3, 3>() = -skew(r);
  return X;
}

RigidInertia<double> random_rigid(Random& random) {
  LinkRecipe link;
  set_random_inertia(random, link);
  const Eigen::Matrix3d R = link.principal_axes.toRotationMatrix();
  const Eigen::Vector3d& c = link.center_of_mass;
  const Eigen::Matrix3d inertia =
      R * link.principal_moments.asDiagonal() * R.transpose() - link.mass * skew(c) * skew(c);
  return {link.mass, from_eigen(Eigen::Vector3d(link.mass * c)), symmetric_from_eigen(inertia)};
}

/// Any symmetric matrix, as an articulated inertia.
ArticulatedInertia<double> random_articulated(Random& random) {
  ArticulatedInertia<double> I = articulated(random_rigid(random));
  const Force<double> U{from_eigen(random_vector(random, 1.0)),
                        from_eigen(random_vector(random, 1.0))};
  const Force<double> scaled{0.3 * U.angular, 0.3 * U.linear};
  subtract_outer(I, U, scaled);
  return I;
}

Motion<double> random_motion(Random& random) {
  return {from_eigen(random_vector(random, 1.0)), from_eigen(random_vector(random, 1.0))};
}

TEST(Spatial, InertiaTimesMotionIsTheDenseProduct) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Motion<double> m = random_motion(random);
    const RigidInertia<double> rigid = random_rigid(random);
    EXPECT_LT((to_vector(rigid * m) - to_dense(rigid) * to_vector(m)).norm(), rounding);
    const ArticulatedInertia<double> any = random_articulated(random);
    EXPECT_LT((to_vector(any * m) - to_dense(any) * to_vector(m)).norm(), rounding);
    EXPECT_NEAR(dot(any * m, m), to_vector(m).dot(to_dense(any) * to_vector(m)), rounding);
  }
}

TEST(Spatial, ShiftsAreCongruencesWithTheDenseShift) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Eigen::Vector3d r = random_vector(random, 1.0);
    const Matrix6 X = motion_shift(r);
    const RigidInertia<double> rigid = random_rigid(random);
    EXPECT_LT((to_dense(shift(rigid, from_eigen(r))) - X.transpose() * to_dense(rigid) * X).norm(),
              rounding);
    const ArticulatedInertia<double> any = random_articulated(random);
    EXPECT_LT((to_dense(shift(any, from_eigen(r))) - X.transpose() * to_dense(any) * X).norm(),
              rounding);
    const Force<double> f{from_eigen(random_vector(random, 1.0)),
                          from_eigen(random_vector(random, 1.0))};
    EXPECT_LT((to_vector(shift(f, from_eigen(r))) - X.transpose() * to_vector(f)).norm(), rounding);
  }
}

TEST(Spatial, ShiftOfARigidBodyIsSteiners) {
  const RigidInertia<double> at_center{2.0, {}, {0.1, 0.0, 0.0, 0.2, 0.0, 0.25}};
  const RigidInertia<double> moved = shift(at_center, Vector3<double>{0.0, 3.0, 0.0});
  EXPECT_DOUBLE_EQ(moved.inertia.xx, 0.1 + 2.0 * 9.0);
  EXPECT_DOUBLE_EQ(moved.inertia.yy, 0.2);
  EXPECT_DOUBLE_EQ(moved.inertia.zz, 0.25 + 2.0 * 9.0);
  EXPECT_DOUBLE_EQ(moved.mass_center.y, 6.0);
}

TEST(Spatial, SumsAndOuterProductsAreDense) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const RigidInertia<double> rigid = random_rigid(random);
    const RigidInertia<double> other = random_rigid(random);
    EXPECT_LT((to_dense(rigid + other) - to_dense(rigid) - to_dense(other)).norm(), rounding);
    EXPECT_LT((to_dense(articulated(rigid)) - to_dense(rigid)).norm(), rounding);
    ArticulatedInertia<double> any = random_articulated(random);
    Matrix6 expected = to_dense(any) + to_dense(rigid);
    add_rigid(any, rigid);
    EXPECT_LT((to_dense(any) - expected).norm(), rounding);
    const Force<double> U = any * random_motion(random);
    expected = to_dense(any) - 0.7 * to_vector(U) * to_vector(U).transpose();
    subtract_outer(any, U, Force<double>{0.7 * U.angular, 0.7 * U.linear});
    EXPECT_LT((to_dense(any) - expected).norm(), rounding);
    EXPECT_LT((to_dense(any + any) - 2.0 * to_dense(any)).norm(), rounding);
  }
}

TEST(Spatial, RotatedInertiaIsTheDenseCongruence) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const RigidInertia<double> rigid = random_rigid(random);
    const Eigen::Matrix3d R = random_rotation(random).toRotationMatrix();
    Matrix6 X = Matrix6::Zero();
    X.topLeftCorner<3, 3>() = R;
    X.bottomRightCorner<3, 3>() = R;
    EXPECT_LT((to_dense(rotate(from_eigen(R), rigid)) - X * to_dense(rigid) * X.transpose()).norm(),
              rounding);
  }
}

TEST(Spatial, TransformsComposeAndInvertLikeEigens) {
  Random random(5);
  const auto eigen_pose = [](const Transform<double>& t) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = to_eigen(t.rotation);
    pose.translation() = to_eigen(t.translation);
    return pose;
  };
  const auto random_transform = [&random] {
    return Transform<double>{
        from_eigen(Eigen::Matrix3d(random_rotation(random).toRotationMatrix())),
        from_eigen(random_vector(random, 1.0))};
  };
  for (int i = 0; i < 300; ++i) {
    const Transform<double> a = random_transform();
    const Transform<double> b = random_transform();
    const Eigen::Isometry3d product = eigen_pose(a) * eigen_pose(b);
    EXPECT_LT((eigen_pose(a * b).matrix() - product.matrix()).norm(), rounding);
    EXPECT_LT((eigen_pose(inverse(a)).matrix() - eigen_pose(a).inverse().matrix()).norm(),
              rounding);
    const Eigen::Vector3d p = random_vector(random, 1.0);
    EXPECT_LT((to_eigen(a * from_eigen(p)) - eigen_pose(a) * p).norm(), rounding);
  }
}

TEST(Linear, ThreeVectorsAndMatricesComputeLikeEigens) {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    const Eigen::Vector3d a = random_vector(random, 1.0);
    const Eigen::Vector3d b = random_vector(random, 1.0);
    Eigen::Matrix3d A;
    A << random_vector(random, 1.0), random_vector(random, 1.0), random_vector(random, 1.0);
    const Eigen::Matrix3d B = A * A.transpose();
    EXPECT_NEAR(dot(from_eigen(a), from_eigen(b)), a.dot(b), rounding);
    EXPECT_LT((to_eigen(cross(from_eigen(a), from_eigen(b))) - a.cross(b)).norm(), rounding);
    EXPECT_LT(
        (to_eigen(cross_add(from_eigen(a), from_eigen(b), from_eigen(b))) - b - a.cross(b)).norm(),
        rounding);
    EXPECT_NEAR(norm(from_eigen(a)), a.norm(), rounding);
    EXPECT_LT((to_eigen(from_eigen(A) * from_eigen(a)) - A * a).norm(), rounding);
    EXPECT_LT((to_eigen(transpose_times(from_eigen(A), from_eigen(a))) - A.transpose() * a).norm(),
              rounding);
    EXPECT_LT((to_eigen(from_eigen(A) * from_eigen(B)) - A * B).norm(), rounding);
    EXPECT_LT((to_eigen(transpose(from_eigen(A))) - A.transpose()).norm(), rounding);
    EXPECT_LT((to_eigen(symmetric_from_eigen(B) * from_eigen(a)) - B * a).norm(), rounding);
    EXPECT_LT(
        (to_eigen(rotate(from_eigen(A), symmetric_from_eigen(B))) - A * B * A.transpose()).norm(),
        rounding);
  }
}

}  // namespace
}  // namespace stiction::test
