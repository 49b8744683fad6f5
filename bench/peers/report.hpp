#pragma once

/// \file
/// What the comparison writes: a table, JSON, CSV, and a page with plots.

#include <string>
#include <vector>

#include "apps/plot/figure.hpp"
#include "bench/output.hpp"
#include "bench/peers/measure.hpp"

namespace stiction::bench {

struct PeerReport {
  std::vector<PeerSceneResult> scenes;
  std::vector<PeerEngineName> missing;  ///< engines that are not installed
  bool quick = false;
  double wall_seconds = 0.0;
};

/// Such as `0.31 µm`; `-` for NaN.
std::string length_text(double metres);
/// Three digits that matter; `-` for NaN.
std::string number_text(double value);

/// The rows that are shown: of each scene and engine the fastest and the most accurate setting, one
/// row if they are the same; the first failure if none is stable.
struct ShownRow {
  const PeerSceneResult* scene = nullptr;
  const PeerResult* result = nullptr;
  std::string role;  ///< `fastest`, `accurate`, `both` or `default`
};
std::vector<ShownRow> shown_rows(const PeerReport& report);
/// Cells of one row, and what is above them.
std::vector<std::string> row_heading();
std::vector<std::string> row_cells(const ShownRow& row);

/// One table of all scenes, then the verdicts, then what could not be done.
std::string text_report(const PeerReport& report);
/// The same as Markdown, for documents.
std::string markdown_report(const PeerReport& report);
nlohmann::json json_report(const PeerReport& report);
/// One line per setting and scene.
std::string csv_report(const PeerReport& report);
/// Time against accuracy, one panel per scene.
plot::Figure figure_of(const PeerReport& report);
/// A page that needs no network.
std::string html_report(const PeerReport& report);

/// Sentences on what could not be done: missing engines, scenes that an engine cannot make,
/// settings that are not stable.
std::vector<std::string> gaps_of(const PeerReport& report);

}  // namespace stiction::bench
