#pragma once

/// \file
/// Joint forces from motion: the recursive Newton-Euler algorithm.
/// Implements [Featherstone2008, chapter 5]; world axes, accelerations of points.

#include <Eigen/Core>
#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// τ = M v̇ + bias, with gravity, velocity terms, armature and, if given, forces on the bodies
/// (world axes, moment about the body's origin) taken off. Needs update_kinematics(). Entries of
/// bodies whose motion is prescribed are zero.
template <Scalar S>
void inverse_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> dv,
                      std::span<S> tau, std::span<const Force<S>> external = {});

/// The same at v̇ = 0: gravity, Coriolis and centrifugal forces. Needs update_kinematics().
template <Scalar S>
void bias_forces(const Model& model, DynamicsData<S>& data, std::span<S> tau,
                 std::span<const Force<S>> external = {});

/// Forces of joint springs and dampers at (q, v): -damping v - stiffness (q - reference).
template <Scalar S>
void passive_forces(const Model& model, std::span<const S> q, std::span<const S> v,
                    std::span<S> tau);

/// \name For one robot in Eigen's vectors
/// @{
Eigen::VectorXd inverse_dynamics(const Model& model, DynamicsData<double>& data,
                                 const Eigen::VectorXd& dv);
Eigen::VectorXd bias_forces(const Model& model, DynamicsData<double>& data);
/// @}

}  // namespace stiction
