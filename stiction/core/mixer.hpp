#pragma once

/// \file
/// 64 bits of many: to see whether two things are the same, not for security.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stiction {

/// Takes in one word after the other. Each round is a bijection of the word and of what was there
/// before, so two inputs that differ in one word alone never collide. The same on every machine.
class Mixer {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0xd6e8feb86659fd93u;
    value_ ^= value_ >> 32;
  }
  /// By its bits: 0.0 and -0.0 differ.
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  /// With its length, so that "ab", "c" and "a", "bc" differ.
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (std::size_t i = 0; i < text.size(); i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = i; k < i + 8 && k < text.size(); ++k) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[k])) << (8 * (k - i));
      }
      add(word);
    }
  }

  [[nodiscard]] std::uint64_t result() const {
    const std::uint64_t once = (value_ ^ (value_ >> 29)) * 0xd6e8feb86659fd93u;
    return once ^ (once >> 32);
  }

 private:
  std::uint64_t value_ = 0x9e3779b97f4a7c15u;
};

}  // namespace stiction
