#pragma once

/// \file
/// The HDF5 file of a recording, read; it may hold anything. Private to stiction/record.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stiction/record/recording_layout.hpp"

namespace stiction {

/// Each request says what it expects, and throws an InputError that names the place if the file has
/// something else.
class RecordingInput {
 public:
  explicit RecordingInput(const std::filesystem::path& path);

  [[nodiscard]] bool has(const char* attribute) const;
  [[nodiscard]] std::vector<std::string> attributes() const;  ///< names of all there are
  [[nodiscard]] std::string text(const char* attribute) const;
  [[nodiscard]] std::uint64_t integer(const char* attribute) const;
  [[nodiscard]] double real(const char* attribute) const;
  /// The texts of datasets may be long.
  [[nodiscard]] std::string long_text(const char* dataset) const;
  [[nodiscard]] std::int64_t number(const char* dataset) const;

  [[nodiscard]] bool has_table(Table table) const;  ///< whether there is a dataset of its name
  /// Opens all tables that recordings of such runs have.
  void open_tables(const RowCounts& counts);
  [[nodiscard]] std::uint64_t rows(Table table) const { return entry(table).rows; }
  [[nodiscard]] std::uint64_t chunk_rows(Table table) const { return entry(table).chunk_rows; }
  /// Rows `first` to `first + count - 1`, which must be there, into as many bytes.
  void read(Table table, std::uint64_t first, std::uint64_t count, void* into) const;

  /// Throws an InputError at `place`.
  [[noreturn]] void fail(const std::string& place, std::string what, std::string remedy = {}) const;

 private:
  struct Entry {
    Hdf5Handle set;
    Hdf5Handle type;
    std::uint64_t rows = 0;
    std::uint64_t chunk_rows = 0;
  };
  void attribute(const char* name, H5T_class_t kind, hid_t native, void* value) const;
  void open_table(Table table, Entry& entry) const;
  void check_storage(Table table, Entry& entry) const;
  [[nodiscard]] const Entry& entry(Table table) const {
    return tables_[static_cast<std::size_t>(table)];
  }

  std::string name_;
  std::uint64_t size_ = 0;  ///< of the file [bytes]
  Hdf5Handle file_;
  std::array<Entry, all_tables.size()> tables_;
};

}  // namespace stiction
