#include "apps/live/drag_spring.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction {

namespace {

/// Of all bodies that hang together with this one [kg].
double tree_mass(const Model& model, int body) {
  const auto root_of = [&model](int b) {
    while (model.parent(b) >= 0) b = model.parent(b);
    return b;
  };
  const int root = root_of(body);
  double mass = 0.0;
  for (int b = root; b < model.body_count() && root_of(b) == root; ++b) {
    mass += model.body_inertia(b).mass;
  }
  return mass;
}

Vector3<double> plain(const Eigen::Vector3d& x) { return {x.x(), x.y(), x.z()}; }
Eigen::Vector3d eigen(const Vector3<double>& x) { return {x.x, x.y, x.z}; }

}  // namespace

Eigen::Matrix3d DragSpring::felt_mass(const Model& model, int body,
                                      const Eigen::Vector3d& at) const {
  const std::array contacts{ContactPoint<double>{world_body, body, plain(at)}};
  const Eigen::Matrix3d mobility = delassus(model, data_, contacts);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> parts(mobility);
  // Where joints let the point move hardly or not at all, pulling harder than at the whole robot
  // does not help.
  const double heaviest = tree_mass(model, body);
  const Eigen::Vector3d masses = parts.eigenvalues().unaryExpr(
      [heaviest](double mobile) { return 1.0 / std::max(mobile, 1.0 / heaviest); });
  return parts.eigenvectors() * masses.asDiagonal() * parts.eigenvectors().transpose();
}

ExternalForce DragSpring::force(const Model& model, const State& state, double h, int body,
                                const Eigen::Vector3d& point, const Eigen::Vector3d& target) {
  update_kinematics(model, data_, state.q, state.v);
  factorize<double>(model, data_);
  const Eigen::Vector3d at = body_pose(data_, body) * point;
  const Eigen::Vector3d velocity = eigen(point_velocity(data_, body, plain(at)));
  constexpr double w = frequency;
  Eigen::Vector3d acceleration = (w * w * (target - at - h * velocity) - 2.0 * w * velocity) /
                                 (1.0 + 2.0 * w * h + w * w * h * h);
  const double size = acceleration.norm();
  if (size > largest_acceleration) acceleration *= largest_acceleration / size;

  ExternalForce result;
  result.body = body;
  result.point = point;
  result.force = felt_mass(model, body, at) * acceleration;
  return result;
}

Eigen::Vector3d DragSpring::world_point(int body, const Eigen::Vector3d& point) const {
  return body_pose(data_, body) * point;
}

}  // namespace stiction
