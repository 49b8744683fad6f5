#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stiction/record/page.hpp"

namespace stiction {

namespace {

/// Counts of a file may be anything; a sum that has no room stays at the most there is.
void add(std::int32_t& sum, std::int32_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  sum = static_cast<std::int32_t>(std::min(std::int64_t{sum} + count, most));
}

/// What happened in the steps of `earlier` counts for `later`, too.
void take_over(RecordedFrame& later, const RecordedFrame& earlier) {
  later.worst_residual = std::max(later.worst_residual, earlier.worst_residual);
  later.deepest_overlap = std::max(later.deepest_overlap, earlier.deepest_overlap);
  add(later.iterations, earlier.iterations);
  add(later.not_certified, earlier.not_certified);
  add(later.steps, earlier.steps);
}

/// A frame a rounding error before its slot belongs to it.
constexpr double slot_rounding = 1e-6;

}  // namespace

PageFrames::PageFrames(const PageOptions& options)
    : frames_per_second_(options.frames_per_second) {}

void PageFrames::add(RecordedFrame frame) {
  if (frames_.empty()) start_ = frame.state.time;
  if (pending_) {
    take_over(frame, frames_.back());
    frames_.pop_back();
  }
  const double slot = std::floor((frame.state.time - start_) * frames_per_second_ + slot_rounding);
  pending_ = slot < next_;
  if (!pending_) next_ = slot + 1.0;
  frames_.push_back(std::move(frame));
}

std::vector<RecordedFrame> PageFrames::take() {
  pending_ = false;
  next_ = 0.0;
  return std::exchange(frames_, {});
}

}  // namespace stiction
