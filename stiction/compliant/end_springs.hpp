#pragma once

/// \file
/// Springs at the end of a step: their forces, and how these change with the motion of the bodies.
/// For rules that take forces at the end.
///
/// λ_n = max(0, −K·stretch_n − θB·v_n), along the tangents −K·stretch − θB·velocity within the
/// cone, with θ = min(1, gap/(h v_n)) where v_n < 0, else 1. All of it follows from the end of the
/// step and from the anchors at its start.
///
/// Why θ: a contact that closes within the step has touched for the share θ of it, and so long its
/// damper has acted. Without it the force would jump by B·v_n where a body touches, and many
/// touch-downs would have no solution at all. Contacts that touched before have θ = 1 (on flat
/// ground), as gap⁺ = gap + h v_n.

#include <span>
#include <vector>

#include "stiction/compliant/springs.hpp"

namespace stiction {

/// Vectors in world axes, of body b against body a.
struct EndSpring {
  SpringConstants constants;
  SpringAnchors anchors;
  Vector3<double> stretch;   ///< from the anchors of the start, before slip [m]
  Vector3<double> velocity;  ///< [m/s]
  Vector3<double> trial;     ///< tangential force before slip [N]
  double normal_force = 0.0;
  Vector3<double> force;   ///< on body b [N]
  double share = 1.0;      ///< θ
  bool by_anchor = false;  ///< the normal force follows the anchors instead of the gap
};

/// The springs of contacts at the bodies of `scene`, which are where a step of `time_step` ends.
/// `memory`: of its start. `springs`: as they are to be remembered, with forces in contact axes.
void find_end_springs(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                      double time_step, std::span<Candidate> contacts, std::vector<Spring>& springs,
                      std::vector<SpringAnchors>& anchors, std::vector<EndSpring>& ends);

/// A small change of what a spring sees, world axes.
struct SpringChange {
  Vector3<double> normal;
  Vector3<double> stretch;
  Vector3<double> velocity;
  double gap = 0.0;
};

/// How the force on body b changes; world axes. On a bound it is the derivative of one side.
[[nodiscard]] Vector3<double> force_change(double time_step, const Candidate& contact,
                                           const EndSpring& end, const SpringChange& change);

}  // namespace stiction
