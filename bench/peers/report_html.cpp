/// \file
/// The comparison as a page: plots of time against accuracy, then all numbers.

#include <algorithm>
#include <fmt/format.h>

#include "bench/peers/report.hpp"

namespace stiction::bench {

namespace {

constexpr double least_drawn = 1e-10;  ///< on a logarithmic axis

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_line(const std::vector<std::string>& cells, const char* tag,
                      const std::string& mark) {
  std::string line = mark.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", mark);
  for (const std::string& cell : cells) line += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return line + "</tr>\n";
}

std::string shown_table(const PeerReport& report) {
  std::string text = "<table>\n" + html_line(row_heading(), "th", "");
  const PeerSceneResult* last = nullptr;
  for (const ShownRow& row : shown_rows(report)) {
    if (row.scene != last) {
      text += fmt::format(
          "<tr><td class=\"scene\" colspan=\"{}\">{}: {}; {} velocities, h {:g} ms, "
          "{:g} s measured</td></tr>\n",
          row_heading().size(), escaped(row.scene->name), escaped(row.scene->title),
          row.scene->velocities, 1e3 * row.scene->time_step, row.scene->look);
      last = row.scene;
    }
    text += html_line(row_cells(row), "td", row.result->engine == "Stiction" ? "own" : "");
  }
  return text + "</table>\n";
}

std::string verdict_table(const PeerReport& report) {
  std::string text =
      "<table>\n<tr><th>scene</th><th>engine</th><th>times faster than its fastest</th>"
      "<th>violation / its most accurate</th><th>violation / its fastest</th>"
      "<th>faster and no worse</th></tr>\n";
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerVerdict& verdict : verdicts(scene)) {
      text += html_line({verdict.scene, verdict.engine, ratio_text(verdict.speedup),
                         number_text(verdict.violation), number_text(verdict.violation_fastest),
                         verdict.holds() ? "yes" : "NO"},
                        "td", verdict.holds() ? "" : "missed");
    }
  }
  return text + "</table>\n";
}

std::string all_table(const PeerReport& report) {
  std::string text = "<table>\n" + html_line(row_heading(), "th", "");
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerResult& row : scene.results) {
      text += html_line(row_cells({&scene, &row, ""}), "td", row.engine == "Stiction" ? "own" : "");
    }
  }
  return text + "</table>\n";
}

constexpr const char* style =
    "body{font:14px/1.5 sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;font-size:12px;margin:1em 0}"
    "td,th{border-bottom:1px solid #ddd;padding:2px 8px;text-align:left;white-space:nowrap}"
    "td.scene{font-weight:bold;padding-top:1em}tr.own{background:#eaf3fb}"
    "tr.missed{background:#fdecea}svg{max-width:100%;height:auto}div.wide{overflow-x:auto}";

}  // namespace

plot::Figure figure_of(const PeerReport& report) {
  plot::Figure figure;
  figure.title = "Time of a step against accuracy: one dot per setting, lower left is better";
  for (const PeerSceneResult& scene : report.scenes) {
    plot::Panel panel;
    panel.title = scene.title;
    panel.x_label = "µs per step";
    panel.y_label = to_string(scene.accuracy);
    const auto line_of = [&panel](const std::string& label) -> plot::Line& {
      const auto found = std::ranges::find(panel.lines, label, &plot::Line::label);
      if (found != panel.lines.end()) return *found;
      return panel.lines.emplace_back(
          plot::Line{.label = label, .x = {}, .y = {}, .style = plot::LineStyle::points});
    };
    for (const PeerResult& row : scene.results) {
      if (!row.stable()) continue;
      plot::Line& line = line_of(row.engine == "Stiction" ? row.name() : row.engine);
      line.x.push_back(1e6 * row.seconds);
      line.y.push_back(std::max(row.accuracy(scene.accuracy), least_drawn));
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

std::string html_report(const PeerReport& report) {
  const nlohmann::json machine = machine_description();
  std::string svg = plot::render(figure_of(report), plot::Format::svg);
  svg.erase(0, svg.find("<svg"));  // no XML declaration within a page
  std::string gaps;
  for (const std::string& gap : gaps_of(report)) gaps += "<li>" + escaped(gap) + "</li>\n";
  std::string facts;
  for (const auto& [key, value] : machine.items()) {
    facts += fmt::format("<li>{}: {}</li>\n", escaped(key),
                         escaped(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>Stiction beside its peers</title><style>{}</style></head><body>\n"
      "<h1>Stiction beside its peers</h1>\n"
      "<p>Every engine steps the same models in one run, on one thread, in turns. Overlaps are "
      "measured by one collider from the poses alone. The certificate is the residual of Coulomb's "
      "law and of non-penetration, from the impulses and velocities that an engine reports, "
      "relative to the largest impulse: the median of the samples, and the worst. Shown are the "
      "fastest stable setting of each engine and the most accurate one; ours is always shown at "
      "default options. A time with ~ was measured on a disturbed machine.{}</p>\n"
      "{}\n<h2>Fastest and most accurate settings</h2>\n<div class=\"wide\">{}</div>\n"
      "<h2>Stiction at default options against each peer</h2>\n{}"
      "<h2>Not stable, not possible or not installed</h2>\n<ul>{}</ul>\n"
      "<h2>All settings</h2>\n<details><summary>Show</summary><div "
      "class=\"wide\">{}</div></details>\n"
      "<h2>Machine</h2>\n<ul>{}</ul>\n</body></html>\n",
      style, report.quick ? " This is a quick run: short, with few blocks." : "", svg,
      shown_table(report), verdict_table(report), gaps, all_table(report), facts);
}

}  // namespace stiction::bench
