#pragma once

/// \file
/// What the dynamics kernels compute of one state, allocated once for a Model.

#include <Eigen/Geometry>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/spatial.hpp"

namespace stiction {

/// Derived quantities of one body. World axes; the reference point is the body's own origin.
template <Scalar S>
struct BodyData {
  Matrix3<S> rotation;     ///< R_WB
  Vector3<S> position;     ///< p_WB [m]
  Vector3<S> offset;       ///< from the parent's origin to this one [m]
  Motion<S> velocity;      ///< v_WB
  Motion<S> drift;         ///< acceleration at v̇ = 0, without gravity: J̇v of the body
  Motion<S> acceleration;  ///< what v̇ adds to the drift, from update_accelerations()
  Force<S> force;          ///< scratch of the kernels
};

/// Inertia of a body in world axes, about its origin. Computed where it is used: that is cheaper
/// than to store and load it, and fills the gaps in the sweeps.
template <Scalar S>
[[gnu::always_inline]] inline RigidInertia<S> world_inertia(const BodyConstants& body,
                                                            const BodyData<S>& entry) {
  return {S(body.inertia.mass), entry.rotation * broadcast<S>(body.inertia.mass_center),
          rotate(entry.rotation, broadcast<S>(body.inertia.inertia))};
}

/// Derived quantities of one entry of v.
template <Scalar S>
struct DofData {
  Vector3<S> axis;    ///< direction in which it turns or slides, world
  Force<S> response;  ///< articulated inertia times axis (U)
  S inverse_inertia;  ///< 1 / (axis · response + armature and the like) (1/D)
  S residual;         ///< scratch: force that is left for this entry
};

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
  explicit DynamicsData(const Model& model);

  std::vector<BodyData<S>> bodies;                 ///< one per body
  std::vector<DofData<S>> dofs;                    ///< one per entry of v
  std::vector<ArticulatedInertia<S>> articulated;  ///< one per body: what its children parked
  std::vector<RigidInertia<S>> composite;          ///< one per body: its subtree as one piece
  std::vector<BaseFactor<S>> base_factors;         ///< one per floating body
  std::vector<int> base_factor_of_body;            ///< index into base_factors, -1 for none
  std::vector<int> angle_positions;                ///< entries of q that are angles
  std::vector<int> angle_of_body;                  ///< index into angles, -1 for none
  std::vector<SineCosine<S>> angles;               ///< one per angle_positions, padded
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
