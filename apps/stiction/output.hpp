#pragma once

/// \file
/// How the program speaks: whole texts to stdout, problems to stderr, colours on terminals only.

#include <string>
#include <string_view>

#include "stiction/core/problem.hpp"

namespace stiction {

inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;  ///< the input or the outside world is at fault
inline constexpr int exit_usage = 2;    ///< the arguments are at fault

/// Writes to stdout. Returns exit_success, or exit_failure with a message if that did not work
/// (full disk, closed pipe).
int write_output(std::string_view text);

/// Writes to stderr.
void write_error(std::string_view text);

/// Writes every problem to stderr, errors first, then how many there are.
void write_problems(const ProblemList& problems);

/// Writes one line if there is one problem alone, else as write_problems().
void write_input_error(const InputError& error);

/// Text with control characters replaced: a file must not be able to steer the terminal.
std::string printable(std::string_view text);

/// Letters that a terminal shows for a UTF-8 text.
std::size_t display_width(std::string_view text);

/// `text`, filled with blanks to `width` letters.
std::string padded(std::string_view text, std::size_t width);

/// Colours, or nothing where the stream is not a terminal or NO_COLOR is set.
class Palette {
 public:
  static Palette of_stdout();
  static Palette of_stderr();

  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string severity(Severity severity) const;

 private:
  explicit Palette(bool colors) : colors_(colors) {}
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
  bool colors_;
};

/// Problems grouped by severity, errors first, each with place, what and remedy; then a count.
std::string format_problems(const ProblemList& problems, const Palette& palette);

}  // namespace stiction
