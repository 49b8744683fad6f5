#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/stiction/option_flags.hpp"
#include "apps/stiction/simulate.hpp"
#include "stiction/record/options_json.hpp"
#include "stiction/sim/effort.hpp"

namespace stiction {

namespace {

std::string size_text(const std::string& file) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(file, error));
  if (error) return "?";
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

std::string certificate_text(const RunSummary& summary) {
  // Springs have no law that a certificate could judge.
  const bool springs = summary.run.options.contact == ContactFamily::viscoelastic;
  if (springs && summary.counts.not_certified == 0) {
    return fmt::format("contacts are springs; every limit and lock certified at {:.0e}",
                       tolerance_of(summary.run.options));
  }
  const std::string worst = fmt::format("worst residual {:.1e}", summary.counts.worst_residual);
  if (summary.counts.not_certified == 0) {
    return fmt::format("every step certified at {:.0e}; {}", tolerance_of(summary.run.options),
                       worst);
  }
  return fmt::format("{} of {:.0f} steps NOT certified at {:.0e}; {}", summary.counts.not_certified,
                     summary.steps_done(), tolerance_of(summary.run.options), worst);
}

/// What came in without input, if any did.
std::string growth_text(const RunCounts& counts) {
  if (counts.gaining_steps == 0) return {};
  std::string text = fmt::format("; {:.2g} J came in without input, in {} steps",
                                 counts.energy_gain, counts.gaining_steps);
  if (counts.energy_grew > 0) {
    text += fmt::format("; it GREW beyond all bounds in {} steps", counts.energy_grew);
  }
  return text;
}

std::string file_text(const std::string& file) {
  const bool page = file.ends_with(".html") || file.ends_with(".htm");
  return fmt::format("{} ({}){}", printable(file), size_text(file),
                     page ? ": open it in a browser" : "");
}

double per_second(double amount, double seconds) { return seconds > 0.0 ? amount / seconds : 0.0; }

}  // namespace

std::string summary_text(const RunSummary& summary, const Palette& palette) {
  const RunDescription& run = summary.run;
  std::string text =
      fmt::format("{}: {:.6g} s simulated in {:.3g} s, {:.3g} × real time, {:.3g} steps/s{}\n",
                  palette.bold(printable(run.title)), summary.simulated(), summary.seconds,
                  per_second(summary.simulated(), summary.seconds),
                  per_second(summary.steps_done(), summary.seconds),
                  summary.signal == 0 ? "" : ", interrupted");
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {} {}\n", palette.faint(fmt::format("{:<11}", name)), value);
  };
  const StepOptions& options = run.options;
  line("step", fmt::format("{:.6g} ms; {}, {}, {}, {}", 1e3 * options.time_step, options.solver,
                           to_string(options.solver_options.law), to_string(options.gap_rule),
                           to_string(options.integrator)));
  if (const auto unusual = unusual_options(options); !unusual.empty()) {
    line("options", fmt::format("{}", fmt::join(unusual, ", ")));
  }
  line("controls", printable(run.controls));
  line("contacts", fmt::format("{:.1f} touching per step, at most {}",
                               summary.contacts / summary.steps_done(), summary.most_contacts));
  line("iterations", fmt::format("{:.1f} per step", summary.iterations / summary.steps_done()));
  line("certificate", certificate_text(summary));
  if (summary.counts.refused > 0) line("refused", fmt::format("{}", summary.counts.refused));
  line("overlap", fmt::format("{:.2g} mm at most", 1e3 * summary.counts.deepest_overlap));
  line("energy", fmt::format("{:.4g} J at the start, {:.4g} J at the end", summary.start_energy,
                             summary.end_energy) +
                     growth_text(summary.counts));
  line("end", fmt::format("t = {:.6g} s, hash {:016x}", summary.end_time, summary.state_hash));
  if (!summary.kept.empty()) line("uncertified", printable(summary.kept));
  for (std::size_t i = 0; i < summary.files.size(); ++i) {
    line(i == 0 ? "files" : "", file_text(summary.files[i]));
  }
  return text;
}

nlohmann::ordered_json summary_json(const RunSummary& summary) {
  const RunDescription& run = summary.run;
  const RunCounts& counts = summary.counts;
  return {{"title", run.title},
          {"scene", run.scene},
          {"solver", run.options.solver},
          {"law", to_string(run.options.solver_options.law)},
          {"gap_rule", to_string(run.options.gap_rule)},
          {"integrator", to_string(run.options.integrator)},
          {"controls", run.controls},
          {"seed", run.seed},
          {"time_step", run.options.time_step},
          {"tolerance", tolerance_of(run.options)},
          {"options", options_json<nlohmann::ordered_json>(run.options)},
          {"complete", summary.signal == 0 && summary.fault.empty()},
          {"signal", summary.signal},
          {"fault", summary.fault},
          {"start_time", summary.start_time},
          {"end_time", summary.end_time},
          {"seconds", summary.seconds},
          {"real_time_factor", per_second(summary.simulated(), summary.seconds)},
          {"steps_per_second", per_second(summary.steps_done(), summary.seconds)},
          {"steps", counts.steps},
          {"not_certified", counts.not_certified},
          {"refused", counts.refused},
          {"worst_residual", counts.worst_residual},
          {"deepest_overlap", counts.deepest_overlap},
          {"mean_contacts", summary.contacts / summary.steps_done()},
          {"most_contacts", summary.most_contacts},
          {"mean_iterations", summary.iterations / summary.steps_done()},
          {"start_energy", summary.start_energy},
          {"end_energy", summary.end_energy},
          {"energy_gain", counts.energy_gain},
          {"gaining_steps", counts.gaining_steps},
          {"energy_grew", counts.energy_grew},
          {"state_hash", fmt::format("{:016x}", summary.state_hash)},
          {"kept", summary.kept},
          {"files", summary.files}};
}

}  // namespace stiction
