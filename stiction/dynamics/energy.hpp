#pragma once

/// \file
/// Centre of mass, momentum and energy of all bodies whose motion is not prescribed.

#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Centre of mass, momentum, and angular momentum about it. World axes.
template <Scalar S>
struct CentroidalState {
  S mass;                       ///< [kg]
  Vector3<S> center_of_mass;    ///< [m]
  Vector3<S> linear_momentum;   ///< [kg·m/s]
  Vector3<S> angular_momentum;  ///< about the centre of mass [kg·m²/s]
};

/// Momentum of the bodies [first, end) about the world's origin, world axes: linear [kg·m/s] and
/// angular [kg·m²/s]. Bodies whose motion is prescribed are left out. Needs update_kinematics().
template <Scalar S>
Force<S> momentum_of(const Model& model, const DynamicsData<S>& data, int first, int end);

/// Needs update_kinematics().
template <Scalar S>
CentroidalState<S> centroidal_state(const Model& model, const DynamicsData<S>& data);

/// Kinetic energy of all bodies whose motion is not prescribed, rotors' armature included [J]: ½ vᵀ
/// M v where none is. Needs update_kinematics().
template <Scalar S>
S kinetic_energy(const Model& model, const DynamicsData<S>& data, std::span<const S> v);

/// -Σ m g · c: gravity, and springs of joints and tendons at `q` [J]. Needs update_positions().
template <Scalar S>
S potential_energy(const Model& model, const DynamicsData<S>& data, std::span<const S> q);

}  // namespace stiction
