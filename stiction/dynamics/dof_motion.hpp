#pragma once

/// \file
/// What one entry of q or v does to the motion of the bodies that hang on it. Shared by the
/// derivatives of dynamics and of points; notation in derivatives.hpp.

#include "stiction/dynamics/derivatives.hpp"

namespace stiction {

/// Whole acceleration of a body less gravity: what needs forces.
inline Motion<double> lifted_acceleration(const Model& model, const BodyData<double>& entry) {
  Motion<double> a = entry.drift + entry.acceleration;
  a.linear = a.linear - from_eigen(model.gravity());
  return a;
}

/// Whether a change of entry k of a joint's q carries the axis of entry j of the same joint along.
/// The axes of a spherical joint turn with the body; a floating or planar joint is a translation
/// first and a turn about the place to which it leads then, and the turns of a floating joint have
/// world axes.
inline bool moves_along(JointKind joint, bool k_angular, bool j_angular) {
  if (!k_angular) return true;
  return j_angular && joint != JointKind::floating;
}

inline DofMotion dof_motion(const Model& model, const DynamicsData<double>& data, std::size_t body,
                            std::size_t k) {
  const BodyConstants& constants = model.constants()[body];
  const BodyData<double>& own = data.bodies[body];
  const Vector3<double>& s = data.dofs[k].axis;
  Vector3<double> parent_spin;
  Vector3<double> parent_turn;
  if (constants.parent >= 0) {
    const BodyData<double>& parent = data.bodies[static_cast<std::size_t>(constants.parent)];
    parent_spin = parent.velocity.angular;
    parent_turn = parent.drift.angular + parent.acceleration.angular;
  }
  DofMotion result;
  if (!model.degrees_of_freedom()[k].angular) {
    const Vector3<double> swing = cross(parent_spin, s);
    result.velocity_by_q.linear = swing;
    result.acceleration_by_q.linear = cross_add(parent_spin, swing, cross(parent_turn, s));
    result.acceleration_by_v.linear = 2.0 * swing;
    return result;
  }
  const bool floating = constants.joint == JointKind::floating;
  const Motion<double> a = lifted_acceleration(model, own);
  const Vector3<double>& spin = floating ? own.velocity.angular : parent_spin;
  const Vector3<double>& turn = floating ? a.angular : parent_turn;
  const Vector3<double>& v = own.velocity.linear;
  result.velocity_by_q = {cross(spin, s), cross(v, s)};
  const Vector3<double>& swing = result.velocity_by_q.angular;
  result.acceleration_by_q = {cross_add(spin, swing, cross(turn, s)),
                              multiply_add(2.0, cross(v, swing), cross(a.linear, s))};
  result.acceleration_by_v = {cross(parent_spin + own.velocity.angular, s), 2.0 * cross(v, s)};
  return result;
}

}  // namespace stiction
