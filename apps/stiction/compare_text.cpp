#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "apps/stiction/compare.hpp"
#include "apps/stiction/table.hpp"
#include "stiction/sim/effort.hpp"

namespace stiction {

namespace {

double microseconds(const RunSummary& summary) {
  return 1e6 * summary.seconds / summary.steps_done();
}

std::string small_text(double number) {
  return number == 0.0 ? std::string("0") : fmt::format("{:.1e}", number);
}

std::vector<std::string> row_of(const ComparedRun& run) {
  constexpr std::size_t cells = 8;
  std::vector<std::string> row{run.label};
  if (!run.ran()) return row.resize(cells, "-"), row;
  const RunSummary& summary = run.summary;
  row.push_back(run.difference ? small_text(*run.difference) : "-");
  row.push_back(small_text(summary.counts.worst_residual));
  row.push_back(fmt::format("{}", summary.counts.not_certified));
  row.push_back(fmt::format("{:.2f}", summary.iterations / summary.steps_done()));
  row.push_back(fmt::format("{:.2f}", microseconds(summary)));
  row.push_back(fmt::format("{:+.4g}", summary.end_energy - summary.start_energy));
  row.push_back(fmt::format("{:.1f}", summary.contacts / summary.steps_done()));
  return row;
}

/// Why a run is not there, or not as long as the others; empty if it is.
std::string note_of(const ComparedRun& run) {
  if (!run.ran()) return fmt::format("{}: not run: {}\n", run.label, printable(run.refusal));
  if (!run.summary.fault.empty()) {
    return fmt::format("{}: {}\n", run.label, printable(run.summary.fault));
  }
  if (run.summary.signal != 0) {
    return fmt::format("{}: interrupted at t = {:g} s\n", run.label, run.summary.end_time);
  }
  return {};
}

/// What all runs share.
std::string head_text(const std::vector<ComparedRun>& runs, const CompareArguments& arguments) {
  const auto first = std::ranges::find_if(runs, &ComparedRun::ran);
  if (first == runs.end()) return {};
  const StepOptions& options = first->summary.run.options;
  const auto shared = [&](auto member) {
    return std::ranges::all_of(runs, [&](const ComparedRun& run) {
      return !run.ran() || member(run.summary.run.options) == member(options);
    });
  };
  std::string text =
      fmt::format("{}: {:g} s", printable(first->summary.run.title), arguments.duration);
  if (shared([](const StepOptions& o) { return o.time_step; })) {
    text += fmt::format(" in steps of {:g} s", options.time_step);
  }
  text += fmt::format(", controls {}", printable(first->summary.run.controls));
  if (shared([](const StepOptions& o) { return tolerance_of(o); })) {
    text += fmt::format(", tolerance {:.0e}", tolerance_of(options));
  }
  return text + '\n';
}

}  // namespace

std::string compare_text(const std::vector<ComparedRun>& runs, const CompareArguments& arguments,
                         const Palette& palette) {
  const bool recorded = !arguments.html.empty();
  Table table({"run", "difference [m]", "worst residual", "not certified", "iterations",
               recorded ? "µs per step, recorded" : "µs per step", "energy change [J]",
               "contacts"});
  for (const ComparedRun& run : runs) table.add(row_of(run));
  std::string text = head_text(runs, arguments) + table.text(palette);
  for (const ComparedRun& run : runs) text += note_of(run);
  text += palette.faint(
      "difference: largest distance of a body at the end from its place in the first run; "
      "iterations and contacts: mean per step\n");
  if (recorded) text += fmt::format("wrote {}\n", printable(arguments.html));
  return text;
}

nlohmann::ordered_json compare_json(const std::vector<ComparedRun>& runs,
                                    const CompareArguments& arguments) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ComparedRun& run : runs) {
    nlohmann::ordered_json entry{{"label", run.label}};
    if (!run.ran()) {
      entry["refusal"] = run.refusal;
    } else {
      const RunSummary& summary = run.summary;
      entry["summary"] = summary_json(summary);
      entry["difference"] =
          run.difference ? nlohmann::ordered_json(*run.difference) : nlohmann::ordered_json();
      entry["worst_residual"] = summary.counts.worst_residual;
      entry["not_certified"] = summary.counts.not_certified;
      entry["iterations_per_step"] = summary.iterations / summary.steps_done();
      entry["microseconds_per_step"] = microseconds(summary);
      entry["energy_change"] = summary.end_energy - summary.start_energy;
      entry["contacts_per_step"] = summary.contacts / summary.steps_done();
    }
    list.push_back(std::move(entry));
  }
  return {{"scene", arguments.scene.model.file},
          {"duration", arguments.duration},
          {"recorded", !arguments.html.empty()},
          {"runs", std::move(list)}};
}

}  // namespace stiction
