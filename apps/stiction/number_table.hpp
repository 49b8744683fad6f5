#pragma once

/// \file
/// Tables of numbers over time in CSV files.

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// The first line has `time` and names, the others have numbers.
struct NumberTable {
  std::filesystem::path file;
  std::vector<std::string> names;  ///< of the columns behind `time`
  std::vector<double> times;       ///< ascending, at least one [s]
  std::vector<double> numbers;     ///< row by row
  std::vector<int> lines;          ///< of the file, one per row
  std::string fingerprint;         ///< 16 digits that tell files apart

  /// Throws InputError with file, line and remedy.
  static NumberTable read(const std::filesystem::path& file);
  /// Number of a column at a time: linear between the rows, as at the ends beyond them.
  [[nodiscard]] double at(double time, std::size_t column) const;
};

}  // namespace stiction
