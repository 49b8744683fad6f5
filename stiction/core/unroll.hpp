#pragma once

/// \file
/// Loops whose number of rounds is known, written out.
///
/// A local array of lanes stays in registers only if every index into it is a constant before the
/// optimizer looks at arrays, which is before it unrolls loops. Sums in an inner loop would
/// otherwise go through memory, and each would wait for the one before.

#include <cstddef>
#include <utility>

namespace stiction {

/// body(i) for i = 0, 1, … count − 1, where i is a constant expression. Lambdas that are given here
/// should be always_inline.
template <std::size_t count, class Body>
[[gnu::always_inline]] inline void unroll(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<count>{});
}

}  // namespace stiction
