#include "stiction/spatial/rotation.hpp"

#include <gtest/gtest.h>
#include <numbers>

#include "support/lanes.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {
namespace {

constexpr double pi = std::numbers::pi;

// A handful of roundings of numbers of size one.
constexpr double rounding = 4e-15;

TEST(Rotation, MatricesAndProductsOfQuaternionsAgreeWithEigen) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Quaterniond a = random_rotation(random);
    const Eigen::Quaterniond b = random_rotation(random);
    EXPECT_LT((to_eigen(to_matrix(from_eigen(a))) - a.toRotationMatrix()).norm(), rounding);
    EXPECT_LT((to_eigen(from_eigen(a) * from_eigen(b)).coeffs() - (a * b).coeffs()).norm(),
              rounding);
    EXPECT_LT((to_eigen(conjugate(from_eigen(a))).coeffs() - a.conjugate().coeffs()).norm(),
              rounding);
  }
}

TEST(Rotation, LengthOfAQuaternionIsDividedOut) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Eigen::Quaterniond a = random_rotation(random);
    const double length = random.uniform(0.5, 2.0);
    const Quaternion<double> longer{length * a.x(), length * a.y(), length * a.z(), length * a.w()};
    EXPECT_LT((to_eigen(to_matrix(longer)) - a.toRotationMatrix()).norm(), rounding);
    EXPECT_LT((to_eigen(normalized(longer)).coeffs() - a.coeffs()).norm(), rounding);
  }
}

TEST(Rotation, ExponentialAgreesWithEigenFromTinyAnglesToManyTurns) {
  Random random(3);
  for (const double angle : {0.0, 1e-300, 1e-18, 1e-9, 0.999e-4, 1.001e-4, 1e-3, 0.5, pi - 1e-9, pi,
                             pi + 1e-9, 6.0, 100.0}) {
    for (int i = 0; i < 50; ++i) {
      const Eigen::Vector3d axis = random_axis(random);
      const Eigen::Matrix3d expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      const Eigen::Matrix3d actual =
          to_eigen(exp_rotation(from_eigen(Eigen::Vector3d(angle * axis))));
      EXPECT_LT((actual - expected).norm(), rounding * (1.0 + angle)) << angle;
    }
  }
}

TEST(Rotation, LogarithmUndoesTheExponentialUpToHalfATurn) {
  Random random(4);
  for (const double angle : {0.0, 1e-300, 1e-18, 1e-9, 1.9e-5, 2.1e-5, 1e-3, 0.5, 2.0, pi - 1e-3,
                             pi - 1e-6, pi - 1e-9}) {
    for (int i = 0; i < 50; ++i) {
      const Eigen::Vector3d r = angle * random_axis(random);
      const Eigen::Vector3d back = to_eigen(log_quaternion(exp_quaternion(from_eigen(r))));
      EXPECT_LT((back - r).norm(), 4e-16 * (angle + 1e-300) * 4) << angle;
    }
  }
}

TEST(Rotation, LogarithmAgreesWithEigenAndTakesTheShorterWay) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Quaterniond q = random_rotation(random);
    const Eigen::AngleAxisd turn(q);
    const Eigen::Vector3d r = to_eigen(log_quaternion(from_eigen(q)));
    EXPECT_LE(r.norm(), pi * (1.0 + 1e-15));
    EXPECT_LT((r - turn.angle() * turn.axis()).norm(), 1e-14);
    // q and -q are one rotation.
    const Quaternion<double> opposite{-q.x(), -q.y(), -q.z(), -q.w()};
    EXPECT_LT((to_eigen(log_quaternion(opposite)) - r).norm(), 1e-14);
    EXPECT_LT((log_rotation(q.toRotationMatrix()) - r).norm(), 1e-13);
  }
}

TEST(Rotation, LogarithmOfHalfATurnHasLengthPi) {
  for (int k = 0; k < 3; ++k) {
    Eigen::Quaterniond half(0.0, 0.0, 0.0, 0.0);
    half.coeffs()[k] = 1.0;
    const Eigen::Vector3d r = to_eigen(log_quaternion(from_eigen(half)));
    EXPECT_NEAR(r.norm(), pi, 1e-15);
    EXPECT_NEAR(std::abs(r[k]), pi, 1e-15);
  }
}

TEST(Rotation, TurningAboutAnAxisAgreesWithEigen) {
  Random random(6);
  for (int i = 0; i < 500; ++i) {
    const double angle = random.uniform(-4.0, 4.0);
    const SineCosine<double> a = sine_cosine(angle);
    const Eigen::Matrix3d start = random_rotation(random).toRotationMatrix();
    const auto check = [&](const Matrix3<double>& actual, const Eigen::Vector3d& axis) {
      const Eigen::Matrix3d expected = start * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      EXPECT_LT((to_eigen(actual) - expected).norm(), rounding);
    };
    Matrix3<double> x = from_eigen(start);
    x = turned_about_axis<0>(x, a);
    check(x, Eigen::Vector3d::UnitX());
    Matrix3<double> y = from_eigen(start);
    y = turned_about_axis<1>(y, a);
    check(y, Eigen::Vector3d::UnitY());
    Matrix3<double> z = from_eigen(start);
    z = turned_about_axis<2>(z, a);
    check(z, Eigen::Vector3d::UnitZ());
    const Eigen::Vector3d axis = random_axis(random);
    check(from_eigen(start) * about_axis(from_eigen(axis), a), axis);
  }
}

TEST(Rotation, EachLaneGivesTheBitsOfALoneRotationBesideAnyNeighbour) {
  Random random(7);
  const double sizes[] = {0.0, 5e-324, 1e-310, 1e-9, 1e-4, 1.0, 3.14159, 1e6, 1e12, 1e200};
  for (int i = 0; i < 20000; ++i) {
    std::array<Eigen::Vector3d, lane_width> r;
    std::array<Eigen::Vector4d, lane_width> q;
    for (std::size_t k = 0; k < lane_width; ++k) {
      r[k] = sizes[random.index(10)] * random_vector(random, 1.0);
      q[k] = random_rotation(random).coeffs();
      if (random.uniform() < 0.2) q[k] = Eigen::Vector4d(1e-7 * r[k].x(), 0, 0, 1).normalized();
    }
    const std::vector<Lane> rs = pack(r);
    const std::vector<Lane> qs = pack(q);
    const auto run = [](auto& record, const auto& turn, const auto& rotation) {
      record.section("exp_quaternion");
      record.add(exp_quaternion(turn));
      record.section("log_quaternion");
      record.add(log_quaternion(rotation));
      record.section("to_matrix");
      record.add(to_matrix(rotation));
      record.section("normalized");
      record.add(normalized(rotation * rotation));
    };
    Record<Lane> lanes;
    run(lanes, Vector3<Lane>{rs[0], rs[1], rs[2]}, Quaternion<Lane>{qs[0], qs[1], qs[2], qs[3]});
    for (std::size_t k = 0; k < lane_width; ++k) {
      Record<double> alone;
      run(alone, from_eigen(r[k]), Quaternion<double>{q[k][0], q[k][1], q[k][2], q[k][3]});
      expect_same_bits(alone, lanes, k);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace stiction::test
