#include "apps/stiction/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace stiction {

namespace {

bool write_all(FILE* stream, std::string_view text) {
  errno = 0;
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

bool wants_colors(FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return (no_color == nullptr || *no_color == '\0') && !dumb && isatty(fileno(stream)) == 1;
}

std::string counted(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// The remedy comes after `arrow`.
std::string format_problem(const Problem& problem, const Palette& palette, const char* arrow) {
  std::string place;
  if (!problem.source.file.empty()) {
    place = printable(problem.source.file);
    if (problem.source.line > 0) place += fmt::format(":{}", problem.source.line);
    place = palette.bold(place) + ": ";
  }
  std::string text = place + palette.severity(problem.severity) + ": ";
  if (!problem.source.element.empty()) text += printable(problem.source.element) + ": ";
  text += printable(problem.what);
  if (!problem.remedy.empty()) text += arrow + printable(problem.remedy);
  return text + '\n';
}

}  // namespace

int write_output(std::string_view text) {
  if (write_all(stdout, text)) return exit_success;
  const int reason = errno;
  write_error(fmt::format("stiction: cannot write the output: {}; check disk space and pipes\n",
                          std::strerror(reason)));
  return exit_failure;
}

void write_error(std::string_view text) { write_all(stderr, text); }

void write_problems(const ProblemList& problems) {
  write_error(format_problems(problems, Palette::of_stderr()));
}

void write_input_error(const InputError& error) {
  const std::vector<Problem>& all = error.problems().all();
  if (all.size() != 1) return write_problems(error.problems());
  write_error(format_problem(all.front(), Palette::of_stderr(), " → "));
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) letter = letter == '\n' || letter == '\t' ? ' ' : '?';
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  std::size_t letters = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) ++letters;
  }
  return letters;
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t letters = display_width(text);
  return std::string(text) + std::string(letters < width ? width - letters : 0, ' ');
}

Palette Palette::of_stdout() { return Palette(wants_colors(stdout)); }
Palette Palette::of_stderr() { return Palette(wants_colors(stderr)); }

std::string Palette::paint(std::string_view code, std::string_view text) const {
  return colors_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string Palette::severity(Severity severity) const {
  const std::string_view name = to_string(severity);
  switch (severity) {
    case Severity::error:
      return paint("1;31", name);
    case Severity::warning:
      return paint("1;33", name);
    case Severity::note:
      return paint("36", name);
  }
  return std::string(name);
}

std::string format_problems(const ProblemList& problems, const Palette& palette) {
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    for (const Problem& problem : problems.all()) {
      if (problem.severity == severity) text += format_problem(problem, palette, "\n    → ");
    }
  }
  text += fmt::format("{}, {}, {}\n", counted(problems.count(Severity::error), "error"),
                      counted(problems.count(Severity::warning), "warning"),
                      counted(problems.count(Severity::note), "note"));
  return text;
}

}  // namespace stiction
