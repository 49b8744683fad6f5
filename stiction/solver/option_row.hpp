#pragma once

/// \file
/// One option as a row of a table: its name, what it may be, what it does, and how to reach it.
/// Checks, command line, recordings and documents read the rows, so that each of these facts is
/// written once. Defaults stand in the structs of options themselves.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace stiction {

/// Numbers that an option may have. NaN is none of them.
struct OptionRange {
  double least = 0.0;
  double most = std::numeric_limits<double>::max();
  bool above_least = false;  ///< `least` itself is out
  bool or_zero = false;      ///< 0 is in, too
  bool even = false;         ///< of whole numbers: odd ones are out

  [[nodiscard]] constexpr bool contains(double x) const {
    return ((above_least ? x > least : x >= least) && x <= most) || (or_zero && x == 0.0);
  }
  [[nodiscard]] constexpr bool contains(int x) const {
    return contains(static_cast<double>(x)) && !(even && x % 2 != 0);
  }
};

/// What a table says of an option, whatever struct it is of.
struct OptionInfo {
  std::string_view name;  ///< of the member, after those that it is in: per_contact.relaxation
  std::string_view unit = {};
  OptionRange range = {};  ///< of numbers; of enumerators: their values
  std::string_view help;   ///< one line
  /// All words that it may be; null for numbers and switches.
  std::span<const std::string_view> (*words)() = nullptr;
  std::string_view flag = {};  ///< on the command line, unless it is the name with dashes
  bool shapes_motion = true;   ///< the states of a run depend on it, so a recording has it
  bool in_runs = true;         ///< for the command line and the live view of a simulation
  bool in_solve = true;        ///< for `stiction solve`, if it is an option of solvers
};

/// Value of an option: a number, a whole number, a switch or a word.
using OptionValue = std::variant<double, int, bool, std::string>;

/// \name Options as text
/// @{
/// `0.2`, `on`, `hybrid`: as to_value() reads it, and numbers exactly.
[[nodiscard]] std::string to_text(const OptionValue& value);
/// What it may be, such as "a number from 0 to 1".
[[nodiscard]] std::string range_text(const OptionInfo& option, const OptionValue& example);
/// What is wrong with a value: "push_out_fraction is 3; give a number from 0 to 1"; empty if
/// nothing is.
[[nodiscard]] std::string fault_of(const OptionInfo& option, const OptionValue& value);
/// Reads a text into `value`, which has the type that is wanted before. Returns what is wrong, as
/// fault_of() does, and changes nothing then.
[[nodiscard]] std::string read_value(const OptionInfo& option, std::string_view text,
                                     OptionValue& value);
/// `--per-contact-relaxation`.
[[nodiscard]] std::string flag_of(const OptionInfo& option);
/// @}

/// A row of the table of a struct of options.
template <class Options>
struct OptionRow {
  /// An enumerator: its place among the words.
  enum class Word : unsigned {};
  /// How a member is handed over.
  template <class Member>
  using ValueOf = std::conditional_t<
      std::is_enum_v<Member>, Word,
      std::conditional_t<std::is_same_v<Member, std::string>, std::string_view, Member>>;
  template <class Value>
  struct Access {
    Value (*get)(const Options&);
    void (*set)(Options&, Value);
  };

  OptionInfo info;
  std::variant<Access<double>, Access<int>, Access<bool>, Access<Word>, Access<std::string_view>>
      member;

  [[nodiscard]] OptionValue value(const Options& options) const {
    return std::visit([&](const auto& access) { return from_member(access.get(options)); }, member);
  }
  /// The value must be as value() gives it, a word one of `words`. Ranges are not looked at.
  void set(Options& options, const OptionValue& value) const {
    std::visit([&](const auto& access) { assign(access, options, value); }, member);
  }

 private:
  template <class Value>
  OptionValue from_member(Value value) const {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      return std::string(value);
    } else if constexpr (std::is_same_v<Value, Word>) {
      const auto words = info.words();
      const auto place = static_cast<std::size_t>(value);
      return std::string(place < words.size() ? words[place] : "?");
    } else {
      return value;
    }
  }

  template <class Value>
  void assign(const Access<Value>& access, Options& options, const OptionValue& value) const {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      access.set(options, std::get<std::string>(value));
    } else if constexpr (std::is_same_v<Value, Word>) {
      const auto words = info.words();
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == std::get<std::string>(value)) access.set(options, static_cast<Word>(i));
      }
    } else {
      access.set(options, std::get<Value>(value));
    }
  }
};

/// \name Rows by pointers to members
/// `option_row<&SolverOptions::pgs, &PgsOptions::relaxation>({.name = "pgs.relaxation", …})`.
/// @{
template <class Options, class Member>
Options owner_of(Member Options::*);

/// All enumerators, which begin with 0, by their to_string(), which gives "?" behind the last.
template <class Enum>
std::span<const std::string_view> words_of() {
  constexpr std::size_t most = 16;
  static const auto words = [] {
    std::pair<std::array<std::string_view, most>, std::size_t> result{};
    auto& [list, count] = result;
    for (; count < most && to_string(static_cast<Enum>(count)) != "?"; ++count) {
      list[count] = to_string(static_cast<Enum>(count));
    }
    return result;
  }();
  return {words.first.data(), words.second};
}

/// The member at the end of a path.
template <auto first, auto... rest>
constexpr auto& member_of(auto& options) {
  return ((options.*first).*....*rest);
}

template <auto first, auto... rest>
consteval auto option_row(OptionInfo info) {
  using Options = decltype(owner_of(first));
  using Row = OptionRow<Options>;
  using Member = std::remove_cvref_t<decltype(member_of<first, rest...>(std::declval<Options&>()))>;
  using Value = typename Row::template ValueOf<Member>;
  if constexpr (std::is_enum_v<Member>) info.words = words_of<Member>;
  return Row{info, typename Row::template Access<Value>{
                       [](const Options& options) {
                         return static_cast<Value>(member_of<first, rest...>(options));
                       },
                       [](Options& options, Value value) {
                         member_of<first, rest...>(options) = static_cast<Member>(value);
                       }}};
}

/// The same for an enum: the last enumerator is its range.
template <auto last, auto... path>
consteval auto word_row(OptionInfo info) {
  info.range = {.least = 0.0, .most = static_cast<double>(last)};
  return option_row<path...>(info);
}
/// @}

/// Whether the number or enumerator of one row of a constant table is in range.
template <const auto& table, std::size_t i, class Options>
[[nodiscard]] constexpr bool in_range(const Options& options) {
  using Word = typename OptionRow<Options>::Word;
  constexpr OptionRange range = table[i].info.range;
  constexpr auto access = std::get<table[i].member.index()>(table[i].member);
  using Value = decltype(access.get(options));
  if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>) {
    return range.contains(access.get(options));
  } else if constexpr (std::is_same_v<Value, Word>) {
    return static_cast<unsigned>(access.get(options)) <= static_cast<unsigned>(range.most);
  } else {
    return true;
  }
}

/// Whether those of all rows are: a few comparisons a row, for every step asks.
template <const auto& table, class Options>
[[nodiscard]] constexpr bool all_in_range(const Options& options) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (in_range<table, i>(options) && ...);
  }
  (std::make_index_sequence<table.size()>{});
}

}  // namespace stiction
