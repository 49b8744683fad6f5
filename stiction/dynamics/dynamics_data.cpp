#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

template <Scalar S>
DynamicsData<S>::DynamicsData(const Model& model, LimbUse use)
    : bodies(static_cast<std::size_t>(model.body_count())),
      dofs(static_cast<std::size_t>(model.velocity_count())),
      articulated(bodies.size()),
      composite(bodies.size()),
      base_factor_of_body(bodies.size(), -1),
      angle_of_body(bodies.size(), -1),
      limbs(model, std::same_as<S, double> ? use : LimbUse::one_by_one) {
  for (const int alone : limbs.alone) {
    const std::size_t i = static_cast<std::size_t>(alone);
    const BodyConstants& body = model.constants()[i];
    switch (body.joint) {
      case JointKind::floating:
        if (!body.kinematic) {
          base_factor_of_body[i] = static_cast<int>(base_factors.size());
          base_factors.emplace_back();
        }
        break;
      case JointKind::revolute:
      case JointKind::continuous:
        angle_of_body[i] = static_cast<int>(angle_positions.size());
        angle_positions.push_back(body.position_index);
        break;
      case JointKind::planar:
        angle_of_body[i] = static_cast<int>(angle_positions.size());
        angle_positions.push_back(body.position_index + 2);
        break;
      case JointKind::fixed:
      case JointKind::prismatic:
      case JointKind::spherical:
        break;
    }
  }
  const std::size_t padded = (angle_positions.size() + lane_width - 1) / lane_width * lane_width;
  angles.resize(padded);
}

template struct DynamicsData<double>;
template struct DynamicsData<Lane>;

Eigen::Isometry3d body_pose(const DynamicsData<double>& data, int body) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  if (body < 0) return pose;
  const BodyData<double>& entry = data.bodies[static_cast<std::size_t>(body)];
  pose.linear() = to_eigen(entry.rotation);
  pose.translation() = to_eigen(entry.position);
  return pose;
}

Eigen::Isometry3d frame_pose(const Model& model, const DynamicsData<double>& data, int frame) {
  const Frame& entry = model.frames()[static_cast<std::size_t>(frame)];
  return body_pose(data, entry.body) * entry.pose;
}

Eigen::Matrix<double, 6, 1> body_velocity(const DynamicsData<double>& data, int body) {
  Eigen::Matrix<double, 6, 1> result = Eigen::Matrix<double, 6, 1>::Zero();
  if (body < 0) return result;
  const Motion<double>& velocity = data.bodies[static_cast<std::size_t>(body)].velocity;
  result.head<3>() = to_eigen(velocity.linear);
  result.tail<3>() = to_eigen(velocity.angular);
  return result;
}

}  // namespace stiction
