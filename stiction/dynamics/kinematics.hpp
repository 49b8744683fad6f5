#pragma once

/// \file
/// Where bodies are, how fast they move, and how fast they would accelerate.

#include <Eigen/Core>
#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Poses, joint axes and world inertias of all bodies at positions `q`.
template <Scalar S>
void update_positions(const Model& model, DynamicsData<S>& data, std::span<const S> q);

/// Velocities of all bodies and their drift at velocities `v`; needs update_positions().
template <Scalar S>
void update_velocities(const Model& model, DynamicsData<S>& data, std::span<const S> v);

/// Both.
template <Scalar S>
void update_kinematics(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                       std::span<const S> v);

/// `acceleration` of all bodies at v̇ = `dv` (linear part: of the body's origin as a point), without
/// gravity; needs update_kinematics().
template <Scalar S>
void update_accelerations(const Model& model, DynamicsData<S>& data, std::span<const S> dv);

/// `acceleration` of all bodies at v̇ = 0: what J̇v needs; needs update_kinematics().
template <Scalar S>
void update_drift(const Model& model, DynamicsData<S>& data);

/// \name For one robot in Eigen's vectors
/// @{
void update_kinematics(const Model& model, DynamicsData<double>& data, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v);
void update_accelerations(const Model& model, DynamicsData<double>& data,
                          const Eigen::VectorXd& dv);
/// @}

}  // namespace stiction
