#pragma once

/// \file
/// Attributes of one MJCF element with its defaults behind it, checked as they are read. Private to
/// stiction/io.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

/// MJCF's three answers to `limited` and its like.
enum class TriState { no, yes, automatic };

/// Reads attributes of an element; what it does not have comes from its default classes. Bad values
/// are reported at the element that has them, and the fallback is returned.
class MjcfAttributes {
 public:
  /// `defaults`: elements of the same tag in its default class and that class's ancestors, nearest
  /// first.
  MjcfAttributes(const MjcfDocument& document, MjcfReport& report, const pugi::xml_node& element,
                 const std::vector<pugi::xml_node>& defaults = {});

  [[nodiscard]] const pugi::xml_node& element() const { return levels_.front(); }
  [[nodiscard]] Source source() const { return document_.source(element()); }
  /// The element itself, then its defaults, nearest first.
  [[nodiscard]] const std::vector<pugi::xml_node>& levels() const { return levels_; }
  /// One level alone.
  [[nodiscard]] MjcfAttributes only(const pugi::xml_node& level) const {
    return {document_, report_, level};
  }
  /// Whether the element or a default has it.
  [[nodiscard]] bool has(const char* name) const { return static_cast<bool>(holder(name)); }

  [[nodiscard]] std::string text(const char* name, const std::string& fallback = {}) const;
  [[nodiscard]] double number(const char* name, double fallback) const;
  /// A number that must be at least `least`.
  [[nodiscard]] double number_from(const char* name, double fallback, double least) const;
  [[nodiscard]] int integer(const char* name, int fallback) const;
  [[nodiscard]] bool flag(const char* name, bool fallback) const;
  [[nodiscard]] TriState tri_state(const char* name) const;
  /// Red, green, blue, opacity; nothing if the attribute is empty.
  [[nodiscard]] std::optional<std::array<double, 4>> color(const char* name) const;
  /// Any count of numbers.
  [[nodiscard]] std::vector<double> list(const char* name) const;

  /// Exactly N numbers.
  template <std::size_t N>
  [[nodiscard]] std::optional<std::array<double, N>> exactly(const char* name) const {
    const pugi::xml_node node = holder(name);
    if (!node) return std::nullopt;
    const auto numbers = numbers_of(node, name, N, N);
    if (!numbers) return std::nullopt;
    std::array<double, N> result{};
    std::copy(numbers->begin(), numbers->end(), result.begin());
    return result;
  }

  /// Up to N numbers. As in MuJoCo fewer numbers set the first ones only: the rest keeps what a
  /// default or the format says.
  template <std::size_t N>
  [[nodiscard]] std::array<double, N> overlay(const char* name,
                                              std::array<double, N> values) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (!level->attribute(name)) continue;
      const auto numbers = numbers_of(*level, name, 1, N);
      if (numbers) std::copy(numbers->begin(), numbers->end(), values.begin());
    }
    return values;
  }

  /// One of the given words.
  template <class Value>
  [[nodiscard]] Value keyword(const char* name,
                              std::initializer_list<std::pair<std::string_view, Value>> words,
                              Value fallback) const {
    const pugi::xml_node node = holder(name);
    if (!node) return fallback;
    const std::string_view given = node.attribute(name).value();
    std::vector<std::string_view> known;
    for (const auto& [word, value] : words) {
      if (word == given) return value;
      known.push_back(word);
    }
    unknown_word(node, name, given, known);
    return fallback;
  }

  /// A problem with one attribute, at the element (or default) that has it.
  void error(const char* name, const std::string& what, const std::string& remedy) const;
  /// A problem with the element.
  void error(const std::string& what, const std::string& remedy) const {
    report_.error(source(), what, remedy);
  }
  [[nodiscard]] MjcfReport& report() const { return report_; }
  /// Numbers of an attribute of one level; empty, with an error, if there are too few or too many.
  [[nodiscard]] std::optional<std::vector<double>> numbers_of(const pugi::xml_node& node,
                                                              const char* name, std::size_t least,
                                                              std::size_t most) const;

 private:
  [[nodiscard]] pugi::xml_node holder(const char* name) const;
  void unknown_word(const pugi::xml_node& node, const char* name, std::string_view given,
                    const std::vector<std::string_view>& known) const;

  const MjcfDocument& document_;
  MjcfReport& report_;
  std::vector<pugi::xml_node> levels_;
};

}  // namespace stiction
