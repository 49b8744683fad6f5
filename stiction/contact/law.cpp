#include "stiction/contact/law.hpp"

#include <array>

namespace stiction {

namespace {
constexpr std::array laws{Law::coulomb, Law::max_dissipation, Law::convex};
}

std::string_view to_string(Law law) {
  switch (law) {
    case Law::coulomb:
      return "coulomb";
    case Law::max_dissipation:
      return "max_dissipation";
    case Law::convex:
      return "convex";
  }
  return "?";
}

std::string_view to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::open:
      return "open";
    case ContactMode::stick:
      return "stick";
    case ContactMode::slip:
      return "slip";
  }
  return "?";
}

std::optional<Law> parse_law(std::string_view word) {
  for (const Law law : laws) {
    if (to_string(law) == word) return law;
  }
  return std::nullopt;
}

}  // namespace stiction
