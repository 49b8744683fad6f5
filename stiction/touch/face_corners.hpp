#pragma once

/// \file
/// Fewer points for two flat faces on each other.

#include <cstdint>
#include <span>

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// Which of a pair's points to keep, as bits: four that span the face well where more than four
/// share one normal and nearly one gap, else all 32. What bears is then a part of the face, whose
/// rim lacks the corners that were left out.
[[nodiscard]] std::uint32_t spanning_corners(std::span<const CollisionPoint> points);

}  // namespace stiction
