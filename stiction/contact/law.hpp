#pragma once

/// \file
/// The contact laws that a problem may be solved under, and the mode a contact is in.

#include <optional>
#include <string_view>

namespace stiction {

/// The three contact models. All agree on opening and sticking; they differ while a contact slips.
enum class Law {
  /// Signorini and Coulomb: the friction impulse opposes the slip velocity. The default.
  coulomb,
  /// Of all impulses in the cone that keep v_n = 0, the one that leaves the least kinetic energy
  /// [PCI] (8). The friction impulse need not oppose the slip exactly.
  max_dissipation,
  /// The convex relaxation [PCI] (7): a slider lifts off with v_n = µ|v_T|, so it hovers at a gap
  /// of
  /// hµ|v|.
  convex,
};

/// What a contact does: comes apart, holds, or slides.
enum class ContactMode { open, stick, slip };

std::string_view to_string(Law law);
std::string_view to_string(ContactMode mode);

/// `coulomb`, `max_dissipation` or `convex`; nothing for any other word.
std::optional<Law> parse_law(std::string_view word);

}  // namespace stiction
