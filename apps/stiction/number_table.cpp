#include "apps/stiction/number_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "apps/stiction/argument_checks.hpp"
#include "stiction/core/mixer.hpp"
#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

[[noreturn]] void refuse(const std::filesystem::path& file, int line, const std::string& what,
                         const std::string& remedy) {
  ProblemList problems;
  problems.error({file.string(), line, ""}, what, remedy);
  throw InputError(std::move(problems));
}

std::string text_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse(file, 0, "there is no such table", "check the path behind table:");
  if (size > most_bytes) {
    refuse(file, 0, "the table is larger than 256 MB", "leave out rows or columns");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, 0, "the table cannot be read", "check the permissions of the file");
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The words of a line, without blanks and quotes around them.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> words = split(line);
  for (std::string& word : words) {
    constexpr const char* around = " \t\r\"";
    const std::size_t first = word.find_first_not_of(around);
    const std::size_t last = word.find_last_not_of(around);
    word = first == std::string::npos ? "" : word.substr(first, last - first + 1);
  }
  return words;
}

std::vector<std::string> read_head(const std::filesystem::path& file, const std::string& line) {
  std::vector<std::string> names = cells(line);
  if (names.size() < 2 || names[0] != "time") {
    refuse(file, 1, "the first line is not the head of a table",
           "write time and names of actuators or joints, such as time,hip,knee");
  }
  names.erase(names.begin());
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) == 1) continue;
    refuse(file, 1, fmt::format("'{}' is there twice", name), "leave one of the columns out");
  }
  return names;
}

void read_row(const std::vector<std::string>& words, int line, NumberTable& table) {
  if (words.size() != table.names.size() + 1) {
    refuse(table.file, line,
           fmt::format("{} numbers for time and {} names", words.size(), table.names.size()),
           "give one number per column");
  }
  std::vector<double> row;
  for (const std::string& word : words) {
    const std::optional<double> value = parse_number(word);
    if (!value) {
      refuse(table.file, line, fmt::format("'{}' is not a finite number", word), "correct it");
    }
    row.push_back(*value);
  }
  if (!table.times.empty() && row[0] <= table.times.back()) {
    refuse(table.file, line, fmt::format("time {} does not come after the row before", words[0]),
           "order the rows by time");
  }
  table.times.push_back(row[0]);
  table.numbers.insert(table.numbers.end(), row.begin() + 1, row.end());
  table.lines.push_back(line);
}

}  // namespace

NumberTable NumberTable::read(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  std::istringstream stream(text);
  NumberTable table;
  table.file = file;
  std::string line;
  std::getline(stream, line);
  table.names = read_head(file, line);
  for (int number = 2; std::getline(stream, line); ++number) {
    const std::vector<std::string> words = cells(line);
    if (words.size() == 1 && words[0].empty()) continue;
    read_row(words, number, table);
  }
  if (table.times.empty()) {
    refuse(file, 2, "the table has no rows", "give a time and one number per name");
  }
  Mixer mixer;
  mixer.add(text);
  table.fingerprint = fmt::format("{:016x}", mixer.result());
  return table;
}

double NumberTable::at(double time, std::size_t column) const {
  const auto next = static_cast<std::size_t>(std::ranges::upper_bound(times, time) - times.begin());
  const std::size_t right = std::min(next, times.size() - 1);
  const std::size_t left = next == 0 ? 0 : next - 1;
  const double from = numbers[left * names.size() + column];
  const double to = numbers[right * names.size() + column];
  const double span = times[right] - times[left];
  return span > 0.0 ? from + (time - times[left]) / span * (to - from) : from;
}

}  // namespace stiction
