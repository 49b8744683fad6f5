#pragma once

/// \file
/// Robots in free flight: how fast their links move among each other counts, not how fast they
/// fall.

#include "stiction/collision/collider.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Lowers the reaches of the shapes of each fast tree that nothing outside of it can touch within
/// the step: to how far they may travel in the axes that move along with its root. Without that,
/// all links of a robot that falls for seconds count as near each other. `reaches` and placements
/// must be written before; `h` is the length of the step [s], `margin` as in ContactSearch [m].
void shorten_reaches_in_flight(const SceneSnapshot& scene, double h, double margin,
                               Collider& collider);

}  // namespace stiction
