#pragma once

/// \file
/// Jacobians of points and frames, and their drift J̇v. World axes throughout.

#include <Eigen/Core>
#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// J (3 x velocity_count, row by row) with ṗ = J v for the point of `body` that is at `point`
/// (world) now. Needs update_positions().
template <Scalar S>
void point_jacobian(const Model& model, const DynamicsData<S>& data, int body,
                    const Vector3<S>& point, std::span<S> J);

/// J (6 x velocity_count, row by row: linear, angular) of a frame on `body` with its origin at
/// `point` (world). Needs update_positions().
template <Scalar S>
void body_jacobian(const Model& model, const DynamicsData<S>& data, int body,
                   const Vector3<S>& point, std::span<S> J);

/// Velocity of the point of `body` that is at `point` now. Needs update_kinematics().
template <Scalar S>
Vector3<S> point_velocity(const DynamicsData<S>& data, int body, const Vector3<S>& point);

/// J̇v of that point: its acceleration at v̇ = 0. Needs update_kinematics().
template <Scalar S>
Vector3<S> point_drift(const DynamicsData<S>& data, int body, const Vector3<S>& point);

/// \name For one robot in Eigen's matrices
/// @{
Eigen::Matrix3Xd point_jacobian(const Model& model, const DynamicsData<double>& data, int body,
                                const Eigen::Vector3d& point);
/// Rows: linear, angular.
Eigen::Matrix<double, 6, Eigen::Dynamic> frame_jacobian(const Model& model,
                                                        const DynamicsData<double>& data,
                                                        int frame);
/// J̇v of a frame (linear, angular); needs update_kinematics().
Eigen::Matrix<double, 6, 1> frame_drift(const Model& model, const DynamicsData<double>& data,
                                        int frame);
/// @}

}  // namespace stiction
