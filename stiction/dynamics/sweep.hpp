#pragma once

/// \file
/// What the sweeps from the leaves to the roots share.

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Hands a value to the parent: see Handover. A carried one stays where it is.
template <class Value>
[[gnu::always_inline]] inline void hand_over(Handover handover, const Value& carried,
                                             Value& parked) {
  if (handover == Handover::park) {
    parked = carried;
  } else if (handover == Handover::add) {
    parked = parked + carried;
  }
}

/// Whether no other body hangs on this one (a BodyConstants or a RowConstants).
template <class Constants>
[[gnu::always_inline]] inline bool is_leaf(const Constants& body, std::size_t index) {
  return static_cast<std::size_t>(body.subtree_end) == index + 1;
}

/// Force that a body needs to move with acceleration `a`: moment about its origin, and force.
template <Scalar S>
[[gnu::always_inline]] inline Force<S> needed_force(const RigidInertia<S>& I, const Vector3<S>& w,
                                                    const Motion<S>& a) {
  const Vector3<S>& h = I.mass_center;
  const Vector3<S> centripetal = cross(w, cross(w, h));
  return {cross_add(h, a.linear, cross_add(w, I.inertia * w, I.inertia * a.angular)),
          multiply_add(I.mass, a.linear, cross_add(a.angular, h, centripetal))};
}

}  // namespace stiction
