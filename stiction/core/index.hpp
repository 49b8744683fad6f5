#pragma once

/// \file
/// Signed numbers as indices into standard containers.

#include <concepts>
#include <cstddef>

namespace stiction {

/// The index of a container element from a signed number, which must not be negative.
template <std::signed_integral Integer>
[[nodiscard, gnu::always_inline]] constexpr std::size_t index(Integer i) {
  return static_cast<std::size_t>(i);
}

}  // namespace stiction
