#pragma once

/// \file
/// Tables in CSV files: one line of names, then one line per row, no quotes. Problems are
/// InputErrors that name the file and the line.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stiction::experiments {

class CsvTable {
 public:
  explicit CsvTable(const std::filesystem::path& file);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::size_t row_count() const { return rows_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(std::string_view column) const;
  /// Index of a column. Throws if there is none of that name.
  [[nodiscard]] std::size_t column(std::string_view name) const;

  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const {
    return rows_[row][column];
  }
  /// Throws if the entry is not a number; NaN and infinity are numbers here.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
  [[nodiscard]] int integer(std::size_t row, std::size_t column) const;

 private:
  [[noreturn]] void fail(std::size_t line, std::string what) const;

  std::filesystem::path file_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stiction::experiments
