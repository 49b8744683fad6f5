#pragma once

/// \file
/// What the parts of ModelChecker share. Private to stiction/model.

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "stiction/core/problem.hpp"

namespace stiction {

/// The source that a reader gave, with the element's name filled in where it gave none.
inline Source named(const Source& source, std::string_view kind, const std::string& name) {
  Source result = source;
  if (result.element.empty()) result.element = fmt::format("{} '{}'", kind, name);
  return result;
}

inline bool finite_not_negative(double value) { return std::isfinite(value) && value >= 0.0; }

/// The remedy for an index that is out of range.
inline constexpr const char* renumber = "use the index that the builder returned";

}  // namespace stiction
