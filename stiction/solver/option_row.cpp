#include "stiction/solver/option_row.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

/// The shortest text that is read as this number again: 0.2, 1e-08, 2e+10.
std::string number_text(double number) {
  std::string exact = fmt::format("{}", number);
  const std::string rounded = fmt::format("{:g}", number);
  const bool same = std::strtod(rounded.c_str(), nullptr) == number;
  return same && rounded.size() < exact.size() ? rounded : exact;
}

std::string bound_text(double bound, bool whole) {
  return whole ? fmt::format("{}", static_cast<long long>(bound)) : number_text(bound);
}

bool is_open(const OptionRange& range, bool whole) {
  return range.most >= (whole ? std::numeric_limits<int>::max() : largest);
}

std::string range_text(const OptionRange& range, bool whole) {
  const std::string kind = range.even ? "an even number" : whole ? "a whole number" : "a number";
  const std::string least = bound_text(range.least, whole);
  std::string text;
  if (is_open(range, whole)) {
    const char* positive = whole ? "positive whole number" : "positive number";
    text = range.least == 0.0 ? fmt::format("{} {}", range.above_least ? "a" : "0 or a", positive)
                              : fmt::format("{} {} {}", kind, range.above_least ? "above" : "from",
                                            least + (range.above_least ? "" : " up"));
  } else {
    text = fmt::format(
        fmt::runtime(range.above_least ? "{} above {}, at most {}" : "{} from {} to {}"), kind,
        least, bound_text(range.most, whole));
  }
  if (range.or_zero) text += ", or 0";
  if (range.most == infinity) text += ", or inf";
  return text;
}

/// The value as a fault quotes it.
std::string quoted(const OptionInfo& option, const OptionValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("'{}'", *word);
  const std::string text = to_text(value);
  return option.unit.empty() ? text : fmt::format("{} {}", text, option.unit);
}

std::string fault_text(const OptionInfo& option, std::string_view given,
                       const OptionValue& example) {
  return fmt::format("{} is {}; give {}", option.name, given, range_text(option, example));
}

bool is_known(const OptionInfo& option, std::string_view word) {
  const auto words = option.words();
  return std::ranges::find(words, word) != words.end();
}

/// The whole text as a number, by the rules of C++; nothing for NaN and for what is too large.
template <class Number>
std::optional<Number> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || number != number) return std::nullopt;
  return number;
}

std::optional<bool> parsed_switch(std::string_view text) {
  if (text == "on" || text == "true" || text == "yes") return true;
  if (text == "off" || text == "false" || text == "no") return false;
  return std::nullopt;
}

std::optional<OptionValue> parsed_as(const OptionValue& example, std::string_view text) {
  const auto value = [](auto number) {
    return number ? std::optional<OptionValue>(*number) : std::nullopt;
  };
  if (std::holds_alternative<double>(example)) return value(parsed<double>(text));
  if (std::holds_alternative<int>(example)) return value(parsed<int>(text));
  if (std::holds_alternative<bool>(example)) return value(parsed_switch(text));
  return OptionValue(std::string(text));
}

}  // namespace

std::string to_text(const OptionValue& value) {
  if (const bool* on = std::get_if<bool>(&value)) return *on ? "on" : "off";
  if (const double* number = std::get_if<double>(&value)) return number_text(*number);
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::string range_text(const OptionInfo& option, const OptionValue& example) {
  if (option.words != nullptr) return fmt::format("one of {}", fmt::join(option.words(), ", "));
  if (std::holds_alternative<bool>(example)) return "on or off";
  return range_text(option.range, std::holds_alternative<int>(example));
}

std::string fault_of(const OptionInfo& option, const OptionValue& value) {
  const auto* number = std::get_if<double>(&value);
  const auto* count = std::get_if<int>(&value);
  const auto* word = std::get_if<std::string>(&value);
  const bool good = (number == nullptr || option.range.contains(*number)) &&
                    (count == nullptr || option.range.contains(*count)) &&
                    (word == nullptr || is_known(option, *word));
  return good ? std::string() : fault_text(option, quoted(option, value), value);
}

std::string read_value(const OptionInfo& option, std::string_view text, OptionValue& value) {
  const std::optional<OptionValue> read = parsed_as(value, text);
  if (!read) return fault_text(option, fmt::format("'{}'", text), value);
  if (std::string fault = fault_of(option, *read); !fault.empty()) return fault;
  value = *read;
  return {};
}

std::string flag_of(const OptionInfo& option) {
  std::string flag = fmt::format("--{}", option.flag.empty() ? option.name : option.flag);
  std::ranges::replace_if(
      flag, [](char letter) { return letter == '_' || letter == '.'; }, '-');
  return flag;
}

}  // namespace stiction
