#pragma once

/// \file
/// The laws of contact, and the mode of a contact.

#include <array>
#include <optional>
#include <string_view>

namespace stiction {

/// The laws of contact. They agree on sticking and differ while a contact slips; `convex` also lets
/// contacts slip that open under the others.
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
  /// A contact whose velocity without impulse separates has none. If not, it may slip all the same.
  bool opens_when_separating = false;
  /// Newton's method, the interior point method and ADMM know the law. If not, `hybrid` sweeps.
  bool solved_globally = false;
};

/// In the order of the enum. A new law needs a row here and its functions in laws.hpp and laws.cpp.
inline constexpr std::array law_table{
    LawTraits{.law = Law::coulomb,
              .name = "coulomb",
              .has_natural_map = true,
              .opens_when_separating = true,
              .solved_globally = true},
    LawTraits{
        .law = Law::max_dissipation, .name = "max_dissipation", .opens_when_separating = true},
    LawTraits{
        .law = Law::convex, .name = "convex", .has_natural_map = true, .solved_globally = true},
};
inline constexpr Law last_law = law_table.back().law;

/// Where the row of a law is. The compiler asks for a case for each value of the enum.
constexpr std::size_t law_row(Law law) {
  switch (law) {
    case Law::coulomb:
      return 0;
    case Law::max_dissipation:
      return 1;
    case Law::convex:
      return 2;
  }
  return 0;
}

constexpr const LawTraits& traits_of(Law law) { return law_table[law_row(law)]; }

static_assert(
    [] {
      for (std::size_t i = 0; i < law_table.size(); ++i) {
        if (static_cast<std::size_t>(law_table[i].law) != i || law_row(law_table[i].law) != i) {
          return false;
        }
      }
      return true;
    }(),
    "one row for each law, in the order of the enum");

/// Whether a contact separates, sticks or slides.
enum class ContactMode { open, stick, slip };

/// "?" for what is no law.
std::string_view to_string(Law law);
std::string_view to_string(ContactMode mode);

/// The law with this name; nothing for any other word.
std::optional<Law> parse_law(std::string_view word);

}  // namespace stiction
