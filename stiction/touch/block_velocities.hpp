#pragma once

/// \file
/// Relative velocities of the blocks of a step, at its start and after free motion.

#include <array>
#include <span>
#include <vector>

#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Of body b against body a in contact axes [m/s].
struct ContactVelocity {
  Vector3<double> before;  ///< at the start of the step
  Vector3<double> free;    ///< after free motion: v*
};

struct BlockVelocities {
  std::vector<ContactVelocity> contacts;           ///< one per contact
  std::vector<std::array<double, 6>> constraints;  ///< after free motion, one per constraint
};

/// Σ coefficient · v of a direction.
[[nodiscard]] inline double velocity_along(const JointDirection<double>& direction,
                                           std::span<const double> v) {
  double sum = 0.0;
  for (int d = 0; d < direction.count; ++d) {
    sum += direction.coefficient[d] * v[static_cast<std::size_t>(direction.index[d])];
  }
  return sum;
}

/// Velocity of both surfaces of a contact along each other by conveyors, world axes [m/s].
[[nodiscard]] Vector3<double> conveyor_velocity(const SceneLayout& layout,
                                                std::span<const Placement> placements,
                                                const Candidate& candidate);

/// Writes the velocities of all blocks. Reads velocities and free accelerations of the bodies,
/// v* of the joints, and where conveyors are.
void find_block_velocities(const SceneSnapshot& scene, std::span<const double> free_velocity,
                           std::span<const Placement> placements, double time_step,
                           const ContactSet& blocks, BlockVelocities& velocities);

}  // namespace stiction
