#pragma once

/// \file
/// Reads HDF5 files that may hold anything: each request says what it expects, and throws an
/// InputError that names the place if the file has something else. Private to stiction/io.

#include <cstdint>
#include <filesystem>
#include <hdf5.h>
#include <string>
#include <vector>

#include "stiction/core/problem.hpp"

namespace stiction {

/// HDF5 prints a stack for each failed call unless told not to. Silent while this lives.
class SilentHdf5 {
 public:
  SilentHdf5();
  ~SilentHdf5();
  SilentHdf5(const SilentHdf5&) = delete;
  SilentHdf5& operator=(const SilentHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Whether there is a link of that name; `place` is absolute, such as `/fclib_local/W`.
  [[nodiscard]] bool has(const std::string& place) const;

  /// Names of all links in the group at `place`, each of which can be found by its name.
  [[nodiscard]] std::vector<std::string> links(const std::string& place) const;

  [[nodiscard]] int read_int(const std::string& place) const;
  /// Exactly `count` numbers.
  [[nodiscard]] std::vector<int> read_ints(const std::string& place, std::int64_t count) const;
  [[nodiscard]] std::vector<double> read_doubles(const std::string& place,
                                                 std::int64_t count) const;
  /// One text of fixed length.
  [[nodiscard]] std::string read_text(const std::string& place) const;

  /// Throws an InputError at `place`.
  [[noreturn]] void fail(const std::string& place, std::string what, std::string remedy) const;

 private:
  template <typename Number>
  [[nodiscard]] std::vector<Number> read(const std::string& place, hid_t type,
                                         std::int64_t count) const;

  std::string name_;
  SilentHdf5 silence_;
  hid_t file_ = -1;
};

}  // namespace stiction
