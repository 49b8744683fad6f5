#pragma once

/// \file
/// Frames of a recording in memory, on their way to the file or from it. Private to
/// stiction/record.

#include <cstddef>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/record/recording_layout.hpp"

namespace stiction {

/// Rows of some frames, as they go into the tables.
struct FrameBatch {
  std::vector<double> time;
  std::vector<double> q;  ///< position_count of each frame
  std::vector<double> v;
  std::vector<double> activation;
  std::vector<double> forces;  ///< of joints, then of actuators, of each frame; or none
  std::vector<FrameRow> frames;
  std::vector<ContactRow> contacts;
  std::vector<AnchorRow> anchors;  ///< one per contact, or none
  std::vector<MemoryRow> memory;

  void clear();
  [[nodiscard]] std::span<const std::byte> bytes(Table table) const;
};

/// Adds energies and hashes, for which the rows are enough.
class FrameFinisher {
 public:
  explicit FrameFinisher(const Model& model)
      : model_(model), data_(model), state_(model.initial_state()) {}

  /// Each row must hold the number of its own rows of memory in place of the hash.
  void finish(FrameBatch& batch);

 private:
  void load(const FrameBatch& batch, std::size_t frame, std::span<const MemoryRow> memory);

  Model model_;
  DynamicsData<double> data_;
  State state_;
};

}  // namespace stiction
