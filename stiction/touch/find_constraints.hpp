#pragma once

/// \file
/// Limits within reach, friction and locks of joints and tendons, torsional and rolling friction of
/// contacts.

#include <span>

#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Which limits count as within reach, and how large the shapes of contacts are.
struct ConstraintSearch {
  double time_step = 0.0;      ///< h [s]
  double margin = 0.0;         ///< beyond what the joint can travel in the step [m or rad]
  bool touching_only = false;  ///< limits with a gap above zero are left out
  std::span<const ShapeGeometry> shapes;  ///< as the collider has them
};

/// Writes the constraints of the set, whose contacts are known. `free_velocity` is v*, one per
/// velocity.
void find_constraints(const SceneSnapshot& scene, const State& state,
                      std::span<const double> free_velocity, const ConstraintSearch& settings,
                      ContactSet& set);

}  // namespace stiction
