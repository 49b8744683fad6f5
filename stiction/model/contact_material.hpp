#pragma once

/// \file
/// How the materials of two shapes combine in a contact.

#include <algorithm>

#include "stiction/model/shape.hpp"

namespace stiction {

/// Material::friction_dimensions, where it is 0 by the coefficients.
[[nodiscard]] inline int friction_dimensions(const Material& material) {
  if (material.friction_dimensions != 0) return material.friction_dimensions;
  if (material.roll_friction > 0.0) return 6;
  return material.spin_friction > 0.0 ? 4 : 3;
}

/// Springs of two materials in series, whatever else decides about the contact.
[[nodiscard]] inline ContactMaterial with_springs(ContactMaterial contact, const Material& a,
                                                  const Material& b) {
  const auto in_series = [](double x, double y) { return 1.0 / (1.0 / x + 1.0 / y); };
  if (a.stiffness > 0.0 && b.stiffness > 0.0) {
    contact.stiffness = in_series(a.stiffness, b.stiffness);
    const bool both = a.damping > 0.0 && b.damping > 0.0;
    contact.damping = both ? in_series(a.damping, b.damping) : 0.0;
  } else {
    const Material& soft = a.stiffness > 0.0 ? a : b;
    contact.stiffness = soft.stiffness;
    contact.damping = soft.damping;
  }
  return contact;
}

/// What holds between two materials that have no MaterialPair, without springs: the values of the
/// one with the higher priority, or of each value the larger one.
[[nodiscard]] inline ContactMaterial combine_friction(const Material& a, const Material& b) {
  if (a.priority < b.priority) return combine_friction(b, b);
  if (a.priority > b.priority) return combine_friction(a, a);
  const bool frictionless = a.frictionless && b.frictionless;
  const int dimensions = std::max(friction_dimensions(a), friction_dimensions(b));
  return {frictionless ? 0.0 : std::max(a.friction, b.friction),
          std::max(a.restitution, b.restitution),
          std::max(a.restitution_threshold, b.restitution_threshold),
          dimensions >= 4 ? std::max(a.spin_friction, b.spin_friction) : 0.0,
          dimensions >= 6 ? std::max(a.roll_friction, b.roll_friction) : 0.0};
}

/// The same with springs.
[[nodiscard]] inline ContactMaterial combine(const Material& a, const Material& b) {
  return with_springs(combine_friction(a, b), a, b);
}

/// What holds between the two materials of a pair, without springs.
[[nodiscard]] inline ContactMaterial contact_material(const MaterialPair& pair) {
  return {pair.friction, pair.restitution, pair.restitution_threshold, pair.spin_friction,
          pair.roll_friction};
}

}  // namespace stiction
