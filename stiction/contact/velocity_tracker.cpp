#include "stiction/contact/velocity_tracker.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "stiction/core/unroll.hpp"

namespace stiction {

namespace {

/// Largest dense problem, in lanes, whose velocities are summed in registers.
constexpr std::size_t most_lanes = 12;

/// w += G λ for `rows` columns of `lanes` whole lanes, column by column as apply() does it.
template <std::size_t lanes>
void add_all(const double* G, const double* impulse, std::size_t rows, double* w) {
  Lane sums[lanes];
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    sums[l] = Lane::load_unaligned(w + l * lane_width);
  });
  for (std::size_t j = 0; j < rows; ++j, G += lanes * lane_width) {
    const Lane factor(impulse[j]);
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      sums[l] = fma(Lane::load_unaligned(G + l * lane_width), factor, sums[l]);
    });
  }
  unroll<lanes>([&](auto l) __attribute__((always_inline)) {
    sums[l].store_unaligned(w + l * lane_width);
  });
}

using AddAll = void (*)(const double*, const double*, std::size_t, double*);
template <std::size_t... lanes>
constexpr std::array<AddAll, sizeof...(lanes)> by_lanes(std::index_sequence<lanes...>) {
  return {add_all<lanes + 1>...};
}

/// Below this number of rows, whole columns are faster than looking for the rows that are not zero.
constexpr int least_rows_for_segments = 64;
/// So many columns tell whether the matrix is full, as that of one robot is: then no column has
/// segments.
constexpr int probed_columns = 6;

/// Calls `run.operator()<storage>()` for the problem's storage.
template <class Run>
void by_storage(const ContactProblem& problem, const Run& run) {
  if (problem.storage() == DelassusStorage::dense) {
    run.template operator()<DelassusStorage::dense>();
  } else {
    run.template operator()<DelassusStorage::bodies>();
  }
}

}  // namespace

void VelocityTracker::start(const ContactProblem& problem, std::span<const double> impulse) {
  problem_ = &problem;
  segment_first_.clear();
  segments_.clear();
  if (problem.storage() == DelassusStorage::dense) {
    columns_ = problem.delassus().data();
    stride_ = static_cast<std::size_t>(problem.delassus().outerStride());
    velocity_.resize(stride_);
    whole_ = {0, static_cast<int>(stride_)};
    if (problem.row_count() >= least_rows_for_segments && !looks_full()) find_segments();
  } else {
    body_velocity_.resize(6 * index(problem.body_count()));
  }
  refresh(impulse);
}

/// Whether most rows of some columns are not zero. It decides about the time only: sums of whole
/// columns are the same numbers.
bool VelocityTracker::looks_full() const {
  const int rows = problem_->row_count();
  for (int k = 0; k < probed_columns; ++k) {
    const double* column = columns_ + index(k * (rows - 1) / (probed_columns - 1)) * stride_;
    if (2 * std::count(column, column + rows, 0.0) >= rows) return false;
  }
  return true;
}

void VelocityTracker::find_segments() {
  segment_first_.push_back(0);
  for (int i = 0; i < problem_->block_count(); ++i) {
    add_segments(i);
    segment_first_.push_back(segments_.size());
  }
}

/// Neighbours that follow each other in the rows make one segment.
void VelocityTracker::add_segments(int block) {
  const std::size_t begin = segments_.size();
  const auto blocks = problem_->blocks();
  int rows = 0;
  const auto add = [&](int i) {
    const Block& b = blocks[index(i)];
    rows += b.rows;
    if (segments_.size() > begin && segments_.back().second == b.row) {
      segments_.back().second += b.rows;
    } else {
      segments_.emplace_back(b.row, b.row + b.rows);
    }
  };
  bool added = false;
  for (const int neighbour : problem_->neighbours(block)) {
    if (!added && neighbour > block) {
      add(block);
      added = true;
    }
    add(neighbour);
  }
  if (!added) add(block);
  if (2 * rows > problem_->row_count()) {
    segments_.resize(begin);
    segments_.push_back(whole_);
  }
}

void VelocityTracker::refresh(std::span<const double> impulse) {
  if (problem_->storage() == DelassusStorage::dense) {
    const auto end = std::ranges::copy(problem_->shifted_velocity(), velocity_.begin()).out;
    std::fill(end, velocity_.end(), 0.0);
    static constexpr auto add = by_lanes(std::make_index_sequence<most_lanes>{});
    const std::size_t lanes = stride_ / lane_width;
    if (lane_width == 4 && lanes >= 1 && lanes <= most_lanes) {
      add[lanes - 1](columns_, impulse.data(), index(problem_->row_count()), velocity_.data());
      return;
    }
  } else {
    std::ranges::fill(body_velocity_, 0.0);
  }
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double* lambda = impulse.data() + block.row;
    if (std::any_of(lambda, lambda + block.rows, [](double x) { return x != 0.0; })) {
      apply(i, lambda);
    }
  }
}

void VelocityTracker::read(int block, double* velocity) const {
  by_storage(*problem_, [&]<DelassusStorage storage>() {
    for (int r = 0; r < problem_->blocks()[index(block)].rows; ++r) {
      velocity[r] = read_row<storage>(block, r);
    }
  });
}

void VelocityTracker::apply(int block, const double* change) {
  by_storage(*problem_, [&]<DelassusStorage storage>() {
    const Block& b = problem_->blocks()[index(block)];
    if (b.rows == 3) {
      apply_contact<storage>(block, {change[0], change[1], change[2]});
      return;
    }
    for (int r = 0; r < b.rows; ++r) apply_row<storage>(block, r, change[r]);
  });
}

void VelocityTracker::read_all(std::span<double> velocity) const {
  if (problem_->storage() == DelassusStorage::dense) {
    std::copy_n(velocity_.begin(), velocity.size(), velocity.begin());
    return;
  }
  for (int i = 0; i < problem_->block_count(); ++i) {
    read(i, velocity.data() + first_row(i));
  }
}

}  // namespace stiction
