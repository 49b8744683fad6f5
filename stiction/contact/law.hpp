#pragma once

/// \file
/// The laws of contact, and the mode of a contact.

#include <array>
#include <optional>
#include <string_view>

namespace stiction {

/// The laws of contact. They agree on opening and sticking, and differ while a contact slips.
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

/// What options, solvers and the certificate ask about a law. What it requires of one contact is in
/// laws.hpp.
struct LawTraits {
  Law law = Law::coulomb;
  std::string_view name;
  /// Impulses obey the law where the natural map of the friction cone vanishes. If not, only the
  /// distance to the exact answer of each contact is measured.
  bool has_natural_map = false;
  /// Newton's method, the interior point method and ADMM know the law. If not, `hybrid` sweeps.
  bool solved_globally = false;
};

/// In the order of the enum. A new law needs a row here and its functions in laws.hpp and laws.cpp.
inline constexpr std::array law_table{
    LawTraits{Law::coulomb, "coulomb", true, true},
    LawTraits{Law::max_dissipation, "max_dissipation", false, false},
    LawTraits{Law::convex, "convex", true, true},
};
inline constexpr Law last_law = law_table.back().law;

constexpr const LawTraits& traits_of(Law law) { return law_table[static_cast<std::size_t>(law)]; }

static_assert(
    [] {
      for (std::size_t i = 0; i < law_table.size(); ++i) {
        if (static_cast<std::size_t>(law_table[i].law) != i) return false;
      }
      return true;
    }(),
    "traits_of() looks rows up by the value of the enum");

/// Whether a contact separates, sticks or slides.
enum class ContactMode { open, stick, slip };

/// "?" for what is no law.
std::string_view to_string(Law law);
std::string_view to_string(ContactMode mode);

/// The law with this name; nothing for any other word.
std::optional<Law> parse_law(std::string_view word);

}  // namespace stiction
