#pragma once

/// \file
/// How the materials of two shapes combine in a contact.

#include <algorithm>

#include "stiction/model/shape.hpp"

namespace stiction {

/// What holds between two materials that have no MaterialPair: the values of the one with the
/// higher priority, or of each value the larger one.
[[nodiscard]] inline ContactMaterial combine(const Material& a, const Material& b) {
  if (a.priority < b.priority) return combine(b, b);
  if (a.priority > b.priority) return combine(a, a);
  const bool frictionless = a.frictionless && b.frictionless;
  return {frictionless ? 0.0 : std::max(a.friction, b.friction),
          std::max(a.restitution, b.restitution),
          std::max(a.restitution_threshold, b.restitution_threshold)};
}

/// What holds between the two materials of a pair.
[[nodiscard]] inline ContactMaterial contact_material(const MaterialPair& pair) {
  return {pair.friction, pair.restitution, pair.restitution_threshold};
}

}  // namespace stiction
