#pragma once

/// \file
/// Sums and copies of the columns of small matrices in whole lanes, for ModeNewton.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "stiction/core/scalar.hpp"
#include "stiction/core/unroll.hpp"

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

/// 0, 1, 2, …
[[gnu::always_inline]] inline Lane places() {
  static constexpr auto numbers = [] {
    std::array<double, lane_width> each{};
    for (std::size_t i = 0; i < lane_width; ++i) each[i] = static_cast<double>(i);
    return each;
  }();
  return Lane::load_unaligned(numbers.data());
}

/// The lane with its elements up to index `last` set to zero.
[[gnu::always_inline]] inline Lane only_behind(std::ptrdiff_t last, const Lane& lane) {
  return select(places() > Lane(static_cast<double>(last)), lane, Lane(0.0));
}

/// The lane with its elements from index `first` on set to zero.
[[gnu::always_inline]] inline Lane only_before(std::size_t first, const Lane& lane) {
  return select(places() < Lane(static_cast<double>(first)), lane, Lane(0.0));
}

/// A system of `side` rows, column by column, the right-hand side the last of `count` + 1.
struct ColumnSystem {
  double* A = nullptr;
  std::size_t side = 0;  ///< whole lanes
  std::size_t count = 0;
  double* pivots = nullptr;  ///< their inverses
  double least_pivot = 0.0;
};

/// Eliminates pivots k and k + 1 (if it exists) from the rows below, in `lanes` lanes starting at
/// row `first`; false if a pivot is too small. Two pivots at a time halve the memory traffic. The
/// multipliers of the rows stay in registers, because a lane that was just written element by
/// element is slow to read.
template <std::size_t lanes>
bool eliminate_pair(const ColumnSystem& system, std::size_t k, std::size_t first) {
  const std::size_t side = system.side;
  const double* column = system.A + k * side;
  double* next = system.A + (k + 1) * side;
  if (!(std::abs(column[k]) > system.least_pivot)) return false;
  const double pivot = system.pivots[k] = 1.0 / column[k];
  if (k + 1 == system.count) return true;
  const double head = next[k];
  const double to_next = -pivot * column[k + 1];
  const double corner = fma(head, to_next, next[k + 1]);
  if (!(std::abs(corner) > system.least_pivot)) return false;
  const double next_pivot = system.pivots[k + 1] = 1.0 / corner;

  const auto behind = static_cast<std::ptrdiff_t>(k - first);  // -1: all
  Lane factor[lanes];
  Lane next_factor[lanes];
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    factor[l] = Lane(-pivot) * Lane::load_unaligned(column + first + l * lane_width);
  });
  factor[0] = only_behind(behind, factor[0]);
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    double* to = next + first + l * lane_width;
    const Lane sum = fma(Lane(head), factor[l], Lane::load_unaligned(to));
    sum.store_unaligned(to);
    next_factor[l] = Lane(-next_pivot) * sum;
  });
  next_factor[0] = only_behind(behind + 1, next_factor[0]);
  for (std::size_t j = k + 2; j <= system.count; ++j) {
    double* other = system.A + j * side;
    const Lane heads(other[k]);
    const Lane next_heads(fma(other[k], to_next, other[k + 1]));
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      double* to = other + first + l * lane_width;
      const Lane sum = fma(heads, factor[l], Lane::load_unaligned(to));
      fma(next_heads, next_factor[l], sum).store_unaligned(to);
    });
  }
  return true;
}

/// One number of a lane in all of them.
template <std::size_t slot>
[[gnu::always_inline]] inline Lane spread(const Lane& lane) {
#if defined(STICTION_FOUR_DOUBLES)
  return spread_slot<slot>(lane);
#else
  return Lane(lane.get(slot));
#endif
}

/// y = L⁻¹ y with the factors that eliminate_pair() left; y has `side` numbers. The numbers of one
/// lane of y follow from each other in registers, those below from all of them at once.
inline void substitute_forwards(const ColumnSystem& system, double* y) {
  for (std::size_t k = 0; k < system.side; k += lane_width) {
    const double* columns[lane_width];
    Lane factor[lane_width];  // −y_k / pivot, of each number
    Lane own = Lane::load_unaligned(y + k);
    unroll<lane_width>([&](auto e) __attribute__((always_inline)) {
      // Columns behind the last one repeat it, with the factor zero.
      columns[e] = system.A + std::min(k + e, system.count - 1) * system.side;
      const Lane scaled =
          Lane(-system.pivots[k + e]) *
          only_behind(static_cast<std::ptrdiff_t>(e), Lane::load_unaligned(columns[e] + k));
      const Lane spread_out = spread<e>(own);
      own = fma(spread_out, scaled, own);
      factor[e] = Lane(-system.pivots[k + e]) * spread_out;
    });
    own.store_unaligned(y + k);
    for (std::size_t i = k + lane_width; i < system.side; i += lane_width) {
      Lane sum = Lane::load_unaligned(y + i);
      unroll<lane_width>([&](auto e) __attribute__((always_inline)) {
        sum = fma(factor[e], Lane::load_unaligned(columns[e] + i), sum);
      });
      sum.store_unaligned(y + i);
    }
  }
}

/// y = U⁻¹ y, in the same way.
inline void substitute_backwards(const ColumnSystem& system, double* y) {
  for (std::size_t k = system.side; k > 0;) {
    k -= lane_width;
    const double* columns[lane_width];
    Lane factor[lane_width];  // −y_k, of each number
    const Lane pivots = Lane::load_unaligned(system.pivots + k);
    Lane own = Lane::load_unaligned(y + k);
    unroll<lane_width>([&](auto reverse) __attribute__((always_inline)) {
      constexpr std::size_t e = lane_width - 1 - decltype(reverse)::value;
      columns[e] = system.A + std::min(k + e, system.count - 1) * system.side;
      const Lane scaled =
          Lane(-system.pivots[k + e]) * only_before(e, Lane::load_unaligned(columns[e] + k));
      const Lane spread_out = spread<e>(own);
      own = fma(spread_out, scaled, own);
      factor[e] = Lane(-system.pivots[k + e]) * spread_out;
    });
    (own * pivots).store_unaligned(y + k);
    for (std::size_t i = 0; i < k; i += lane_width) {
      Lane sum = Lane::load_unaligned(y + i);
      unroll<lane_width>([&](auto e) __attribute__((always_inline)) {
        sum = fma(factor[e], Lane::load_unaligned(columns[e] + i), sum);
      });
      sum.store_unaligned(y + i);
    }
  }
}

/// Copies `rows` rows, starting at `row`, of `count` columns into a system of `side` rows. If
/// `has_room`, whole lanes are copied; the surplus elements are overwritten later.
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

/// to = base + Σ factor · column, over `lanes` lanes starting at row `first`.
template <std::size_t lanes>
void add_columns(const double* const* columns, const double* factors, std::size_t count,
                 const double* base, double* to, std::size_t first) {
  base += first;
  to += first;
  Lane sums[lanes];
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    sums[l] = Lane::load_unaligned(base + l * lane_width);
  });
  for (std::size_t j = 0; j < count; ++j) {
    const Lane factor(factors[j]);
    const double* column = columns[j] + first;
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      sums[l] = fma(factor, Lane::load_unaligned(column + l * lane_width), sums[l]);
    });
  }
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    sums[l].store_unaligned(to + l * lane_width);
  });
}

/// Longer columns are taken in parts: code for every length would grow with its square.
inline constexpr std::size_t longest_part = 18;  // [lanes]

template <std::size_t... lanes>
constexpr auto all_eliminate_pair(std::index_sequence<lanes...>) {
  return std::array{eliminate_pair<lanes + 1>...};
}
template <std::size_t... lanes>
constexpr auto all_add_columns(std::index_sequence<lanes...>) {
  return std::array{add_columns<lanes + 1>...};
}

}  // namespace stiction::column_lanes
