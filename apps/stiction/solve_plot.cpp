#include <algorithm>
#include <fmt/format.h>

#include "apps/stiction/solve.hpp"

namespace stiction {

namespace {

/// A residual of exactly zero is shown here, below what rounding leaves otherwise.
constexpr double least_residual = 1e-17;
/// Before the first iteration: left of 1 on a logarithmic axis.
constexpr double before_the_first = 0.5;

plot::Line line_of(const SolveOutcome& outcome, bool against_time) {
  plot::Line line{.label = outcome.solver};
  const auto add = [&](int iteration, double seconds, double residual) {
    line.x.push_back(against_time ? 1e3 * seconds
                                  : std::max(static_cast<double>(iteration), before_the_first));
    line.y.push_back(std::max(residual, least_residual));
  };
  for (const HistoryPoint& point : outcome.history) {
    add(point.iteration, point.seconds, point.residual);
  }
  add(outcome.iterations, outcome.seconds, outcome.certificate.residual());
  return line;
}

plot::Panel panel_of(const SolvedFile& file, const SolveArguments& arguments, bool against_time) {
  plot::Panel panel;
  panel.title =
      fmt::format("{}, {} contact{}", printable(std::filesystem::path(file.file).stem().string()),
                  file.contacts, file.contacts == 1 ? "" : "s");
  panel.x_label = against_time ? "time [ms]" : "iterations";
  panel.y_label = "residual";
  panel.threshold = arguments.options.tolerance;
  for (const SolveOutcome& outcome : file.outcomes) {
    if (outcome.ran()) panel.lines.push_back(line_of(outcome, against_time));
  }
  return panel;
}

}  // namespace

plot::Figure solve_figure(const std::vector<SolvedFile>& files, const SolveArguments& arguments) {
  plot::Figure figure;
  figure.title = fmt::format("Residual under the law {}", to_string(arguments.options.law));
  figure.threshold_label = fmt::format("tolerance {:.0e}", arguments.options.tolerance);
  for (const SolvedFile& file : files) {
    if (!file.problems.empty()) continue;
    for (const bool against_time : {true, false}) {
      figure.panels.push_back(panel_of(file, arguments, against_time));
    }
  }
  return figure;
}

}  // namespace stiction
