#pragma once

/// \file
/// Numbers on their way between the records of single bodies and the rows of LimbLanes.

#include <array>
#include <cstddef>
#include <utility>

#include "stiction/core/lane_records.hpp"
#include "stiction/dynamics/limb_lanes.hpp"

namespace stiction {

/// The kernels broadcast what they read of BodyConstants; RowConstants has its lanes already.
template <Scalar S>
[[gnu::always_inline]] inline const Vector3<Lane>& broadcast(const Vector3<Lane>& v) {
  return v;
}
template <Scalar S>
[[gnu::always_inline]] inline const Matrix3<Lane>& broadcast(const Matrix3<Lane>& m) {
  return m;
}
template <Scalar S>
[[gnu::always_inline]] inline const Symmetric3<Lane>& broadcast(const Symmetric3<Lane>& m) {
  return m;
}

/// The numbers of a record (a vector, an inertia, BodyData), one behind the other.
template <template <Scalar> class Record, Scalar S>
[[gnu::always_inline]] inline S* numbers(Record<S>& record) {
  static_assert(sizeof(Record<S>) % sizeof(S) == 0);
  return reinterpret_cast<S*>(&record);
}
template <template <Scalar> class Record, Scalar S>
[[gnu::always_inline]] inline const S* numbers(const Record<S>& record) {
  return reinterpret_cast<const S*>(&record);
}

/// Entry `k` behind each of the `first` ones.
[[gnu::always_inline]] inline Lane gather(const double* entries,
                                          const std::array<int, lane_width>& first,
                                          std::size_t k = 0) {
  return make_lane([&](std::size_t slot) __attribute__((always_inline)) {
    return entries[static_cast<std::size_t>(first[slot]) + k];
  });
}

[[gnu::always_inline]] inline void scatter(const Lane& value, double* entries,
                                           const std::array<int, lane_width>& first,
                                           std::size_t k = 0) {
  alignas(Lane) double values[lane_width];
  value.store_aligned(values);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    entries[static_cast<std::size_t>(first[slot]) + k] = values[slot];
  }
}

/// One pointer per slot: `find(index of the slot)`.
template <class Find>
[[gnu::always_inline]] inline auto for_slots(const std::array<int, lane_width>& indices,
                                             const Find& find) {
  std::array<decltype(find(std::size_t{})), lane_width> result;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    result[slot] = find(static_cast<std::size_t>(indices[slot]));
  }
  return result;
}

/// Reads a whole record per slot, `find(index of the slot)`, into a record of lanes.
template <template <Scalar> class Record, class Find>
[[gnu::always_inline]] inline void gather_whole(const std::array<int, lane_width>& indices,
                                                const Find& find, Record<Lane>& lanes) {
  constexpr std::size_t count = sizeof(lanes) / sizeof(Lane);
  gather_records<count>(
      for_slots(
          indices, [&](std::size_t i) __attribute__((always_inline)) { return numbers(find(i)); }),
      numbers(lanes));
}

}  // namespace stiction
