#include "bench/output.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fstream>
#include <thread>

#include "stiction/core/scalar.hpp"

namespace stiction::bench {

namespace {

/// Characters of a UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::string result;
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - width(row[k]), ' ');
      line += k == 0 ? row[k] + blanks : "  " + blanks + row[k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  return result;
}

std::string Table::markdown() const {
  std::string result;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const std::string& field : rows_[i]) result += "| " + field + ' ';
    result += "|\n";
    if (i > 0) continue;
    for (std::size_t k = 0; k < rows_.front().size(); ++k) result += "|---";
    result += "|\n";
  }
  return result;
}

std::string Table::csv() const {
  std::string result;
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) result += ',';
      if (row[k].find_first_of(",\"\n") == std::string::npos) {
        result += row[k];
        continue;
      }
      result += '"';
      for (const char c : row[k]) result += c == '"' ? std::string("\"\"") : std::string(1, c);
      result += '"';
    }
    result += '\n';
  }
  return result;
}

std::string microseconds(double seconds) {
  if (std::isnan(seconds)) return "-";
  const double value = 1e6 * seconds;
  return fmt::format("{:.{}f}", value, value < 10.0 ? 3 : value < 100.0 ? 2 : 1);
}

std::string ratio_text(double ratio) {
  return std::isnan(ratio) ? "-" : fmt::format("{:.{}f}", ratio, ratio < 10.0 ? 2 : 1);
}

std::string measurement_note(const Report& report) {
  long accepted = 0;
  long rejected = 0;
  long noisy = 0;
  for (const Result& result : report.results) {
    accepted += result.accepted;
    rejected += result.rejected;
    noisy += result.noisy ? 1 : 0;
  }
  std::string note = fmt::format(
      "{} blocks are valid, {} were discarded because the machine was slower then; {:.0f} s.\n",
      accepted, rejected, report.wall_seconds);
  if (report.capped) {
    note += fmt::format(
        "NOISY: the time limit was reached. {} of {} results have too few valid blocks; they use "
        "the least disturbed blocks.\n",
        noisy, report.results.size());
  }
  return note;
}

nlohmann::json machine_description() {
  return {{"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"compiler", __VERSION__},
          {"flags", STICTION_BENCH_FLAGS},
          {"instruction_set", STICTION_BENCH_ARCH},
          {"lane_width", lane_width},
          {"date", utc_now()}};
}

nlohmann::json to_json(const Report& report) {
  nlohmann::json results = nlohmann::json::array();
  for (const Result& result : report.results) {
    results.push_back({{"group", result.group},
                       {"name", result.name},
                       {"seconds", result.seconds},
                       {"lower_quartile", result.low},
                       {"upper_quartile", result.high},
                       {"accepted_blocks", result.accepted},
                       {"rejected_blocks", result.rejected},
                       {"noisy", result.noisy}});
  }
  return {{"results", results},
          {"best_calibration", report.best_calibration},
          {"wall_seconds", report.wall_seconds},
          {"capped", report.capped}};
}

void write_json(const std::filesystem::path& path, const nlohmann::json& document) {
  write_file(path, document.dump(2) + '\n');
}

}  // namespace stiction::bench
