#include "apps/stiction/argument_checks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <sstream>

#include "stiction/io/near_words.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

std::vector<std::string_view> known_solvers() {
  return {solver_names().begin(), solver_names().end()};
}

std::string check_word(const std::string& kind, const std::string& word,
                       const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, word) != known.end()) return {};
  const std::string all = fmt::format("choose from {}", fmt::join(known, ", "));
  return fmt::format("unknown {} '{}'; {}", kind, word, suggestion(word, known, all));
}

std::string check_words(const std::string& kind, const std::string& list,
                        const std::vector<std::string_view>& known) {
  for (const std::string& word : split(list)) {
    const std::string fault = check_word(kind, word, known);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::optional<double> parse_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = end != text.c_str() && *end == '\0' && text.find('\0') == std::string::npos;
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string check_positive(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (number && *number > 0.0) return {};
  return fmt::format("'{}' is not a positive number", text);
}

std::string check_not_negative(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (number && *number >= 0.0) return {};
  return fmt::format("'{}' is not a number of 0 or more", text);
}

std::string check_duration(const std::string& text, double longest) {
  const std::optional<double> number = parse_number(text);
  if (number && *number > 0.0 && *number <= longest) return {};
  return fmt::format("'{}' is not a time in seconds, above 0 and at most {:.0e}", text, longest);
}

std::string check_file_name(const std::string& text) {
  return text.empty() ? "the file name is empty" : "";
}

std::string check_count(const std::string& text) {
  constexpr long long most = 1'000'000'000;
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  const bool whole = end != text.c_str() && *end == '\0';
  if (whole && number >= 1 && number <= most) return {};
  return fmt::format("'{}' is not a whole number from 1 to {}", text, most);
}

std::string check_seed(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault == std::errc() && stop == end) return {};
  return fmt::format("'{}' is not a whole number from 0 to {}", text,
                     std::numeric_limits<std::uint64_t>::max());
}

std::string note_on_duration(double duration, double time_step) {
  constexpr double rounding = 1e-6;  // of a step: 1 s is not exactly ten times 0.1 s
  const double steps = duration / time_step;
  const double whole = std::round(steps);
  if (std::abs(steps - whole) <= rounding * std::max(1.0, whole)) return {};
  return fmt::format(
      "--duration {:g} s is not a whole number of steps of {:g} s; the run takes "
      "{:.0f} step{}, {:g} s",
      duration, time_step, whole, whole == 1.0 ? "" : "s", whole * time_step);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text + separator);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

}  // namespace stiction
