#include "apps/live/live_history.hpp"

#include <utility>

namespace stiction {

namespace {

std::size_t bytes_of(const LiveFrame& frame) {
  const State& state = frame.record.state;
  const auto numbers = static_cast<std::size_t>(
      state.q.size() + state.v.size() + state.activation.size() + frame.record.joint_forces.size() +
      frame.record.actuator_forces.size());
  return sizeof(LiveFrame) + numbers * sizeof(double) +
         state.memory.capacity() * sizeof(ImpulseMemory) +
         frame.record.contacts.capacity() * sizeof(RecordedContact) +
         frame.record.springs.capacity() * sizeof(SpringEnds) +
         frame.pulls.capacity() * sizeof(PulledPoint);
}

}  // namespace

void LiveHistory::restart(LiveFrame frame) {
  frames_.clear();
  first_ = 0;
  bytes_ = 0;
  push(std::move(frame));
}

void LiveHistory::push(LiveFrame frame) {
  bytes_ += bytes_of(frame);
  frames_.push_back(std::move(frame));
  while (frames_.size() > 1 && (frames_.size() > limits_.frames || bytes_ > limits_.bytes)) {
    bytes_ -= bytes_of(frames_.front());
    frames_.pop_front();
    ++first_;
  }
}

void LiveHistory::truncate_after(std::int64_t number) {
  while (last() > number) {
    bytes_ -= bytes_of(frames_.back());
    frames_.pop_back();
  }
}

}  // namespace stiction
