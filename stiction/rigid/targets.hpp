#pragma once

/// \file
/// What hard contact asks of the velocities of all blocks: gaps, restitution, locks.

#include <array>
#include <vector>

#include "stiction/core/index.hpp"
#include "stiction/rigid/rigid_settings.hpp"
#include "stiction/touch/block_velocities.hpp"
#include "stiction/touch/islands.hpp"

namespace stiction {

/// Velocities after the step [m/s or rad/s].
struct BlockTargets {
  std::vector<double> normal;                      ///< least normal velocity, one per contact
  std::vector<std::array<double, 6>> constraints;  ///< one per constraint
  /// One per contact, 0 unless it bounces; empty if no material does.
  std::vector<double> restitution;
  std::vector<char> by_impacts;  ///< one per island, see is_by_impacts(); empty as `restitution`

  /// Every contact of the island that closes bounces and nothing else acts, so that the motion is
  /// pieced together at the times of the impacts.
  [[nodiscard]] bool is_by_impacts(int island) const {
    return !by_impacts.empty() && by_impacts[index(island)] != 0;
  }
};

/// Writes the targets. `has_restitution`: whether any material bounces.
void find_targets(const RigidSettings& settings, const ContactSet& set, const IslandSet& islands,
                  const BlockVelocities& velocities, bool has_restitution, BlockTargets& targets);

}  // namespace stiction
