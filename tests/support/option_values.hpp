#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "stiction/sim/option_table.hpp"

namespace stiction::test {

/// Becomes whatever a member wants to begin with.
struct Anything {
  template <class Member>
  operator Member() const;
};

/// How many members a struct has that is initialized by `{a, b, c}`.
template <class Struct, std::size_t... i>
consteval std::size_t member_count(std::index_sequence<i...> = {}) {
  if constexpr (requires { Struct{(static_cast<void>(i), Anything{})..., Anything{}}; }) {
    return member_count<Struct>(std::make_index_sequence<sizeof...(i) + 1>{});
  } else {
    return sizeof...(i);
  }
}

/// A possible value that is not `usual`.
inline OptionValue another_value(const OptionInfo& option, const OptionValue& usual) {
  if (const bool* on = std::get_if<bool>(&usual)) return !*on;
  if (const int* count = std::get_if<int>(&usual)) return *count + (option.range.even ? 2 : 1);
  if (option.words != nullptr) {
    for (std::size_t i = 0; i + 1 < option.words().size(); ++i) {
      if (OptionValue(std::string(option.words()[i])) == usual) {
        return std::string(option.words()[i + 1]);
      }
    }
    return std::string(option.words().front());
  }
  for (const double number : std::array{0.05, 0.5, 2.0, 1e-3}) {
    if (option.range.contains(number) && OptionValue(number) != usual) return number;
  }
  throw std::logic_error("no other value of " + std::string(option.name));
}

/// Options of which each that shapes the motion is not as usual; they go together.
inline StepOptions all_other_options() {
  StepOptions options;
  for (const StepOption& option : step_option_table()) {
    if (!option.info().shapes_motion) continue;
    option.set(options, another_value(option.info(), option.value(options)));
  }
  return options;
}

}  // namespace stiction::test
