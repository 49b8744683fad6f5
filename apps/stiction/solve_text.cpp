#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "apps/stiction/solve.hpp"
#include "apps/stiction/table.hpp"

namespace stiction {

namespace {

/// Asymmetry above this is worth a word: below it is rounding.
constexpr double notable_asymmetry = 1e-12;

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.2f} s", seconds);
}

std::string residual_text(double residual) {
  if (residual == 0.0) return "0";
  return std::isinf(residual) ? "∞" : fmt::format("{:.1e}", residual);
}

/// The file's name without folder and ending.
std::string short_name(const std::string& file) {
  return printable(std::filesystem::path(file).stem().string());
}

std::vector<std::string> row_of(const SolvedFile& file, const SolveOutcome& outcome, bool first,
                                Law law) {
  std::vector<std::string> row{first ? short_name(file.file) : "",
                               first ? fmt::format("{}", file.contacts) : "", outcome.solver,
                               std::string(to_string(outcome.status))};
  if (!outcome.ran()) return row.resize(10, "-"), row;
  const Certificate& certificate = outcome.certificate;
  row.push_back(fmt::format("{}", outcome.iterations));
  row.push_back(time_text(outcome.seconds));
  row.push_back(residual_text(certificate.law_residual));
  row.push_back(traits_of(law).has_natural_map ? residual_text(certificate.natural_residual) : "-");
  row.push_back(residual_text(certificate.signorini));
  row.push_back(residual_text(certificate.cone));
  return row;
}

std::string table_text(const std::vector<SolvedFile>& files, Law law, const Palette& palette) {
  Table table({"problem", "contacts", "solver", "status", "iterations", "time", "law residual",
               "natural", "signorini", "cone"});
  for (const SolvedFile& file : files) {
    for (std::size_t i = 0; i < file.outcomes.size(); ++i) {
      table.add(row_of(file, file.outcomes[i], i == 0, law));
    }
  }
  return table.text(palette);
}

/// Problems by what is to be said of them, in the order in which it came up.
class Notes {
 public:
  void add(const std::string& what, const std::string& problem) {
    for (auto& [text, problems] : notes_) {
      if (text == what) return problems.push_back(problem);
    }
    notes_.push_back({what, {problem}});
  }

  [[nodiscard]] std::string text() const {
    constexpr std::size_t named = 3;
    std::string result;
    for (const auto& [what, problems] : notes_) {
      const auto some = std::span(problems).first(std::min(named, problems.size()));
      result += fmt::format("{}: {}", fmt::join(some, ", "), what);
      if (problems.size() > named) {
        result += fmt::format(" (and {} more problems)", problems.size() - named);
      }
      result += '\n';
    }
    return result;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> notes_;
};

std::string notes_text(const std::vector<SolvedFile>& files) {
  Notes notes;
  for (const SolvedFile& file : files) {
    const std::string name = short_name(file.file);
    if (file.asymmetry > notable_asymmetry) {
      notes.add(
          fmt::format("the matrix was asymmetric by {:.1e}; it was averaged with its transpose",
                      file.asymmetry),
          name);
    }
    for (const SolveOutcome& outcome : file.outcomes) {
      if (outcome.skipped_blocks > 0) {
        notes.add(fmt::format(
                      "{}: {} of the contacts cannot move along their normal; they get no impulse",
                      outcome.solver, outcome.skipped_blocks),
                  name);
      }
      if (!outcome.certified()) {
        const std::string message = printable(outcome.message);
        const bool named = message.starts_with(outcome.solver);
        notes.add(named ? message : fmt::format("{}: {}", outcome.solver, message), name);
      }
    }
  }
  return notes.text();
}

std::string summary_text(const std::vector<SolvedFile>& files, const SolveArguments& arguments) {
  std::size_t certified = 0;
  std::size_t all = 0;
  for (const SolvedFile& file : files) {
    all += arguments.solvers.size();
    for (const SolveOutcome& outcome : file.outcomes) certified += outcome.certified() ? 1 : 0;
  }
  return fmt::format("{} of {} certified at {:.1e} under the law {}\n", certified, all,
                     arguments.options.tolerance, to_string(arguments.options.law));
}

}  // namespace

std::string solve_text(const std::vector<SolvedFile>& files, const SolveArguments& arguments,
                       const Palette& palette) {
  std::string text;
  bool any = false;
  for (const SolvedFile& file : files) any = any || !file.outcomes.empty();
  if (any) text += table_text(files, arguments.options.law, palette) + '\n';
  const std::string notes = notes_text(files);
  if (!notes.empty()) text += notes + '\n';
  return text + summary_text(files, arguments);
}

}  // namespace stiction
