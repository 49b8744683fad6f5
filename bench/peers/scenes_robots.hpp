#pragma once

/// \file
/// The makers of scenes with robots, and of all others.

#include "bench/peers/scenes.hpp"

namespace stiction::bench {

PeerScene make_stand_scene();
PeerScene make_drop_scene();
PeerScene make_random_scene();
PeerScene make_trot_scene();
PeerScene make_romeo_scene();
PeerScene make_grid_scene(int edge);  ///< edge² quadrupeds that stand
PeerScene make_arm_scene();
PeerScene make_hand_scene();
PeerScene make_stack_scene();
PeerScene make_chain_scene(int links);
PeerScene make_balls_scene();

}  // namespace stiction::bench
