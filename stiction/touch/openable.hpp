#pragma once

/// \file
/// Contacts that no motion of the joints can open or close. Neighbouring fingers on parallel hinges
/// touch so, and parts of a link that joints have split. No impulse changes their gap, so asking
/// for a change is impossible, and rounding errors would answer with huge impulses.

#include "stiction/dynamics/delassus.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Whether some joint between the two bodies moves them along the normal of the contact. Joints
/// whose motion is prescribed count as well.
[[nodiscard]] bool can_open(const SceneSnapshot& scene, const ContactPoint<double>& contact);

}  // namespace stiction
