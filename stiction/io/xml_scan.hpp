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
  std::size_t offset = 0;  ///< where it starts, in bytes
  std::string what;
  std::string remedy;
};

/// Finds the first element nested deeper than `deepest`, or the first entity declaration. Says
/// nothing about text that is merely malformed: that is the parser's to explain.
std::optional<XmlHazard> scan_xml(std::string_view text, int deepest);

}  // namespace stiction
