#pragma once

/// \file
/// Where bodies are, how fast they move, and how fast they would accelerate.

#include <Eigen/Core>
#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Poses and joint axes of all bodies at positions `q`.
template <Scalar S>
void update_positions(const Model& model, DynamicsData<S>& data, std::span<const S> q);

/// Velocities and drift of all bodies at velocities `v`; needs update_positions().
template <Scalar S>
void update_velocities(const Model& model, DynamicsData<S>& data, std::span<const S> v);

/// Both.
template <Scalar S>
void update_kinematics(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                       std::span<const S> v);

/// What v̇ = `dv` adds to the drift of each body, in `acceleration` (linear part: of the body's
/// origin as a point), without gravity. A body's whole acceleration is drift + acceleration. Needs
/// update_kinematics().
template <Scalar S>
void update_accelerations(const Model& model, DynamicsData<S>& data, std::span<const S> dv);

/// \name For one robot in Eigen's vectors
/// @{
void update_kinematics(const Model& model, DynamicsData<double>& data, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v);
void update_accelerations(const Model& model, DynamicsData<double>& data,
                          const Eigen::VectorXd& dv);
/// @}

}  // namespace stiction
