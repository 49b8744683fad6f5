#pragma once

/// \file
/// What the dynamics kernels compute of one state, allocated once for a Model.

#include <Eigen/Geometry>
#include <vector>

#include "stiction/dynamics/body_data.hpp"
#include "stiction/dynamics/limb_lanes.hpp"
#include "stiction/model/model.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/spatial.hpp"

namespace stiction {

/// LDLᵀ of the articulated inertia of a floating base, in the order of its v (linear, angular).
template <Scalar S>
struct BaseFactor {
  S lower[15];  ///< rows below the diagonal, row by row
  S inverse_diagonal[6];
};

/// Everything that the kernels of stiction/dynamics write. One per thread; never shared. Fill it
/// with `update_kinematics` (and `factorize` where a kernel says so) before calling the other
/// kernels.
template <Scalar S>
struct DynamicsData {
  /// `use` says whether the limbs of one robot may share lanes; a DynamicsData of lanes holds one
  /// robot per lane, and ignores it.
  explicit DynamicsData(const Model& model, LimbUse use = LimbUse::in_lanes);

  std::vector<BodyData<S>> bodies;                 ///< one per body
  std::vector<DofData<S>> dofs;                    ///< one per entry of v
  std::vector<ArticulatedInertia<S>> articulated;  ///< one per body: what its children parked
  std::vector<RigidInertia<S>> composite;          ///< one per body: its subtree as one piece
  std::vector<BaseFactor<S>> base_factors;         ///< one per floating body
  std::vector<int> base_factor_of_body;            ///< index into base_factors, -1 for none
  std::vector<int> angle_positions;                ///< entries of q that are angles, no limbs
  std::vector<int> angle_of_body;                  ///< index into angles, -1 for none
  std::vector<SineCosine<S>> angles;               ///< one per angle_positions, padded
  LimbLanes limbs;                                 ///< of one robot, side by side
};

extern template struct DynamicsData<double>;
extern template struct DynamicsData<Lane>;

/// Pose of a body in the world.
Eigen::Isometry3d body_pose(const DynamicsData<double>& data, int body);

/// Pose of a frame in the world.
Eigen::Isometry3d frame_pose(const Model& model, const DynamicsData<double>& data, int frame);

/// Velocity of a body's origin (linear, then angular), world axes.
Eigen::Matrix<double, 6, 1> body_velocity(const DynamicsData<double>& data, int body);

}  // namespace stiction
