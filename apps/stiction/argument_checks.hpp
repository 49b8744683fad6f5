#pragma once

/// \file
/// Words and numbers on the command line, checked more strictly than CLI11 does. A check returns
/// what is wrong in one line, empty if nothing is.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

std::vector<std::string_view> known_solvers();

/// Empty if the word is known, else what was probably meant.
std::string check_word(const std::string& kind, const std::string& word,
                       const std::vector<std::string_view>& known);
/// The same for words with commas between them.
std::string check_words(const std::string& kind, const std::string& list,
                        const std::vector<std::string_view>& known);

/// The whole text as a finite number: CLI11 would take `nan`, and 1e-8x for 1e-8.
std::optional<double> parse_number(const std::string& text);

std::string check_positive(const std::string& text);
std::string check_not_negative(const std::string& text);
/// A time above 0 and at most `longest` [s].
std::string check_duration(const std::string& text, double longest);
std::string check_file_name(const std::string& text);
/// A whole number from 1 to a thousand million.
std::string check_count(const std::string& text);

/// One line that says how long a run really is, if its duration [s] is no whole number of steps of
/// `time_step` [s]; empty if it is.
std::string note_on_duration(double duration, double time_step);

/// A whole number from 0 to 2⁶⁴ − 1: CLI11 would wrap others around.
std::string check_seed(const std::string& text);

/// The parts between separators, empty ones included.
std::vector<std::string> split(const std::string& text, char separator = ',');

}  // namespace stiction
