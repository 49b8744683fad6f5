#pragma once

/// \file
/// Engines with settings of the caller's choice, for other benchmarks.

#include "bench/peers/peer.hpp"

namespace stiction::bench {

struct BulletSetting {
  bool dantzig = false;
  int iterations = 10;
  /// Friction along two directions (as pybullet has it) instead of one, which is the default.
  bool two_directions = false;
};
/// Throws std::runtime_error if this build is without Bullet.
std::unique_ptr<PeerEngine> make_bullet_peer(const PeerModel& scene, const BulletSetting& setting);

/// `iterations` of the quick step; 0: world step. Throws std::runtime_error if this build is
/// without ODE.
std::unique_ptr<PeerEngine> make_ode_peer(const PeerModel& scene, int iterations);

}  // namespace stiction::bench
