#pragma once

/// \file
/// The articulated-body factorization: M⁻¹ without M, in time linear in the number of bodies.
///
/// Implements [Featherstone2008, chapter 7].
/// Notation: IA → `articulated`, U → `response`, 1/D → `inverse_inertia`, pA → `force`,
/// u → `residual`.
/// Deviations: world axes and each body's own origin instead of link coordinates (see
/// spatial/spatial.hpp); joints with several velocities are eliminated one velocity at a time,
/// which is the LDLᵀ of their block; all accelerations are counted from the drift (v̇ = 0) less
/// gravity, so that products of articulated inertias with velocity terms drop out.

#include <Eigen/Core>
#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Factorizes the mass matrix at the positions of update_positions(). `diagonal`, if given, is
/// added to it, one entry per velocity (implicit damping and gains); armature always is. Bodies
/// whose motion is prescribed take no part: their rows of M⁻¹ are zero.
template <Scalar S>
void factorize(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal = {});

/// v̇ = M⁻¹(τ - bias) with gravity and velocity terms, from joint forces `tau` and, if given, forces
/// on the bodies (world axes, moment about the body's origin). Needs update_kinematics() and
/// factorize(). Leaves in `acceleration` of the bodies what update_accelerations() would.
template <Scalar S>
void forward_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                      std::span<S> dv, std::span<const Force<S>> external = {});

/// factorize() and forward_dynamics() in one sweep, which is quicker.
template <Scalar S>
void factorize_and_accelerate(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                              std::span<S> dv, std::span<const S> diagonal = {},
                              std::span<const Force<S>> external = {});

/// Kinematics, factorization and forward dynamics in one go: the articulated-body algorithm.
template <Scalar S>
void articulated_body_algorithm(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                                std::span<const S> v, std::span<const S> tau, std::span<S> dv);

/// result = M⁻¹ x; needs factorize(). `result` and `x` may be the same.
template <Scalar S>
void apply_inverse(const Model& model, DynamicsData<S>& data, std::span<const S> x,
                   std::span<S> result);

/// \name For one robot in Eigen's vectors
/// @{
Eigen::VectorXd articulated_body_algorithm(const Model& model, DynamicsData<double>& data,
                                           const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                           const Eigen::VectorXd& tau);
Eigen::VectorXd apply_inverse(const Model& model, DynamicsData<double>& data,
                              const Eigen::VectorXd& x);
/// @}

}  // namespace stiction
