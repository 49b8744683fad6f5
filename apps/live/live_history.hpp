#pragma once

/// \file
/// The past of a live simulation: whole states, so that any of them can be gone on from.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "stiction/record/page.hpp"

namespace stiction {

struct LiveFrame {
  RecordedFrame record;
  std::uint64_t hash = 0;            ///< of the state
  std::vector<PulledPoint> pulls{};  ///< in the last step
};

struct HistoryLimits {
  std::size_t frames = 20000;
  std::size_t bytes = std::size_t{512} << 20;
};

/// Frames with consecutive numbers. The oldest are dropped when there are too many; the newest
/// never is.
class LiveHistory {
 public:
  explicit LiveHistory(HistoryLimits limits = {}) : limits_(limits) {}

  /// Forgets everything; `frame` gets number 0.
  void restart(LiveFrame frame);
  void push(LiveFrame frame);
  /// Forgets the frames behind this one, which must be kept.
  void truncate_after(std::int64_t number);

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const {
    return first_ + static_cast<std::int64_t>(frames_.size()) - 1;
  }
  [[nodiscard]] bool has(std::int64_t number) const {
    return number >= first() && number <= last();
  }
  [[nodiscard]] const LiveFrame& frame(std::int64_t number) const {
    return frames_[static_cast<std::size_t>(number - first_)];
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  HistoryLimits limits_;
  std::deque<LiveFrame> frames_;
  std::int64_t first_ = 0;
  std::size_t bytes_ = 0;  ///< of all frames, without what the allocator adds
};

}  // namespace stiction
