#include "support/mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace stiction::test {

namespace {

constexpr std::array<std::string_view, 28> odd_numbers{
    "nan",   "inf",  "-inf",        "1e308",  "-1e308",     "1e999", "1e-320", "0",     "-0", "-1",
    "1e-9",  "1e9",  "4294967296",  "-1e-12", "2147483648", "0x10",  "1,5",    "1.5.2", "",   "1e",
    "1 2 3", "true", "99999999999", "1e-300", "-0.001",     "1e16",  "1e38",   "180"};

bool is_part_of_number(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '-' ||
         letter == '+' || letter == 'e' || letter == 'E';
}

/// Start of the tag's name and whether it closes itself; npos where the text has no more.
std::size_t end_of_tag(const std::string& text, std::size_t start) { return text.find('>', start); }

}  // namespace

std::string Mutator::xml(std::string text) {
  for (std::size_t k = below(3) + 1; k > 0; --k) damage_xml(text);
  return text;
}

std::string Mutator::bytes(std::string text) {
  for (std::size_t k = below(3) + 1; k > 0; --k) damage_bytes(text);
  return text;
}

std::string Mutator::numbers(std::string text) {
  for (std::size_t k = below(3) + 1; k > 0; --k) {
    if (below(2) == 0) {
      replace_number(text);
    } else {
      damage_bytes(text);
    }
  }
  return text;
}

void Mutator::damage_bytes(std::string& text) {
  if (text.empty()) return;
  const std::size_t at = below(text.size());
  const std::size_t size = below(std::min<std::size_t>(text.size() - at, 200)) + 1;
  switch (below(7)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      text[at] = static_cast<char>(random_() & 0xFFU);
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(at, size);
      break;
    case 4:
      text.insert(at, text.substr(at, size));
      break;
    case 5:
      text.insert(below(text.size()), text.substr(at, size));
      break;
    default:
      // Heads say how much follows, so they get more than their share.
      text[below(std::min<std::size_t>(text.size(), 400))] = static_cast<char>(random_() & 0xFFU);
  }
}

void Mutator::damage_xml(std::string& text) {
  switch (below(12)) {
    case 0:
      return damage_bytes(text);
    case 1:
      return swap_attribute_values(text);
    case 2:
      return swap_attribute_names(text);
    case 3:
      return drop_attribute(text);
    case 4:
    case 5:
      return drop_element(text);
    case 6:
      return double_element(text);
    case 7:
      return move_element(text);
    default:
      return replace_number(text);
  }
}

Mutator::Range Mutator::some_number(const std::string& text) {
  const std::size_t from = below(text.size());
  for (std::size_t i = from; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::size_t start = i;
    while (start > 0 && is_part_of_number(text[start - 1])) --start;
    std::size_t end = i;
    while (end < text.size() && is_part_of_number(text[end])) ++end;
    return {start, end - start};
  }
  return {};
}

void Mutator::replace_number(std::string& text) {
  const Range range = some_number(text);
  if (range.size == 0) return;
  text.replace(range.start, range.size, odd_numbers[below(odd_numbers.size())]);
}

Mutator::Range Mutator::some_attribute(const std::string& text) {
  const std::size_t equals = text.find('=', below(text.size()));
  if (equals == std::string::npos || equals + 1 >= text.size()) return {};
  const char quote = text[equals + 1];
  if (quote != '"' && quote != '\'') return {};
  const std::size_t end = text.find(quote, equals + 2);
  if (end == std::string::npos) return {};
  const std::size_t start = text.find_last_of(" \t\n<", equals);
  if (start == std::string::npos) return {};
  return {start + 1, end - start};
}

void Mutator::swap_attribute_values(std::string& text) {
  Range first = some_attribute(text);
  Range second = some_attribute(text);
  if (first.start > second.start) std::swap(first, second);
  if (first.size == 0 || second.start < first.start + first.size) return;
  const auto value_of = [&text](const Range& range) {
    const std::size_t equals = text.find('=', range.start) + 1;
    return Range{equals, range.start + range.size - equals};
  };
  const Range early = value_of(first);
  const Range late = value_of(second);
  const std::string early_text = text.substr(early.start, early.size);
  const std::string late_text = text.substr(late.start, late.size);
  text.replace(late.start, late.size, early_text);
  text.replace(early.start, early.size, late_text);
}

void Mutator::swap_attribute_names(std::string& text) {
  const Range first = some_attribute(text);
  const Range second = some_attribute(text);
  if (first.size == 0 || second.size == 0) return;
  const std::string name = text.substr(second.start, text.find('=', second.start) - second.start);
  text.replace(first.start, text.find('=', first.start) - first.start, name);
}

void Mutator::drop_attribute(std::string& text) {
  const Range range = some_attribute(text);
  if (range.size > 0) text.erase(range.start, range.size);
}

Mutator::Range Mutator::some_element(const std::string& text) {
  const std::size_t start = text.find('<', below(text.size()));
  if (start == std::string::npos || start + 1 >= text.size() || text[start + 1] == '/') return {};
  const std::size_t end = end_of_tag(text, start);
  if (end == std::string::npos) return {};
  if (text[end - 1] == '/') return {start, end + 1 - start};
  const std::string name =
      text.substr(start + 1, text.find_first_of(" \t\r\n>", start) - start - 1);
  const std::size_t close = text.find("</" + name + ">", end);
  if (name.empty() || close == std::string::npos) return {};
  return {start, close + name.size() + 3 - start};
}

void Mutator::drop_element(std::string& text) {
  const Range range = some_element(text);
  if (range.size > 0) text.erase(range.start, range.size);
}

void Mutator::double_element(std::string& text) {
  const Range range = some_element(text);
  if (range.size == 0) return;
  text.insert(range.start + range.size, text.substr(range.start, range.size));
}

void Mutator::move_element(std::string& text) {
  const Range range = some_element(text);
  if (range.size == 0) return;
  const std::string element = text.substr(range.start, range.size);
  text.erase(range.start, range.size);
  const std::size_t place = text.find('<', below(text.size()));
  text.insert(place == std::string::npos ? range.start : place, element);
}

}  // namespace stiction::test
