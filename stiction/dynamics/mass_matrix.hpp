#pragma once

/// \file
/// The mass matrix by composite rigid bodies, and its sparse factorization M = Lᵀ D L: the
/// independent check on the articulated-body kernels, and for whoever wants M itself.
/// Implements [Featherstone2008, chapters 6 and 8]; world axes.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// M (velocity_count² entries, row by row, both triangles) at the positions of update_positions(),
/// armature included. Velocities of bodies whose motion is prescribed get a unit diagonal.
template <Scalar S>
void mass_matrix(const Model& model, DynamicsData<S>& data, std::span<S> M);

/// Replaces M by its factors, using the zeros that the branches leave: row k holds row k of the
/// unit lower triangular L left of the diagonal, and D on it. The upper triangle is not touched.
template <Scalar S>
void factorize_mass_matrix(const Model& model, std::span<S> M);

/// x <- M⁻¹ x with the factors.
template <Scalar S>
void solve_mass_matrix(const Model& model, std::span<const S> factors, std::span<S> x);

/// \name For one robot in Eigen's matrices
/// @{
Eigen::MatrixXd mass_matrix(const Model& model, DynamicsData<double>& data);
/// @}

}  // namespace stiction
