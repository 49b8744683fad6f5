#pragma once

/// \file
/// What stands where in a recording, for its writer and its reader. docs/recording.md says it in
/// words. Private to stiction/record.

#include <array>
#include <cstdint>
#include <hdf5.h>
#include <mutex>
#include <string>
#include <utility>

namespace stiction {

inline constexpr const char* recording_format = "stiction recording";
inline constexpr std::uint64_t recording_version = 1;

/// An HDF5 handle that closes itself.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  /// Whether that worked; closing what is not open does.
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Held while a table grows, and while its rows are counted. Growing takes HDF5 two calls, a longer
/// extent and the rows themselves, and a reader in the same process sees the first at once.
inline std::mutex growth_of_tables;

/// A row of `frames`. No holes, so that rows can be written as they are.
struct FrameRow {
  std::uint64_t hash = 0;         ///< of the State; never 0 in a row that was written
  std::uint64_t contact_end = 0;  ///< rows of `contacts` up to and with this frame
  std::uint64_t memory_end = 0;   ///< rows of `memory`
  double kinetic_energy = 0.0;    ///< [J]
  double potential_energy = 0.0;  ///< [J]
  double worst_residual = 0.0;
  double deepest_overlap = 0.0;  ///< [m]
  std::int32_t iterations = 0;
  std::int32_t not_certified = 0;
  std::int32_t steps = 0;
  std::int32_t contacts = 0;  ///< of this frame
};
static_assert(sizeof(FrameRow) == 72);

/// A row of `contacts`.
struct ContactRow {
  std::int32_t shape_a = -1;
  std::int32_t shape_b = -1;
  std::int64_t mode = 0;
  double gap = 0.0;
  double friction = 0.0;
  std::array<double, 3> point{};
  std::array<double, 3> normal{};
  std::array<double, 3> impulse{};
};
static_assert(sizeof(ContactRow) == 104);

/// A row of `anchors`: the ends of the spring of the contact with the same row, NaN where there is
/// none.
struct AnchorRow {
  std::array<double, 3> a{};
  std::array<double, 3> b{};
};
static_assert(sizeof(AnchorRow) == 48);

/// A row of `memory`.
struct MemoryRow {
  std::uint64_t key = 0;
  std::array<double, 3> impulse{};
};
static_assert(sizeof(MemoryRow) == 32);

/// Tables that grow, in the order in which they are written. `time` comes last: a frame is there
/// once its time is. Models without activations have no such table, runs with hard contact no
/// anchors, and only who asks for forces gets them.
enum class Table { memory, contacts, anchors, q, v, activation, forces, frames, time };
inline constexpr std::array<Table, 9> all_tables{Table::memory, Table::contacts, Table::anchors,
                                                 Table::q,      Table::v,        Table::activation,
                                                 Table::forces, Table::frames,   Table::time};
const char* name_of(Table table);

/// How many numbers a row of the state has, and whether contacts are springs.
struct RowCounts {
  std::uint64_t positions = 0;
  std::uint64_t velocities = 0;
  std::uint64_t activations = 0;
  std::uint64_t forces = 0;  ///< of joints, then of actuators; 0: they are not recorded
  bool springs = false;
};

/// Whether recordings of such runs have the table.
inline bool has_table(Table table, const RowCounts& counts) {
  if (table == Table::activation) return counts.activations > 0;
  if (table == Table::forces) return counts.forces > 0;
  return table != Table::anchors || counts.springs;
}

/// Type of a row in the file, which is also that in memory on little-endian machines.
Hdf5Handle row_type(Table table, const RowCounts& counts);

/// A row of q or v has one number at least, for HDF5 knows no arrays of none.
inline std::uint64_t columns_of(std::uint64_t count) { return count == 0 ? 1 : count; }

}  // namespace stiction
