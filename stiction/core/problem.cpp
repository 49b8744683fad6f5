#include "stiction/core/problem.hpp"

#include <algorithm>
#include <utility>

namespace stiction {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

std::string to_string(const Problem& problem) {
  std::string text;
  if (!problem.source.file.empty()) {
    text += problem.source.file;
    if (problem.source.line > 0) text += ':' + std::to_string(problem.source.line);
    text += ": ";
  }
  text += to_string(problem.severity);
  text += ": ";
  if (!problem.source.element.empty()) text += problem.source.element + ": ";
  text += problem.what;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

void ProblemList::add(Severity severity, Source source, std::string what, std::string remedy) {
  problems_.push_back({severity, std::move(source), std::move(what), std::move(remedy)});
}

void ProblemList::note(Source source, std::string what, std::string remedy) {
  add(Severity::note, std::move(source), std::move(what), std::move(remedy));
}

void ProblemList::warning(Source source, std::string what, std::string remedy) {
  add(Severity::warning, std::move(source), std::move(what), std::move(remedy));
}

void ProblemList::error(Source source, std::string what, std::string remedy) {
  add(Severity::error, std::move(source), std::move(what), std::move(remedy));
}

void ProblemList::append(const ProblemList& other) {
  problems_.insert(problems_.end(), other.problems_.begin(), other.problems_.end());
}

bool ProblemList::has_errors() const { return count(Severity::error) > 0; }

std::size_t ProblemList::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(problems_.begin(), problems_.end(),
                    [severity](const Problem& p) { return p.severity == severity; }));
}

namespace {

std::string error_text(const ProblemList& problems) {
  std::string text;
  for (const Problem& problem : problems.all()) {
    if (problem.severity != Severity::error) continue;
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}

}  // namespace

InputError::InputError(ProblemList problems)
    : std::runtime_error(error_text(problems)), problems_(std::move(problems)) {}

}  // namespace stiction
