#pragma once

/// \file
/// Damages files as disks, editors and exporters do, the same way for the same seed.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace stiction::test {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// One to three faults in an XML file: those of bytes() and of its elements, attributes, numbers.
  std::string xml(std::string text);
  /// One to three faults in any file: bytes changed, cut off, taken out, doubled.
  std::string bytes(std::string text);
  /// The same and numbers replaced, for files of numbers.
  std::string numbers(std::string text);

 private:
  struct Range {
    std::size_t start = 0;
    std::size_t size = 0;
  };

  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  void damage_bytes(std::string& text);
  void damage_xml(std::string& text);
  void replace_number(std::string& text);
  void swap_attribute_values(std::string& text);
  void swap_attribute_names(std::string& text);
  void drop_attribute(std::string& text);
  void drop_element(std::string& text);
  void double_element(std::string& text);
  void move_element(std::string& text);
  /// `name="value"` at or behind a random place; size 0 if there is none.
  Range some_attribute(const std::string& text);
  /// From `<` to the `>` that closes the element, its children included.
  Range some_element(const std::string& text);
  Range some_number(const std::string& text);

  std::mt19937_64 random_;
};

}  // namespace stiction::test
