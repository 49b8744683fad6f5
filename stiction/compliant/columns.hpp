#pragma once

/// \file
/// Loops over columns whose length is padded to whole lanes, for small dense matrices.

#include <Eigen/Core>
#include <type_traits>

#include "stiction/core/scalar.hpp"

namespace stiction::columns {

using Index = Eigen::Index;

/// Elements that are handled at once. Columns are padded to multiples of four.
inline constexpr Index width = 4 % lane_width == 0 ? static_cast<Index>(lane_width) : 1;
using Pack = std::conditional_t<width == 1, double, Lane>;

[[gnu::always_inline]] inline Pack load(const double* x) {
  if constexpr (width == 1) {
    return Pack(*x);
  } else {
    return Lane::load_unaligned(x);
  }
}
[[gnu::always_inline]] inline void store(double* x, double value) { *x = value; }
[[gnu::always_inline]] inline void store(double* x, const Lane& value) { value.store_unaligned(x); }
[[gnu::always_inline]] inline double sum(double value) { return value; }
[[gnu::always_inline]] inline double sum(const Lane& value) { return sum_of_slots(value); }

/// The next multiple of four.
[[gnu::always_inline]] constexpr Index padded(Index rows) { return (rows + 3) & ~Index(3); }
/// The multiple of four at or before `row`.
[[gnu::always_inline]] constexpr Index lane_start(Index row) { return row & ~Index(3); }

/// y ← y + a x over [first, last), which are multiples of four.
[[gnu::always_inline]] inline void add_scaled(Index first, Index last, double a, const double* x,
                                              double* y) {
  const Pack factor(a);
  for (Index i = first; i < last; i += width) store(y + i, fma(factor, load(x + i), load(y + i)));
}

/// xᵀ y over [first, last), which are multiples of four.
[[gnu::always_inline]] inline double dot(Index first, Index last, const double* x,
                                         const double* y) {
  Pack total(0.0);
  for (Index i = first; i < last; i += width) total = fma(load(x + i), load(y + i), total);
  return sum(total);
}

/// Rows of four numbers, for vectors that are transformed together: a ← a + s b.
[[gnu::always_inline]] inline void add_scaled_four(double s, const double* b, double* a) {
  add_scaled(0, 4, s, b, a);
}

/// (a, b) ← (c a − s b, s a + c b) for rows of four numbers.
[[gnu::always_inline]] inline void rotate_four(double c, double s, double* a, double* b) {
  const Pack cosine(c);
  const Pack sine(s);
  for (Index k = 0; k < 4; k += width) {
    const Pack x = load(a + k);
    const Pack y = load(b + k);
    store(a + k, fnma(sine, y, cosine * x));
    store(b + k, fma(sine, x, cosine * y));
  }
}

}  // namespace stiction::columns
