#include "experiments/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "stiction/core/problem.hpp"

namespace stiction::experiments {

namespace {

std::vector<std::string> split(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> entries;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = line.find(',', start);
    entries.push_back(line.substr(start, end - start));
    if (end == std::string::npos) return entries;
    start = end + 1;
  }
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& file) : file_(file) {
  std::ifstream stream(file);
  std::string line;
  if (!stream || std::filesystem::is_directory(file)) fail(0, "this file cannot be read");
  if (!std::getline(stream, line)) fail(0, "this table is empty");
  names_ = split(line);
  while (std::getline(stream, line)) {
    rows_.push_back(split(line));
    if (rows_.back().size() != names_.size()) {
      fail(rows_.size() + 1,
           fmt::format("{} entries for {} columns", rows_.back().size(), names_.size()));
    }
  }
}

void CsvTable::fail(std::size_t line, std::string what) const {
  ProblemList problems;
  problems.error({file_.string(), static_cast<int>(line), ""}, std::move(what),
                 "check that this is the table you mean");
  throw InputError(std::move(problems));
}

bool CsvTable::has(std::string_view column) const {
  return std::find(names_.begin(), names_.end(), column) != names_.end();
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) fail(1, fmt::format("there is no column '{}'", name));
  return static_cast<std::size_t>(found - names_.begin());
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string& entry = rows_[row][column];
  double value = 0.0;
  const char* const end = entry.data() + entry.size();
  const auto [stop, error] = std::from_chars(entry.data(), end, value);
  if (error != std::errc{} || stop != end) {
    fail(row + 2, fmt::format("column '{}': '{}' is not a number", names_[column], entry));
  }
  return value;
}

int CsvTable::integer(std::size_t row, std::size_t column) const {
  const double value = number(row, column);
  if (value != std::round(value) || std::abs(value) > 1e9) {
    fail(row + 2, fmt::format("column '{}': {} is not a whole number", names_[column], value));
  }
  return static_cast<int>(value);
}

}  // namespace stiction::experiments
