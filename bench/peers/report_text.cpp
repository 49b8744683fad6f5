/// \file
/// The comparison as text, Markdown and CSV.

#include <cmath>
#include <fmt/format.h>

#include "bench/peers/report.hpp"

namespace stiction::bench {

namespace {

constexpr const char* verdict_heading[] = {"scene",
                                           "engine",
                                           "times faster",
                                           "violation / its most accurate",
                                           "violation / its fastest",
                                           "faster and no worse"};

std::vector<std::string> verdict_cells(const PeerVerdict& verdict) {
  return {verdict.scene,
          verdict.engine,
          ratio_text(verdict.speedup),
          number_text(verdict.violation),
          number_text(verdict.violation_fastest),
          verdict.holds() ? "yes" : "NO"};
}

std::string markdown_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_rule(std::size_t columns) {
  std::string rule = "|";
  for (std::size_t k = 0; k < columns; ++k) rule += "---|";
  return rule + '\n';
}

std::string csv_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.9g}", value);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string text_report(const PeerReport& report) {
  Table table(row_heading());
  for (const ShownRow& row : shown_rows(report)) table.add(row_cells(row));
  Table ratios({std::begin(verdict_heading), std::end(verdict_heading)});
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerVerdict& verdict : verdicts(scene)) ratios.add(verdict_cells(verdict));
  }
  std::string text =
      table.text() + "\nOurs at default options against each peer:\n" + ratios.text();
  const std::vector<std::string> gaps = gaps_of(report);
  if (!gaps.empty()) text += "\nNot stable, not possible or not installed:\n";
  for (const std::string& gap : gaps) text += "  " + gap + '\n';
  return text;
}

std::string markdown_report(const PeerReport& report) {
  std::string text = markdown_line(row_heading()) + markdown_rule(row_heading().size());
  for (const ShownRow& row : shown_rows(report)) text += markdown_line(row_cells(row));
  const std::vector<std::string> heading(std::begin(verdict_heading), std::end(verdict_heading));
  text += '\n' + markdown_line(heading) + markdown_rule(heading.size());
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerVerdict& verdict : verdicts(scene))
      text += markdown_line(verdict_cells(verdict));
  }
  return text;
}

std::string csv_report(const PeerReport& report) {
  std::string text =
      "scene,engine,setting,stable,failure,seconds_per_step,noisy,in_turns,mean_contacts,"
      "mean_overlap_m,deepest_overlap_m,creep_m,relative_energy_error,energy_rise_J,"
      "horizontal_velocity_m_per_s,residual_median,residual_worst\n";
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerResult& r : scene.results) {
      text += fmt::format("{},{},{},{},{},{},{},{}", scene.name, r.engine, quoted(r.setting),
                          r.stable() ? 1 : 0, quoted(r.failure), csv_number(r.seconds),
                          r.noisy ? 1 : 0, r.in_turns ? 1 : 0);
      for (const double value : {r.contacts, r.mean_overlap, r.deepest, r.creep, r.energy,
                                 r.energy_rise, r.momentum, r.residual, r.worst_residual}) {
        text += ',' + csv_number(value);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace stiction::bench
