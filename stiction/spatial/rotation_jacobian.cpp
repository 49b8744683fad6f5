#include "stiction/spatial/rotation_jacobian.hpp"

#include <cmath>

namespace stiction {

namespace {

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& r) {
  Eigen::Matrix3d result;
  result << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return result;
}

// Below this angle the closed forms lose digits by cancellation, and three terms of the series are
// exact to rounding: the fourth is below 1e-16 of the first.
constexpr double small_angle = 0.02;

}  // namespace

Eigen::Matrix3d left_jacobian(const Eigen::Vector3d& r) {
  const double a2 = r.squaredNorm();
  const double a = std::sqrt(a2);
  double first = 0.0;   // (1 - cos a) / a²
  double second = 0.0;  // (a - sin a) / a³
  if (a < small_angle) {
    first = 1.0 / 2.0 - a2 * (1.0 / 24.0 - a2 * (1.0 / 720.0));
    second = 1.0 / 6.0 - a2 * (1.0 / 120.0 - a2 * (1.0 / 5040.0));
  } else {
    const double half = std::sin(0.5 * a);
    first = 2.0 * half * half / a2;
    second = (a - std::sin(a)) / (a2 * a);
  }
  const Eigen::Matrix3d R = cross_matrix(r);
  return Eigen::Matrix3d::Identity() + first * R + second * R * R;
}

Eigen::Matrix3d left_jacobian_inverse(const Eigen::Vector3d& r) {
  const double a2 = r.squaredNorm();
  const double a = std::sqrt(a2);
  double factor = 0.0;  // 1/a² - cot(a/2) / (2a)
  if (a < small_angle) {
    factor = 1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 * (1.0 / 30240.0));
  } else {
    factor = (1.0 - 0.5 * a * std::cos(0.5 * a) / std::sin(0.5 * a)) / a2;
  }
  const Eigen::Matrix3d R = cross_matrix(r);
  return Eigen::Matrix3d::Identity() - 0.5 * R + factor * R * R;
}

}  // namespace stiction
