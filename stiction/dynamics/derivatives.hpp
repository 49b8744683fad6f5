#pragma once

/// \file
/// How joint forces change with positions, velocities and accelerations, and how accelerations
/// change with positions, velocities and joint forces.
///
/// A small change of q is a velocity for unit time, as in integrate(): entry k moves the subtree of
/// its body along the axis of entry k of v.
///
/// Implements [Carpentier2018] and [Singh2022], O(bodies · depth).
/// Notation: s, axis of entry k; o, v, ω, a, α of its body's origin; p, of the parent.
/// Deviations: world axes and each body's own origin (see spatial/spatial.hpp). The derivative of
/// a rigid subtree's force by its base's velocity, the matrix B of [Singh2022], depends on the
/// change of ω alone: moment T δω and force δω x 2P, with P the subtree's momentum and T summed
/// over its bodies from T_i w = 2 ω x (J - ½ tr J) w + 2 h x (w x v). Twelve numbers stand for 36.
/// A floating base has world axes, so its own velocity stands where other joints have the parent's.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// How the motion of a subtree changes with one entry of q or v, seen from axes that move along
/// with it. Reference point: the origin of the entry's body.
struct DofMotion {
  Motion<double> velocity_by_q;  ///< of each body of the subtree
  /// Of spatial accelerations, less (velocity_by_q x velocity of the body).
  Motion<double> acceleration_by_q;
  Motion<double> acceleration_by_v;  ///< the same for v, less (axis x velocity of the body)
};

/// A body and all that hangs on it, about the body's origin, world axes.
struct SubtreeForces {
  Force<double> needed;         ///< to move as it does, against gravity
  Matrix3<double> spin;         ///< T: moment by a change of angular velocity
  Vector3<double> momentum2;    ///< twice the momentum [N·s]
  Force<double> external;       ///< from outside
  Matrix3<double> external_at;  ///< sum of r fᵀ over the forces f from outside at r
};

/// What the functions below write, allocated once. One per thread.
struct DerivativesData {
  explicit DerivativesData(const Model& model);

  /// \name Of inverse dynamics
  /// Rows of bodies whose motion is prescribed are zero (mass_matrix: a unit diagonal).
  /// @{
  Eigen::MatrixXd dtau_dq;
  Eigen::MatrixXd dtau_dv;
  Eigen::MatrixXd mass_matrix;  ///< ∂τ/∂v̇
  /// @}

  /// \name Of forward dynamics
  /// @{
  Eigen::MatrixXd da_dq;
  Eigen::MatrixXd da_dv;
  Eigen::MatrixXd da_dtau;  ///< M⁻¹; rows of bodies whose motion is prescribed are zero
  /// @}

  std::vector<DofMotion> dofs;          ///< one per entry of v
  std::vector<SubtreeForces> subtrees;  ///< one per body
  Eigen::MatrixXd factors;              ///< of the mass matrix
  Eigen::MatrixXd solved_rows;          ///< column i: row i of da_dq, da_dv and da_dtau
};

/// dtau_dq, dtau_dv and mass_matrix of inverse_dynamics() at v̇ = `dv`. `external`, if given: forces
/// on the bodies (world axes, moment about the body's origin) that keep their world axes while the
/// body moves. For a force at another point of a body add -add_point_force_by_q() (see
/// point_derivatives.hpp). Springs and dampers of joints are not in τ: see
/// add_passive_derivatives(). Needs update_kinematics(); writes accelerations and composite
/// inertias of `data`.
void inverse_dynamics_derivatives(const Model& model, DynamicsData<double>& data,
                                  std::span<const double> dv, DerivativesData& derivatives,
                                  std::span<const Force<double>> external = {});

/// The same, then da_dq, da_dv and da_dtau of forward_dynamics(): `dv` is its result.
void forward_dynamics_derivatives(const Model& model, DynamicsData<double>& data,
                                  std::span<const double> dv, DerivativesData& derivatives,
                                  std::span<const Force<double>> external = {});

/// Fills da_dq, da_dv and da_dtau from dtau_dq, dtau_dv and mass_matrix, to which the caller may
/// have added terms (contact forces, springs) in between.
void solve_forward_derivatives(const Model& model, DerivativesData& derivatives);

/// Adds ∂/∂q and ∂/∂v of passive_forces() times `scale` to the two matrices.
void add_passive_derivatives(const Model& model, std::span<const double> q, double scale,
                             Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_v);

}  // namespace stiction
