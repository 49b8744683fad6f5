#pragma once

/// \file
/// Numbers on their way between records in memory, one per slot, and lanes.

#include <array>
#include <cstddef>
#include <utility>

#include "stiction/core/scalar.hpp"

namespace stiction {

/// The lane whose slot k holds number(k).
template <class Number>
[[gnu::always_inline]] inline Lane make_lane(const Number& number) {
  return [&]<std::size_t... slot>(std::index_sequence<slot...>) __attribute__((always_inline)) {
    return Lane{number(slot)...};
  }
  (std::make_index_sequence<lane_width>());
}

namespace lane_detail {

using Square = std::array<Lane, lane_width>;

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(Square& m) {
#if defined(STICTION_FOUR_DOUBLES)
  stiction::transpose(m[0], m[1], m[2], m[3]);
#else
  double values[lane_width][lane_width];
  for (std::size_t i = 0; i < lane_width; ++i) m[i].store_unaligned(values[i]);
  for (std::size_t i = 0; i < lane_width; ++i) {
    m[i] = make_lane([&](std::size_t slot) { return values[slot][i]; });
  }
#endif
}

/// Calls `pass(k)` so that the squares [k, k + lane_width) cover `count` numbers; the last may
/// overlap the one before it.
template <std::size_t count, class Pass>
[[gnu::always_inline]] inline void for_each_square(const Pass& pass) {
  static_assert(count >= lane_width);
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (pass(i * lane_width), ...);
  }
  (std::make_index_sequence<count / lane_width>());
  if constexpr (count % lane_width != 0) pass(count - lane_width);
}

}  // namespace lane_detail

/// Reads `count` numbers in a row of each source into as many lanes.
template <std::size_t count>
[[gnu::always_inline]] inline void gather_records(
    const std::array<const double*, lane_width>& sources, Lane* lanes) {
  if constexpr (count < lane_width) {
    for (std::size_t k = 0; k < count; ++k) {
      lanes[k] = make_lane([&](std::size_t slot) { return sources[slot][k]; });
    }
  } else {
    lane_detail::for_each_square<count>([&](std::size_t k) __attribute__((always_inline)) {
      lane_detail::Square m;
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        m[slot] = Lane::load_unaligned(sources[slot] + k);
      }
      lane_detail::transpose(m);
      for (std::size_t i = 0; i < lane_width; ++i) lanes[k + i] = m[i];
    });
  }
}

/// Writes `count` lanes as `count` consecutive numbers into each target.
template <std::size_t count>
[[gnu::always_inline]] inline void scatter_records(const Lane* lanes,
                                                   const std::array<double*, lane_width>& targets) {
  if constexpr (count < lane_width) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        targets[slot][k] = lane_value(lanes[k], slot);
      }
    }
  } else {
    lane_detail::for_each_square<count>([&](std::size_t k) __attribute__((always_inline)) {
      lane_detail::Square m;
      for (std::size_t i = 0; i < lane_width; ++i) m[i] = lanes[k + i];
      lane_detail::transpose(m);
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        m[slot].store_unaligned(targets[slot] + k);
      }
    });
  }
}

}  // namespace stiction
