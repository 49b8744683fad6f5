#include "stiction/dynamics/jacobian.hpp"

namespace stiction {

namespace {

template <bool with_rotation, Scalar S>
void fill_jacobian(const Model& model, const DynamicsData<S>& data, int body,
                   const Vector3<S>& point, std::span<S> J) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const std::size_t n = degrees.size();
  for (S& entry : J) entry = S(0.0);
  for (int at = body; at >= 0; at = model.parent(at)) {
    const BodyConstants& constants = model.constants()[static_cast<std::size_t>(at)];
    const Vector3<S> arm = point - data.bodies[static_cast<std::size_t>(at)].position;
    const std::size_t first = static_cast<std::size_t>(constants.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(constants.velocity_count);
         ++k) {
      const Vector3<S>& axis = data.dofs[k].axis;
      const Vector3<S> column = degrees[k].angular ? cross(axis, arm) : axis;
      J[k] = column.x;
      J[n + k] = column.y;
      J[2 * n + k] = column.z;
      if constexpr (with_rotation) {
        if (!degrees[k].angular) continue;
        J[3 * n + k] = axis.x;
        J[4 * n + k] = axis.y;
        J[5 * n + k] = axis.z;
      }
    }
  }
}

template <int rows, class Fill>
Eigen::Matrix<double, rows, Eigen::Dynamic> row_major(int columns, Fill fill) {
  Eigen::Matrix<double, rows, Eigen::Dynamic, Eigen::RowMajor> J(rows, columns);
  fill(std::span<double>(J.data(), static_cast<std::size_t>(J.size())));
  return J;
}

}  // namespace

template <Scalar S>
void point_jacobian(const Model& model, const DynamicsData<S>& data, int body,
                    const Vector3<S>& point, std::span<S> J) {
  fill_jacobian<false>(model, data, body, point, J);
}

template <Scalar S>
void body_jacobian(const Model& model, const DynamicsData<S>& data, int body,
                   const Vector3<S>& point, std::span<S> J) {
  fill_jacobian<true>(model, data, body, point, J);
}

template <Scalar S>
Vector3<S> point_velocity(const DynamicsData<S>& data, int body, const Vector3<S>& point) {
  if (body < 0) return {};
  const BodyData<S>& entry = data.bodies[static_cast<std::size_t>(body)];
  return cross_add(entry.velocity.angular, point - entry.position, entry.velocity.linear);
}

template <Scalar S>
Vector3<S> point_drift(const DynamicsData<S>& data, int body, const Vector3<S>& point) {
  if (body < 0) return {};
  const BodyData<S>& entry = data.bodies[static_cast<std::size_t>(body)];
  const Vector3<S> arm = point - entry.position;
  const Vector3<S>& w = entry.velocity.angular;
  return cross_add(w, cross(w, arm), cross_add(entry.drift.angular, arm, entry.drift.linear));
}

template void point_jacobian(const Model&, const DynamicsData<double>&, int, const Vector3<double>&,
                             std::span<double>);
template void point_jacobian(const Model&, const DynamicsData<Lane>&, int, const Vector3<Lane>&,
                             std::span<Lane>);
template void body_jacobian(const Model&, const DynamicsData<double>&, int, const Vector3<double>&,
                            std::span<double>);
template void body_jacobian(const Model&, const DynamicsData<Lane>&, int, const Vector3<Lane>&,
                            std::span<Lane>);
template Vector3<double> point_velocity(const DynamicsData<double>&, int, const Vector3<double>&);
template Vector3<Lane> point_velocity(const DynamicsData<Lane>&, int, const Vector3<Lane>&);
template Vector3<double> point_drift(const DynamicsData<double>&, int, const Vector3<double>&);
template Vector3<Lane> point_drift(const DynamicsData<Lane>&, int, const Vector3<Lane>&);

Eigen::Matrix3Xd point_jacobian(const Model& model, const DynamicsData<double>& data, int body,
                                const Eigen::Vector3d& point) {
  return row_major<3>(model.velocity_count(), [&](std::span<double> J) {
    point_jacobian<double>(model, data, body, from_eigen(point), J);
  });
}

Eigen::Matrix<double, 6, Eigen::Dynamic> frame_jacobian(const Model& model,
                                                        const DynamicsData<double>& data,
                                                        int frame) {
  const Eigen::Vector3d point = frame_pose(model, data, frame).translation();
  const int body = model.frames()[static_cast<std::size_t>(frame)].body;
  return row_major<6>(model.velocity_count(), [&](std::span<double> J) {
    body_jacobian<double>(model, data, body, from_eigen(point), J);
  });
}

Eigen::Matrix<double, 6, 1> frame_drift(const Model& model, const DynamicsData<double>& data,
                                        int frame) {
  Eigen::Matrix<double, 6, 1> drift = Eigen::Matrix<double, 6, 1>::Zero();
  const int body = model.frames()[static_cast<std::size_t>(frame)].body;
  if (body < 0) return drift;
  const Eigen::Vector3d point = frame_pose(model, data, frame).translation();
  drift.head<3>() = to_eigen(point_drift(data, body, from_eigen(point)));
  drift.tail<3>() = to_eigen(data.bodies[static_cast<std::size_t>(body)].drift.angular);
  return drift;
}

}  // namespace stiction
