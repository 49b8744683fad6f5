#pragma once

/// \file
/// What the dynamics kernels compute of one body and of one entry of v.

#include "stiction/model/body_constants.hpp"
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

/// Derived quantities of one entry of v.
template <Scalar S>
struct DofData {
  Vector3<S> axis;    ///< direction in which it turns or slides, world
  Force<S> response;  ///< articulated inertia times axis (U)
  S inverse_inertia;  ///< 1 / (axis · response + armature and the like) (1/D)
  S residual;         ///< scratch: force that is left for this entry
};

/// Inertia of a body in world axes, about its origin. Computed where it is used: that is cheaper
/// than to store and load it, and fills the gaps in the sweeps. `body` is a BodyConstants or a
/// RowConstants.
template <Scalar S, class Constants>
[[gnu::always_inline]] inline RigidInertia<S> world_inertia(const Constants& body,
                                                            const BodyData<S>& entry) {
  return {S(body.inertia.mass), entry.rotation * broadcast<S>(body.inertia.mass_center),
          rotate(entry.rotation, broadcast<S>(body.inertia.inertia))};
}

}  // namespace stiction
