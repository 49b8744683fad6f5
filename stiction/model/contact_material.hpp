#pragma once

/// \file
/// How the materials of two shapes combine in a contact.

#include <algorithm>

#include "stiction/model/shape.hpp"

namespace stiction {

/// What holds between two materials that have no MaterialPair: of each value the larger one.
[[nodiscard]] inline ContactMaterial combine(const Material& a, const Material& b) {
  return {std::max(a.friction, b.friction), std::max(a.restitution, b.restitution),
          std::max(a.restitution_threshold, b.restitution_threshold)};
}

/// What holds between the two materials of a pair.
[[nodiscard]] inline ContactMaterial contact_material(const MaterialPair& pair) {
  return {pair.friction, pair.restitution, pair.restitution_threshold};
}

}  // namespace stiction
