#pragma once

/// \file
/// Sums and copies of the columns of small matrices in whole lanes, for ModeNewton.

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "stiction/core/scalar.hpp"

namespace stiction::column_lanes {

/// Columns of G have whole lanes if these divide four.
inline constexpr std::size_t width = 4 % lane_width == 0 ? lane_width : 1;

/// y[r] += a x[r], r in [0, last), which is a multiple of `width`.
[[gnu::always_inline]] inline void add_scaled(std::size_t last, double a,
                                              const double* __restrict x, double* __restrict y) {
  if constexpr (width == 1) {
    for (std::size_t r = 0; r < last; ++r) y[r] = fma(a, x[r], y[r]);
  } else {
    const Lane factor(a);
    for (std::size_t r = 0; r < last; r += width) {
      fma(factor, Lane::load_unaligned(x + r), Lane::load_unaligned(y + r)).store_unaligned(y + r);
    }
  }
}

/// Columns [first, last] of a system of `side` rows, in the `lanes` lanes from
/// `row` on: each gains its entry in row `pivot` times `factors`, then its entry
/// in the next row times `next_factors`.
template <std::size_t lanes>
void add_to_columns(double* A, std::size_t side, std::size_t pivot, std::size_t row,
                    std::size_t first, std::size_t last, const double* factors,
                    const double* next_factors) {
  Lane factor[lanes];
  Lane next_factor[lanes];
  for (std::size_t l = 0; l < lanes; ++l) {
    factor[l] = Lane::load_unaligned(factors + row + l * lane_width);
    next_factor[l] = Lane::load_unaligned(next_factors + row + l * lane_width);
  }
  const double to_next = factors[pivot + 1];
  for (std::size_t j = first; j <= last; ++j) {
    double* column = A + j * side;
    const double head = column[pivot];
    const Lane heads(head);
    const Lane next_heads(fma(head, to_next, column[pivot + 1]));
    for (std::size_t l = 0; l < lanes; ++l) {
      double* to = column + row + l * lane_width;
      const Lane sum = fma(heads, factor[l], Lane::load_unaligned(to));
      fma(next_heads, next_factor[l], sum).store_unaligned(to);
    }
  }
}

/// So many rows from `row` on, of so many columns, into a system of `side` rows.
/// Whole lanes if there is room: what follows is written later.
inline void copy_rows(const double* const* columns, std::size_t count, std::size_t row,
                      std::size_t rows, bool has_room, double* to, std::size_t side) {
  if (!has_room) {
    for (std::size_t j = 0; j < count; ++j) std::copy_n(columns[j] + row, rows, to + j * side);
    return;
  }
  for (std::size_t k = 0; k < rows; k += lane_width) {
    double* lane = to + k;
    for (std::size_t j = 0; j < count; ++j, lane += side) {
      Lane::load_unaligned(columns[j] + row + k).store_unaligned(lane);
    }
  }
}

/// to = base + the columns times their factors, in so many lanes.
template <std::size_t lanes>
void add_columns(const double* const* columns, const double* factors, std::size_t count,
                 const double* base, double* to) {
  Lane sums[lanes];
  for (std::size_t l = 0; l < lanes; ++l) sums[l] = Lane::load_unaligned(base + l * lane_width);
  for (std::size_t j = 0; j < count; ++j) {
    const Lane factor(factors[j]);
    for (std::size_t l = 0; l < lanes; ++l) {
      sums[l] = fma(factor, Lane::load_unaligned(columns[j] + l * lane_width), sums[l]);
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) sums[l].store_unaligned(to + l * lane_width);
}

template <std::size_t... lanes>
constexpr auto all_add_to_columns(std::index_sequence<lanes...>) {
  return std::array{add_to_columns<lanes + 1>...};
}
template <std::size_t... lanes>
constexpr auto all_add_columns(std::index_sequence<lanes...>) {
  return std::array{add_columns<lanes + 1>...};
}

}  // namespace stiction::column_lanes
