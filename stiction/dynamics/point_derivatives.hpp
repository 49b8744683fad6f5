#pragma once

/// \file
/// How velocity, acceleration and generalised force of a point of a body change with q and v. World
/// axes; changes of q as in derivatives.hpp. The point's position itself changes by its Jacobian:
/// ∂p/∂q = ∂ṗ/∂v = J (jacobian.hpp).
///
/// `point` (world) says where the point of `body` is now; it moves along with the body. A `body` of
/// -1 is the world, whose derivatives are zero. Matrices have velocity_count columns and are
/// overwritten unless the name says `add`. No function allocates.

#include <Eigen/Core>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// ∂(J v)/∂q (3 x n). Needs update_kinematics().
void point_velocity_by_q(const Model& model, const DynamicsData<double>& data, int body,
                         const Eigen::Vector3d& point, Eigen::Ref<Eigen::Matrix3Xd> by_q);

/// ∂(J v̇ + J̇ v)/∂q and ∂/∂v (3 x n each). Needs update_kinematics() and update_accelerations() at
/// v̇.
void point_acceleration_by_state(const Model& model, const DynamicsData<double>& data, int body,
                                 const Eigen::Vector3d& point, Eigen::Ref<Eigen::Matrix3Xd> by_q,
                                 Eigen::Ref<Eigen::Matrix3Xd> by_v);

/// Adds `scale` ∂(Jᵀ f)/∂q (n x n) for a force f that is constant in world axes. Needs
/// update_positions(). Only rows and columns of entries between `body` and the root change.
void add_point_force_by_q(const Model& model, const DynamicsData<double>& data, int body,
                          const Eigen::Vector3d& point, const Eigen::Vector3d& force,
                          Eigen::Ref<Eigen::MatrixXd> by_q, double scale = 1.0);

}  // namespace stiction
