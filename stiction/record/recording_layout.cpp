#include "stiction/record/recording_layout.hpp"

#include <bit>
#include <cstddef>

namespace stiction {

// Rows are read and written as they stand in memory.
static_assert(std::endian::native == std::endian::little);

namespace {

Hdf5Handle numbers(std::uint64_t count) {
  const hsize_t size = count;
  return {H5Tarray_create2(H5T_IEEE_F64LE, 1, &size), H5Tclose};
}

Hdf5Handle mode_type() {
  Hdf5Handle type(H5Tenum_create(H5T_STD_I64LE), H5Tclose);
  std::int64_t value = 0;
  for (const char* name : {"open", "stick", "slip"}) {
    H5Tenum_insert(type, name, &value);
    ++value;
  }
  return type;
}

Hdf5Handle frame_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(FrameRow)), H5Tclose);
  H5Tinsert(type, "hash", offsetof(FrameRow, hash), H5T_STD_U64LE);
  H5Tinsert(type, "contact_end", offsetof(FrameRow, contact_end), H5T_STD_U64LE);
  H5Tinsert(type, "memory_end", offsetof(FrameRow, memory_end), H5T_STD_U64LE);
  H5Tinsert(type, "kinetic_energy", offsetof(FrameRow, kinetic_energy), H5T_IEEE_F64LE);
  H5Tinsert(type, "potential_energy", offsetof(FrameRow, potential_energy), H5T_IEEE_F64LE);
  H5Tinsert(type, "worst_residual", offsetof(FrameRow, worst_residual), H5T_IEEE_F64LE);
  H5Tinsert(type, "deepest_overlap", offsetof(FrameRow, deepest_overlap), H5T_IEEE_F64LE);
  H5Tinsert(type, "iterations", offsetof(FrameRow, iterations), H5T_STD_I32LE);
  H5Tinsert(type, "not_certified", offsetof(FrameRow, not_certified), H5T_STD_I32LE);
  H5Tinsert(type, "steps", offsetof(FrameRow, steps), H5T_STD_I32LE);
  H5Tinsert(type, "contacts", offsetof(FrameRow, contacts), H5T_STD_I32LE);
  return type;
}

Hdf5Handle contact_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(ContactRow)), H5Tclose);
  const Hdf5Handle three = numbers(3);
  H5Tinsert(type, "shape_a", offsetof(ContactRow, shape_a), H5T_STD_I32LE);
  H5Tinsert(type, "shape_b", offsetof(ContactRow, shape_b), H5T_STD_I32LE);
  H5Tinsert(type, "mode", offsetof(ContactRow, mode), mode_type());
  H5Tinsert(type, "gap", offsetof(ContactRow, gap), H5T_IEEE_F64LE);
  H5Tinsert(type, "friction", offsetof(ContactRow, friction), H5T_IEEE_F64LE);
  H5Tinsert(type, "point", offsetof(ContactRow, point), three);
  H5Tinsert(type, "normal", offsetof(ContactRow, normal), three);
  H5Tinsert(type, "impulse", offsetof(ContactRow, impulse), three);
  return type;
}

Hdf5Handle anchor_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(AnchorRow)), H5Tclose);
  const Hdf5Handle three = numbers(3);
  H5Tinsert(type, "a", offsetof(AnchorRow, a), three);
  H5Tinsert(type, "b", offsetof(AnchorRow, b), three);
  return type;
}

Hdf5Handle memory_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(MemoryRow)), H5Tclose);
  H5Tinsert(type, "key", offsetof(MemoryRow, key), H5T_STD_U64LE);
  H5Tinsert(type, "impulse", offsetof(MemoryRow, impulse), numbers(3));
  return type;
}

}  // namespace

const char* name_of(Table table) {
  switch (table) {
    case Table::memory:
      return "memory";
    case Table::contacts:
      return "contacts";
    case Table::anchors:
      return "anchors";
    case Table::q:
      return "q";
    case Table::v:
      return "v";
    case Table::activation:
      return "activation";
    case Table::forces:
      return "forces";
    case Table::frames:
      return "frames";
    case Table::time:
      return "time";
  }
  return "";
}

Hdf5Handle row_type(Table table, const RowCounts& counts) {
  switch (table) {
    case Table::memory:
      return memory_type();
    case Table::contacts:
      return contact_type();
    case Table::anchors:
      return anchor_type();
    case Table::q:
      return numbers(columns_of(counts.positions));
    case Table::v:
      return numbers(columns_of(counts.velocities));
    case Table::activation:
      return numbers(columns_of(counts.activations));
    case Table::forces:
      return numbers(columns_of(counts.forces));
    case Table::frames:
      return frame_type();
    case Table::time:
      return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
  }
  return {};
}

}  // namespace stiction
