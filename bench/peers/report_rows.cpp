/// \file
/// Which rows are shown, and what they say.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>

#include "bench/peers/report.hpp"

namespace stiction::bench {

namespace {

void add_engine(const PeerSceneResult& scene, const std::string& engine,
                std::vector<ShownRow>& rows) {
  const PeerResult* fast = scene.fastest(engine);
  const PeerResult* accurate = scene.most_accurate(engine);
  // Ours is used as it comes, so that row is always there.
  if (engine == "Stiction") {
    for (const PeerResult& row : scene.results) {
      if (row.engine == engine && row.setting == "default")
        rows.push_back({&scene, &row, "default"});
    }
  }
  const auto shown = [&rows](const PeerResult* row) {
    return std::ranges::find(rows, row, &ShownRow::result) != rows.end();
  };
  if (fast != nullptr && !shown(fast)) {
    rows.push_back({&scene, fast, fast == accurate ? "both" : "fastest"});
  }
  if (accurate != nullptr && accurate != fast && !shown(accurate)) {
    rows.push_back({&scene, accurate, "accurate"});
  }
  if (fast != nullptr || engine == "Stiction") return;
  const auto first = std::ranges::find(scene.results, engine, &PeerResult::engine);
  rows.push_back({&scene, &*first, "none"});
}

/// The reasons of a scene's settings that failed, with the settings that share each.
std::map<std::string, std::vector<std::string>> failures_of(const PeerSceneResult& scene,
                                                            const std::string& engine) {
  std::map<std::string, std::vector<std::string>> failures;
  for (const PeerResult& row : scene.results) {
    if (row.engine == engine && !row.failure.empty()) failures[row.failure].push_back(row.setting);
  }
  return failures;
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:.2g}", value);
}

std::string length_text(double metres) {
  if (std::isnan(metres)) return "-";
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit& unit : {Unit{1.0, "m"}, Unit{1e-3, "mm"}, Unit{1e-6, "µm"}, Unit{1e-9, "nm"}}) {
    if (std::abs(metres) >= 0.9995 * unit.size) {
      return fmt::format("{:.3g} {}", metres / unit.size, unit.name);
    }
  }
  if (metres == 0.0) return "0";
  return std::abs(metres) >= 1e-11 ? fmt::format("{:.2f} nm", 1e9 * metres)
                                   : fmt::format("{:.0e} m", metres);
}

std::vector<ShownRow> shown_rows(const PeerReport& report) {
  std::vector<ShownRow> rows;
  for (const PeerSceneResult& scene : report.scenes) {
    for (const std::string& engine : engines_of(scene)) add_engine(scene, engine, rows);
  }
  return rows;
}

std::vector<std::string> row_heading() {
  return {"scene",           "engine",       "setting", "is",    "µs per step",
          "contacts",        "mean overlap", "deepest", "creep", "energy error",
          "energy rise [J]", "certificate",  "worst"};
}

std::vector<std::string> row_cells(const ShownRow& row) {
  const PeerResult& r = *row.result;
  std::vector<std::string> cells{row.scene->name, r.engine, r.setting};
  if (!r.stable()) {
    cells.push_back(r.failure);
    cells.resize(row_heading().size(), "-");
    return cells;
  }
  const auto energy = std::isnan(r.energy) ? std::string("-") : number_text(r.energy);
  cells.insert(
      cells.end(),
      {row.role, microseconds(r.seconds) + (r.noisy || !r.in_turns ? "~" : ""),
       std::isnan(r.contacts) ? "-" : fmt::format("{:.1f}", r.contacts),
       length_text(r.mean_overlap), length_text(r.deepest), length_text(r.creep), energy,
       number_text(r.energy_rise), number_text(r.residual), number_text(r.worst_residual)});
  return cells;
}

std::vector<std::string> gaps_of(const PeerReport& report) {
  std::vector<std::string> lines;
  for (const PeerEngineName& engine : report.missing) {
    lines.push_back(
        fmt::format("{} is not in this build (Debian: {}).", engine.engine, engine.package));
  }
  for (const PeerSceneResult& scene : report.scenes) {
    for (const std::string& engine : engines_of(scene)) {
      for (const auto& [reason, settings] : failures_of(scene, engine)) {
        std::string list;
        for (const std::string& setting : settings) list += (list.empty() ? "" : "; ") + setting;
        lines.push_back(fmt::format("{}, {} ({}): {}.", scene.name, engine, list, reason));
      }
    }
  }
  return lines;
}

}  // namespace stiction::bench
