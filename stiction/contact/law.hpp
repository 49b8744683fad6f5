#pragma once

/// \file
/// The laws of contact, and the mode of a contact.

#include <optional>
#include <string_view>

namespace stiction {

/// The three laws of contact. They agree on opening and sticking, and differ while a contact slips.
enum class Law {
  /// Signorini and Coulomb: the friction impulse opposes the slip velocity. The default.
  coulomb,
  /// Among all impulses in the cone with v_n = 0, the one that leaves the least kinetic energy
  /// [PCI]
  /// (8). The friction impulse may not oppose the slip exactly.
  max_dissipation,
  /// The convex relaxation [PCI] (7): a sliding body lifts off with v_n = µ|v_T|, so it moves at a
  /// gap of hµ|v|.
  convex,
};

/// Whether a contact separates, sticks or slides.
enum class ContactMode { open, stick, slip };

std::string_view to_string(Law law);
std::string_view to_string(ContactMode mode);

/// The law named `coulomb`, `max_dissipation` or `convex`; nothing for any other word.
std::optional<Law> parse_law(std::string_view word);

}  // namespace stiction
