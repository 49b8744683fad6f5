#pragma once

/// \file
/// Reads HDF5 files that may hold anything: each request says what it expects, and throws an
/// InputError that names the place if the file has something else. For readers of formats: not
/// part of what users call.

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
  /// `kind` names in messages what the file should be, such as `FCLIB files`.
  explicit Hdf5File(const std::filesystem::path& path, std::string kind = "FCLIB files");
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
  /// Lengths of the dimensions of a dataset; empty for a single number.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& place) const;
  /// One number that is an attribute of the file itself.
  [[nodiscard]] double read_attribute(const std::string& name) const;
  /// One text of fixed length.
  [[nodiscard]] std::string read_text(const std::string& place) const;

  /// Throws an InputError at `place`.
  [[noreturn]] void fail(const std::string& place, std::string what, std::string remedy) const;

 private:
  template <typename Number>
  [[nodiscard]] std::vector<Number> read(const std::string& place, hid_t type,
                                         std::int64_t count) const;

  std::string name_;
  std::string kind_;
  SilentHdf5 silence_;
  hid_t file_ = -1;
};

}  // namespace stiction
