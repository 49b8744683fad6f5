#include "stiction/record/recording_batch.hpp"

#include <algorithm>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction {

namespace {

std::span<const double> span_of(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

void copy(const std::vector<double>& from, std::size_t frame, Eigen::VectorXd& to) {
  const auto size = static_cast<std::size_t>(to.size());
  if (size > 0) std::copy_n(from.data() + frame * size, size, to.data());
}

}  // namespace

void FrameBatch::clear() {
  time.clear();
  q.clear();
  v.clear();
  activation.clear();
  forces.clear();
  frames.clear();
  contacts.clear();
  anchors.clear();
  memory.clear();
}

std::span<const std::byte> FrameBatch::bytes(Table table) const {
  switch (table) {
    case Table::memory:
      return std::as_bytes(std::span(memory));
    case Table::contacts:
      return std::as_bytes(std::span(contacts));
    case Table::anchors:
      return std::as_bytes(std::span(anchors));
    case Table::q:
      return std::as_bytes(std::span(q));
    case Table::v:
      return std::as_bytes(std::span(v));
    case Table::activation:
      return std::as_bytes(std::span(activation));
    case Table::forces:
      return std::as_bytes(std::span(forces));
    case Table::frames:
      return std::as_bytes(std::span(frames));
    case Table::time:
      return std::as_bytes(std::span(time));
  }
  return {};
}

void FrameFinisher::load(const FrameBatch& batch, std::size_t frame,
                         std::span<const MemoryRow> memory) {
  state_.time = batch.time[frame];
  copy(batch.q, frame, state_.q);
  copy(batch.v, frame, state_.v);
  copy(batch.activation, frame, state_.activation);
  state_.memory.clear();
  for (const MemoryRow& entry : memory) state_.memory.push_back({entry.key, entry.impulse});
}

void FrameFinisher::finish(FrameBatch& batch) {
  const MemoryRow* memory = batch.memory.data();
  for (std::size_t i = 0; i < batch.frames.size(); ++i) {
    FrameRow& row = batch.frames[i];
    const std::size_t count = row.hash;
    load(batch, i, {memory, count});
    memory += count;
    update_kinematics(model_, data_, state_.q, state_.v);
    row.kinetic_energy = kinetic_energy<double>(model_, data_, span_of(state_.v));
    row.potential_energy = potential_energy<double>(model_, data_, span_of(state_.q));
    row.hash = hash(state_);
  }
}

}  // namespace stiction
