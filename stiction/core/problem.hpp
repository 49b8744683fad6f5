#pragma once

/// \file
/// What is wrong with a user's input, where, and how to fix it.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// A place in a user's input.
struct Source {
  std::string file;     ///< path as the user gave it; empty for a model built in code
  int line = 0;         ///< 1-based; 0 if unknown
  std::string element;  ///< as in the file, such as `<geom name="floor">`
};

enum class Severity {
  note,     ///< read, but not used by Stiction
  warning,  ///< usable, but probably not what was meant
  error,    ///< the model cannot be built
};

/// One thing that is wrong (or not used) in an input.
struct Problem {
  Severity severity = Severity::error;
  Source source;
  std::string what;    ///< what is wrong, one sentence
  std::string remedy;  ///< how to fix it, one sentence; may be empty for notes
};

/// Such as `robot.urdf:12: error: link 'torso': mass is -1; give a positive mass`.
std::string to_string(const Problem& problem);
std::string_view to_string(Severity severity);

/// Collects problems so that a reader can report all of them at once.
class ProblemList {
 public:
  void note(Source source, std::string what, std::string remedy = {});
  void warning(Source source, std::string what, std::string remedy);
  void error(Source source, std::string what, std::string remedy);
  void append(const ProblemList& other);

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] std::size_t count(Severity severity) const;
  [[nodiscard]] const std::vector<Problem>& all() const { return problems_; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }

 private:
  void add(Severity severity, Source source, std::string what, std::string remedy);
  std::vector<Problem> problems_;
};

/// Thrown when an input cannot be used. Its text lists every error, one per line.
class InputError : public std::runtime_error {
 public:
  explicit InputError(ProblemList problems);
  [[nodiscard]] const ProblemList& problems() const { return problems_; }

 private:
  ProblemList problems_;
};

}  // namespace stiction
