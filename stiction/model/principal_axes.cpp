#include "stiction/model/principal_axes.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace stiction {

Eigen::Matrix3d principal_axes(const Eigen::Matrix3d& inertia) {
  constexpr int most_turns = 100;
  const double negligible = 1e-15 * inertia.cwiseAbs().maxCoeff();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  for (int turn = 0; turn < most_turns; ++turn) {
    const Eigen::Matrix3d seen = axes.transpose() * inertia * axes;
    int about = 0;  // the axis whose turn removes the largest entry beside the diagonal
    double largest = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double entry = std::abs(seen((k + 1) % 3, (k + 2) % 3));
      if (entry > largest) {
        largest = entry;
        about = k;
      }
    }
    if (!(largest > negligible)) break;
    const int i = (about + 1) % 3;
    const int j = (about + 2) % 3;
    const double slope = (seen(j, j) - seen(i, i)) / (2.0 * seen(i, j));
    const double tangent = std::copysign(1.0, slope) / (std::abs(slope) + std::hypot(1.0, slope));
    axes *= Eigen::AngleAxisd(-std::atan(tangent), Eigen::Vector3d::Unit(about)).toRotationMatrix();
  }
  return axes;
}

}  // namespace stiction
