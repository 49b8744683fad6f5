#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/stiction/option_flags.hpp"
#include "apps/stiction/replay.hpp"
#include "stiction/record/options_json.hpp"
#include "stiction/sim/effort.hpp"

namespace stiction {

namespace {

void add_frame(RecordingSummary& summary, const RecordedFrame& frame) {
  summary.steps += frame.steps;
  summary.not_certified += frame.not_certified;
  summary.iterations += frame.iterations;
  summary.worst_residual = std::max(summary.worst_residual, frame.worst_residual);
  summary.deepest_overlap = std::max(summary.deepest_overlap, frame.deepest_overlap);
  summary.end_energy = frame.kinetic_energy + frame.potential_energy;
  summary.end_time = frame.state.time;
  const long long touching = std::ranges::count_if(
      frame.contacts, [](const RecordedContact& c) { return c.mode != ContactMode::open; });
  summary.contacts += static_cast<double>(touching);
  summary.most_contacts = std::max(summary.most_contacts, touching);
}

double per_step(const RecordingSummary& summary) {
  const auto steps = static_cast<double>(std::max<long long>(1, summary.steps));
  return static_cast<double>(summary.iterations) / steps;
}

/// Title of the run, or what there is in its place.
std::string title_of(const RecordingSummary& summary) {
  return printable(summary.run.title.empty() ? summary.model : summary.run.title);
}

}  // namespace

RecordingSummary summarize(const std::string& file, const Recording& recording) {
  RecordingSummary summary;
  summary.file = file;
  summary.model = recording.model_name();
  summary.run = recording.run();
  summary.complete = recording.complete();
  summary.frames = recording.frame_count();
  for (long long i = 0; i < summary.frames; ++i) {
    const RecordedFrame frame = recording.frame(i);
    add_frame(summary, frame);
    if (i > 0) continue;
    summary.start_time = frame.state.time;
    summary.start_energy = summary.end_energy;
  }
  summary.contacts /= static_cast<double>(std::max<long long>(1, summary.frames));
  return summary;
}

std::string recording_text(const RecordingSummary& summary, const Palette& palette) {
  const RunDescription& run = summary.run;
  std::string text = palette.bold(title_of(summary)) + '\n';
  const auto line = [&](std::string_view name, const std::string& what) {
    text += fmt::format("  {} {}\n", palette.faint(padded(name, 13)), what);
  };
  line("recording", fmt::format("{} frames in {}{}", summary.frames, printable(summary.file),
                                summary.complete ? "" : ", not finished"));
  line("time", fmt::format("{:.6g} s to {:.6g} s, {} steps of {:.6g} s", summary.start_time,
                           summary.end_time, summary.steps, run.options.time_step));
  const StepOptions& options = run.options;
  std::string chosen = fmt::format("solver {}, law {}, gap rule {}, integrator {}", options.solver,
                                   to_string(options.solver_options.law),
                                   to_string(options.gap_rule), to_string(options.integrator));
  for (const std::string& unusual : unusual_options(options)) chosen += ", " + unusual;
  line("options", chosen);
  if (!run.unknown_attributes.empty()) {
    line("not known", printable(fmt::format("{}: attributes that this release does not know",
                                            fmt::join(run.unknown_attributes, ", "))));
  }
  line("controls", fmt::format("{}, seed {}", printable(run.controls), run.seed));
  line("contacts", fmt::format("{:.1f} touching per frame, at most {}", summary.contacts,
                               summary.most_contacts));
  line("iterations", fmt::format("{:.2f} per step", per_step(summary)));
  line("certificate",
       fmt::format("worst residual {:.1e} at tolerance {:.0e}; {} steps not certified",
                   summary.worst_residual, tolerance_of(options), summary.not_certified));
  line("overlap", fmt::format("at most {:.1e} m", summary.deepest_overlap));
  line("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end", summary.start_energy,
                             summary.end_energy));
  return text;
}

nlohmann::ordered_json recording_json(const RecordingSummary& summary) {
  const RunDescription& run = summary.run;
  return {{"file", summary.file},
          {"model", summary.model},
          {"title", run.title},
          {"scene", run.scene},
          {"solver", run.options.solver},
          {"law", to_string(run.options.solver_options.law)},
          {"gap_rule", to_string(run.options.gap_rule)},
          {"integrator", to_string(run.options.integrator)},
          {"controls", run.controls},
          {"time_step", run.options.time_step},
          {"tolerance", tolerance_of(run.options)},
          {"options", options_json<nlohmann::ordered_json>(run.options)},
          {"unknown_attributes", run.unknown_attributes},
          {"seed", run.seed},
          {"complete", summary.complete},
          {"frames", summary.frames},
          {"start_time", summary.start_time},
          {"end_time", summary.end_time},
          {"steps", summary.steps},
          {"not_certified", summary.not_certified},
          {"iterations_per_step", per_step(summary)},
          {"worst_residual", summary.worst_residual},
          {"deepest_overlap", summary.deepest_overlap},
          {"start_energy", summary.start_energy},
          {"end_energy", summary.end_energy},
          {"contacts_per_frame", summary.contacts},
          {"most_contacts", summary.most_contacts}};
}

}  // namespace stiction
