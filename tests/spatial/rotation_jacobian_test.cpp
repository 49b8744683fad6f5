// Derivatives of the exponential of rotations, from angles of rounding size to nearly a full turn.

#include "stiction/spatial/rotation_jacobian.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/core/random.hpp"
#include "stiction/spatial/rotation.hpp"

namespace stiction::test {
namespace {

Eigen::Vector3d direction(Random& random) {
  return Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

Eigen::Quaterniond exponential(const Eigen::Vector3d& r) {
  return to_eigen(exp_quaternion(from_eigen(r)));
}

/// The angles of the tests, both sides of the one where series take over included.
const double angles[] = {0.0, 1e-12, 1e-6, 0.01, 0.01999999, 0.02000001, 0.1, 1.0, 3.0, 6.0};

TEST(RotationJacobian, LeadsFromChangesOfVectorsToTurns) {
  std::printf("seed 2\n");
  Random random(2);
  for (const double angle : angles) {
    const Eigen::Vector3d r = angle * direction(random);
    const Eigen::Vector3d change = direction(random);
    const double h = 1e-4;
    // log(exp(r ± h δ) exp(r)⁻¹) is odd in h up to second order: truncation h², rounding 1e-16 / h.
    const auto turn = [&](double x) -> Eigen::Vector3d {
      const Eigen::Quaterniond end = exponential(r + x * change);
      return to_eigen(log_quaternion(from_eigen(end * exponential(r).conjugate())));
    };
    const Eigen::Vector3d slope = (turn(h) - turn(-h)) / (2.0 * h);
    EXPECT_LT((left_jacobian(r) * change - slope).norm(), 1e-8) << angle;
  }
}

TEST(RotationJacobian, TimesItsInverseIsOne) {
  std::printf("seed 3\n");
  Random random(3);
  for (const double angle : angles) {
    const Eigen::Vector3d r = angle * direction(random);
    const Eigen::Matrix3d product = left_jacobian(r) * left_jacobian_inverse(r);
    // Near a full turn the inverse is large.
    const double size = left_jacobian_inverse(r).norm();
    EXPECT_LT((product - Eigen::Matrix3d::Identity()).norm(), 1e-15 * (4.0 + 4.0 * size)) << angle;
  }
}

// R(r) = J(r) J(−r)⁻¹, and J(−r) = J(r)ᵀ: exact for every angle.
TEST(RotationJacobian, LeftByRightIsTheRotation) {
  std::printf("seed 4\n");
  Random random(4);
  for (const double angle : angles) {
    const Eigen::Vector3d r = angle * direction(random);
    EXPECT_LT((left_jacobian(-r) - left_jacobian(r).transpose()).norm(), 1e-15) << angle;
    const Eigen::Matrix3d R = exponential(r).toRotationMatrix();
    EXPECT_LT((R * left_jacobian(r).transpose() - left_jacobian(r)).norm(), 4e-15) << angle;
  }
}

}  // namespace
}  // namespace stiction::test
