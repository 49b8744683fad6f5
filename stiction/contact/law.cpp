#include "stiction/contact/law.hpp"

namespace stiction {

std::string_view to_string(Law law) {
  return static_cast<std::size_t>(law) < law_table.size() ? traits_of(law).name : "?";
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
  for (const LawTraits& row : law_table) {
    if (row.name == word) return row.law;
  }
  return std::nullopt;
}

}  // namespace stiction
