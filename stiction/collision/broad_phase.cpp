#include "stiction/collision/broad_phase.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stiction {

namespace {

/// A level of so few boxes has no grid: each smaller box is compared with all of them.
constexpr int few_boxes = 12;
/// Sizes that differ by less than this power of two share a level.
constexpr int octaves_per_level = 2;
constexpr std::size_t level_keys = 256 / octaves_per_level;

float extent(const BroadBox& box) {
  return std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
}

/// Which level a box of this size belongs to: from the exponent of the number.
std::size_t level_key(float size) {
  const auto exponent = (std::bit_cast<std::uint32_t>(size) >> 23) & 0xFFU;
  return exponent / octaves_per_level;
}

/// Exact in double precision.
double center(const BroadBox& box, std::size_t axis) {
  return 0.5 * (static_cast<double>(box.low[axis]) + static_cast<double>(box.high[axis]));
}

/// The cell of a coordinate; outside of the grid the nearest one.
int cell_index(double coordinate, double origin, double inverse_cell, int cells) {
  const double place = (coordinate - origin) * inverse_cell;
  if (!(place > 0.0)) return 0;
  return place < cells ? static_cast<int>(place) : cells - 1;
}

/// Where boxes lie along each axis.
struct Spread {
  std::array<double, 3> low;
  std::array<double, 3> high;

  /// Cells of edge `cell` that cover everything.
  [[nodiscard]] double cells(double cell) const {
    double product = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      product *= std::floor((high[axis] - low[axis]) / cell) + 1.0;
    }
    return product;
  }
};

Spread spread_of(std::span<const BroadBox> boxes) {
  Spread spread;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = center(boxes[0], axis);
    double high = low;
    for (const BroadBox& box : boxes) {
      low = std::min(low, center(box, axis));
      high = std::max(high, center(box, axis));
    }
    spread.low[axis] = low;
    spread.high[axis] = high;
  }
  return spread;
}

/// Leaves out what lies more than three standard deviations away from the mean.
void leave_out_far_boxes(std::span<const BroadBox> boxes, Spread& spread) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0.0;
    for (const BroadBox& box : boxes) sum += center(box, axis);
    const double mean = sum / static_cast<double>(boxes.size());
    double squares = 0.0;
    for (const BroadBox& box : boxes) {
      squares += (center(box, axis) - mean) * (center(box, axis) - mean);
    }
    const double wide = 3.0 * std::sqrt(squares / static_cast<double>(boxes.size()));
    spread.low[axis] = std::max(spread.low[axis], mean - wide);
    spread.high[axis] = std::min(spread.high[axis], mean + wide);
  }
}

}  // namespace

BroadBox make_broad_box(int index, const Vector3<double>& center, const Vector3<double>& half) {
  // Twice the largest rounding error, and a little for numbers near zero.
  constexpr double relative = 0x1p-23;
  constexpr double absolute = 1e-30;
  const auto down = [](double x) {
    return static_cast<float>(x - (relative * std::abs(x) + absolute));
  };
  const auto up = [](double x) {
    return static_cast<float>(x + (relative * std::abs(x) + absolute));
  };
  return {{down(center.x - half.x), down(center.y - half.y), down(center.z - half.z)},
          {up(center.x + half.x), up(center.y + half.y), up(center.z + half.z)},
          index};
}

std::span<const BroadPair> BroadPhase::find(std::span<const BroadBox> boxes, std::size_t most) {
  pair_count_ = 0;
  most_ = most;
  if (boxes.size() < 2) return {};
  sort_by_size(boxes);
  starts_.clear();
  for (Level& level : levels_) sort_by_cell(level);
  for (std::size_t fine = 0; fine < levels_.size(); ++fine) {
    pair_within(levels_[fine]);
    for (std::size_t coarse = fine + 1; coarse < levels_.size(); ++coarse) {
      pair_between(levels_[fine], levels_[coarse]);
    }
  }
  return std::span(pairs_).first(pair_count_);
}

void BroadPhase::sort_by_size(std::span<const BroadBox> boxes) {
  std::array<int, level_keys + 1> ends{};
  for (const BroadBox& box : boxes) ++ends[level_key(extent(box)) + 1];
  levels_.clear();
  for (std::size_t key = 0; key < level_keys; ++key) {
    if (ends[key + 1] > 0) {
      Level& level = levels_.emplace_back();
      level.begin = ends[key];
      level.end = ends[key] + ends[key + 1];
    }
    ends[key + 1] += ends[key];
  }
  unsorted_.resize(boxes.size());
  sorted_.resize(boxes.size());
  cell_of_.resize(boxes.size());
  for (const BroadBox& box : boxes) {
    unsorted_[static_cast<std::size_t>(ends[level_key(extent(box))]++)] = box;
  }
}

void BroadPhase::lay_grid(Level& level, std::span<const BroadBox> boxes) {
  float largest = 1e-30F;
  for (const BroadBox& box : boxes) largest = std::max(largest, extent(box));
  // A little more than the largest box, so that rounding moves no neighbour out of reach.
  double cell = 1.000001 * static_cast<double>(largest);
  const double most_cells = 4.0 * static_cast<double>(boxes.size());
  Spread spread = spread_of(boxes);
  if (!(spread.cells(cell) <= most_cells)) leave_out_far_boxes(boxes, spread);
  while (!(spread.cells(cell) <= most_cells) && cell < 1e300) cell *= 2.0;
  if (!(spread.cells(cell) <= most_cells)) return;  // numbers overflow: one cell for all
  level.cell = cell;
  level.inverse_cell = 1.0 / cell;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    level.origin[axis] = spread.low[axis];
    level.cells[axis] =
        static_cast<int>(std::floor((spread.high[axis] - spread.low[axis]) / cell)) + 1;
  }
}

void BroadPhase::sort_by_cell(Level& level) {
  const auto begin = static_cast<std::size_t>(level.begin);
  const auto count = static_cast<std::size_t>(level.end - level.begin);
  const auto boxes = std::span<const BroadBox>(unsorted_).subspan(begin, count);
  if (level.end - level.begin > few_boxes) lay_grid(level, boxes);
  const auto [nx, ny, nz] = level.cells;
  const auto cells = static_cast<std::size_t>(nx * ny * nz);
  level.first_start = starts_.size();
  starts_.resize(level.first_start + cells + 1, 0);
  int* const starts = starts_.data() + level.first_start;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<int, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at[axis] = cell_index(center(boxes[i], axis), level.origin[axis], level.inverse_cell,
                            level.cells[axis]);
    }
    const int cell = (at[2] * ny + at[1]) * nx + at[0];
    cell_of_[begin + i] = cell;
    ++starts[cell];
  }
  int place = level.begin;
  for (std::size_t i = 0; i <= cells; ++i) {
    const int in_cell = starts[i];
    starts[i] = place;
    place += in_cell;
  }
  for (std::size_t i = 0; i < count; ++i) {
    sorted_[static_cast<std::size_t>(starts[cell_of_[begin + i]]++)] = boxes[i];
  }
  // Each start was moved on to the next one.
  for (std::size_t i = cells; i > 0; --i) starts[i] = starts[i - 1];
  starts[0] = level.begin;
}

void BroadPhase::scan(const BroadBox& box, int begin, int end) {
  if (overflowed()) return;
  const auto room = pair_count_ + static_cast<std::size_t>(std::max(end - begin, 0));
  if (pairs_.size() < room) pairs_.resize(2 * room);
  BroadPair* to = pairs_.data() + pair_count_;
  for (int i = begin; i < end; ++i) {
    const BroadBox& other = sorted_[static_cast<std::size_t>(i)];
    *to = {std::min(box.index, other.index), std::max(box.index, other.index)};
    to += overlap(box, other) ? 1 : 0;
  }
  pair_count_ = static_cast<std::size_t>(to - pairs_.data());
}

void BroadPhase::pair_within(const Level& level) {
  const int* const starts = starts_.data() + level.first_start;
  const auto [nx, ny, nz] = level.cells;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const int row = (z * ny + y) * nx;
        const int begin = starts[row + x];
        const int end = starts[row + x + 1];
        if (begin == end) continue;
        // Half of the neighbours, the other half sees this cell as its own neighbour.
        const int left = std::max(x - 1, 0);
        const int right = std::min(x + 2, nx);
        std::array<std::array<int, 2>, 4> ranges{};
        std::size_t count = 0;
        if (y + 1 < ny) ranges[count++] = {starts[row + nx + left], starts[row + nx + right]};
        if (z + 1 < nz) {
          for (int other = std::max(y - 1, 0); other < std::min(y + 2, ny); ++other) {
            const int there = ((z + 1) * ny + other) * nx;
            ranges[count++] = {starts[there + left], starts[there + right]};
          }
        }
        for (int i = begin; i < end; ++i) {
          const BroadBox box = sorted_[static_cast<std::size_t>(i)];
          scan(box, i + 1, starts[row + right]);
          for (std::size_t k = 0; k < count; ++k) scan(box, ranges[k][0], ranges[k][1]);
        }
      }
    }
  }
}

void BroadPhase::pair_between(const Level& fine, const Level& coarse) {
  const int* const starts = starts_.data() + coarse.first_start;
  for (int i = fine.begin; i < fine.end; ++i) {
    const BroadBox box = sorted_[static_cast<std::size_t>(i)];
    if (coarse.inverse_cell == 0.0) {
      scan(box, coarse.begin, coarse.end);
      continue;
    }
    std::array<int, 3> from{};
    std::array<int, 3> to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // A box of the coarse level reaches half a cell beyond its centre.
      from[axis] = cell_index(static_cast<double>(box.low[axis]) - 0.5 * coarse.cell,
                              coarse.origin[axis], coarse.inverse_cell, coarse.cells[axis]);
      to[axis] = cell_index(static_cast<double>(box.high[axis]) + 0.5 * coarse.cell,
                            coarse.origin[axis], coarse.inverse_cell, coarse.cells[axis]);
    }
    for (int z = from[2]; z <= to[2]; ++z) {
      for (int y = from[1]; y <= to[1]; ++y) {
        const int row = (z * coarse.cells[1] + y) * coarse.cells[0];
        scan(box, starts[row + from[0]], starts[row + to[0] + 1]);
      }
    }
  }
}

}  // namespace stiction
