#pragma once

/// \file
/// Tables for people and JSON for programs, with the machine that the numbers are from.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "stiction/core/write_file.hpp"

namespace stiction::bench {

/// Rows of text with a heading; the first column is set left, the others right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Aligned by characters, so that µ counts as one.
  [[nodiscard]] std::string text() const;
  /// As a table of Markdown.
  [[nodiscard]] std::string markdown() const;
  /// As CSV with a line of names; fields with commas or quotes are quoted.
  [[nodiscard]] std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Such as `1.42 µs` without the unit: microseconds with three digits that matter; `-` for NaN.
std::string microseconds(double seconds);

/// Such as `0.36`; `-` for NaN.
std::string ratio_text(double ratio);

/// What the results took and how many blocks were thrown away, one or two lines; says so if the
/// machine was too noisy.
std::string measurement_note(const Report& report);

/// CPU, compiler, flags, instruction set, lanes and date of this run.
nlohmann::json machine_description();

/// All results, times in seconds.
nlohmann::json to_json(const Report& report);

/// As write_file() does; check_writable() finds out before a long measurement.
void write_json(const std::filesystem::path& path, const nlohmann::json& document);

}  // namespace stiction::bench
