#pragma once

/// \file
/// The HDF5 file of a recording, written. Private to stiction/record.

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiction/record/recording.hpp"
#include "stiction/record/recording_batch.hpp"
#include "stiction/record/recording_disk.hpp"
#include "stiction/record/recording_layout.hpp"
#include "stiction/record/recording_pack.hpp"
#include "stiction/record/state_encoding.hpp"

namespace stiction {

/// Everything that does not change while a run goes on.
struct RecordingHead {
  ModelIdentity model;
  RunDescription run;
  std::string scene;
  std::optional<std::uint64_t> actuators;  ///< whose forces are recorded, with those of joints
  std::uint64_t version = recording_version;
};

/// One table that grows. A chunk goes to the file when it is full, and before when publish() says
/// so.
class TableWriter {
 public:
  TableWriter(hid_t file, Table table, const RecordingHead& head);
  /// Anew, when the file was switched to be read while it grows.
  void open(hid_t file);
  void append(std::span<const std::byte> rows, ChunkPacker& packer);
  /// Whatever was appended can be read by others after this.
  void publish(ChunkPacker& packer);
  void close() { set_.close(); }
  /// Whether this number of additional bytes fills the current chunk.
  [[nodiscard]] bool fills(std::size_t bytes) const { return filled_ + bytes >= chunk_.size(); }
  /// More than a chunk can take in the file [bytes].
  [[nodiscard]] std::size_t chunk_bound() const { return ChunkPacker::bound(chunk_.size()); }

 private:
  void write_chunk(ChunkPacker& packer);

  Table table_;
  Hdf5Handle set_;
  std::size_t row_size_;
  std::vector<std::byte> chunk_;
  std::size_t filled_ = 0;  ///< of the chunk [bytes]
  std::uint64_t rows_ = 0;  ///< appended so far
  bool unwritten_ = false;  ///< the chunk has rows that the file does not have
};

/// A new recording. All methods but the constructor throw DiskFull with the file as publish() left
/// it, or std::runtime_error if HDF5 fails.
class RecordingFile {
 public:
  /// Writes beside `path` and takes its place when others can read it. Throws std::runtime_error
  /// with a reason; the old file is still there then.
  RecordingFile(const std::filesystem::path& path, const RecordingHead& head, int compression);
  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  void append(const FrameBatch& batch);
  /// All that was appended can be read after this, even if the program is killed.
  void publish();
  /// Closes the file, as one that is complete.
  void finish();
  /// Closes the file with what can be kept; never throws.
  void abandon() noexcept;

  [[nodiscard]] long long published() const { return published_; }

 private:
  void create(const std::filesystem::path& path, const RecordingHead& head);
  void write_complete(std::int64_t frames);
  void publish_tables();
  void close();

  ChunkPacker packer_;
  std::optional<DiskReserve> reserve_;
  Hdf5Handle file_;
  std::vector<Table> kinds_;  ///< of the tables
  std::vector<TableWriter> tables_;
  std::size_t margin_ = 0;  ///< what publishing and closing may need [bytes]
  long long appended_ = 0;
  long long published_ = 0;
};

/// Throws std::runtime_error unless `good`.
void require_hdf5(bool good, const char* what);

inline RowCounts counts_of(const ModelIdentity& model, std::optional<std::uint64_t> actuators,
                           bool springs) {
  const std::uint64_t forces = actuators ? model.velocity_count + *actuators : 0;
  return {model.position_count, model.velocity_count, model.activation_count, forces, springs};
}
inline RowCounts counts_of(const RecordingHead& head) {
  return counts_of(head.model, head.actuators,
                   head.run.options.contact == ContactFamily::viscoelastic);
}

/// Attributes and datasets of the head.
void write_recording_head(hid_t file, const RecordingHead& head);
/// Mixed from the scene's text, to see whether it was changed.
std::uint64_t scene_hash(const std::string& scene);

}  // namespace stiction
