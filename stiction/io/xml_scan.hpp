#pragma once

/// \file
/// A linear look over raw XML text, before any parser that might recurse or expand entities sees
/// it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stiction {

/// Why a text should not be given to a parser.
struct XmlHazard {
  std::size_t offset = 0;  ///< where it is, in bytes
  /// Start of an element that has to do with it.
  std::optional<std::size_t> opened;
  std::string what;
  std::string remedy;
};

/// What a text may have at most.
struct XmlBounds {
  std::size_t depth = 200;                ///< elements within elements
  std::size_t elements = 1'000'000;       ///< in the whole text
  std::size_t attributes_of_one = 1'000;  ///< of one element
};

/// Finds the first of: more than the bounds allow, an entity declaration, a comment that is not
/// closed, a closing tag for another element than the open one, an element that is never closed.
/// Other faults are the parser's to explain; these it would place badly or not survive.
std::optional<XmlHazard> scan_xml(std::string_view text, const XmlBounds& bounds);

}  // namespace stiction
