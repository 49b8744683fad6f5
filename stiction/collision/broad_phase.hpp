#pragma once

/// \file
/// Which of many boxes overlap.
///
/// Boxes are sorted into grids by their centres, one grid for each range of sizes, whose cells are
/// as large as its largest box: then overlapping boxes of one grid lie in neighbouring cells. Boxes
/// outside a grid count to its border cells, so a body that flies away costs nothing. Everything is
/// made anew in each call in time proportional to the number of boxes, and the result depends on
/// the boxes alone. Measured against other ways in docs/decisions/0011-grids-as-broad-phase.md.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// A box along the world axes, rounded outwards to single precision.
struct BroadBox {
  std::array<float, 3> low{};   ///< [m]
  std::array<float, 3> high{};  ///< [m]
  std::int32_t index = 0;       ///< what the caller calls it
};

/// The box about a centre [m] with half extents [m].
[[nodiscard]] BroadBox make_broad_box(int index, const Vector3<double>& center,
                                      const Vector3<double>& half);

[[nodiscard]] inline bool overlap(const BroadBox& a, const BroadBox& b) {
  // Not && but &: six comparisons take less time than one branch that is predicted wrongly.
  const auto overlaps_along = [&](std::size_t k) {
    return static_cast<int>(a.low[k] <= b.high[k]) & static_cast<int>(b.low[k] <= a.high[k]);
  };
  return (overlaps_along(0) & overlaps_along(1) & overlaps_along(2)) != 0;
}

/// Two boxes that overlap, by the caller's index, the smaller one first.
struct BroadPair {
  std::int32_t a = 0;
  std::int32_t b = 0;
  friend bool operator==(const BroadPair&, const BroadPair&) = default;
};

/// Keeps its memory: once as many boxes and pairs have been seen, nothing is allocated.
class BroadPhase {
 public:
  /// All pairs of boxes that overlap, each once, in an order that depends on the boxes alone. The
  /// span lasts until the next call. With more than about `most` pairs it stops, and those that it
  /// returns are not all.
  [[nodiscard]] std::span<const BroadPair> find(
      std::span<const BroadBox> boxes, std::size_t most = std::numeric_limits<std::size_t>::max());
  [[nodiscard]] bool overflowed() const { return pair_count_ > most_; }

 private:
  /// Boxes of about the same size, in a grid of their own.
  struct Level {
    int begin = 0;  ///< its boxes are [begin, end) of sorted_
    int end = 0;
    double inverse_cell = 0.0;       ///< 1 / edge of a cell [1/m]; 0: one cell for all
    double cell = 0.0;               ///< edge of a cell, at least that of the largest box [m]
    std::array<double, 3> origin{};  ///< lower corner [m]
    std::array<int, 3> cells{1, 1, 1};
    std::size_t first_start = 0;  ///< its cells begin there in starts_
  };

  void sort_by_size(std::span<const BroadBox> boxes);
  /// Chooses cells; leaves one for all where numbers overflow.
  static void lay_grid(Level& level, std::span<const BroadBox> boxes);
  void sort_by_cell(Level& level);
  void pair_within(const Level& level);
  void pair_between(const Level& fine, const Level& coarse);
  void scan(const BroadBox& box, int begin, int end);

  std::vector<Level> levels_;       ///< ascending sizes
  std::vector<BroadBox> sorted_;    ///< by level, then by cell
  std::vector<BroadBox> unsorted_;  ///< by level
  std::vector<int> cell_of_;        ///< of each box of unsorted_
  std::vector<int> starts_;         ///< of each level's cells in sorted_, and one more each
  std::vector<BroadPair> pairs_;
  std::size_t pair_count_ = 0;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace stiction
