#include "apps/stiction/simulate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <memory>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/output_files.hpp"
#include "apps/stiction/replay_page.hpp"
#include "apps/stiction/signal_watch.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/record/state_file.hpp"

namespace stiction {

namespace {

constexpr double frame_interval = 0.01;  // [s] between frames unless told otherwise
constexpr double longest_run = 1e9;      // [s]: beyond, hardly what was meant
constexpr double most_steps = 1e12;

std::vector<OutputFile> outputs_of(const SimulateArguments& arguments) {
  return {{"--out", arguments.out},
          {"--csv", arguments.csv},
          {"--html", arguments.html},
          {"--save-state", arguments.save_state}};
}

void write_page(const std::string& path, const Recording& recording) {
  const PageRun run = page_run(recording, recording.run().options.solver);
  write_file(path, replay_page(recording.scene(), {&run, 1}));
}

/// Runs one writer; a failure is told, and the others still get their turn.
bool try_to_write(const std::string& path, const std::function<void()>& write,
                  RunSummary& summary) {
  if (path.empty()) return true;
  try {
    write();
    summary.files.push_back(path);
    return true;
  } catch (const InputError& error) {
    write_problems(error.problems());
  } catch (const std::runtime_error& error) {
    write_error(
        fmt::format("stiction: {}; the other files were written\n", printable(error.what())));
  }
  return false;
}

/// What is made of the recording and of the last state.
bool write_files(const SimulateArguments& arguments, const std::filesystem::path& recorded,
                 const Simulation& simulation, RunSummary& summary) {
  bool done = try_to_write(
      arguments.out, [] {}, summary);
  if (!arguments.csv.empty() || !arguments.html.empty()) {
    done &= try_to_write(
        arguments.csv, [&] { write_csv(arguments.csv, Recording(recorded)); }, summary);
    done &= try_to_write(
        arguments.html, [&] { write_page(arguments.html, Recording(recorded)); }, summary);
  }
  done &= try_to_write(
      arguments.save_state,
      [&] { save_state(arguments.save_state, simulation.model(), simulation.state()); }, summary);
  return done;
}

int frame_steps(const SimulateArguments& arguments, double time_step) {
  if (arguments.record_every > 0) return arguments.record_every;
  return std::max(1, static_cast<int>(std::min(1e9, std::round(frame_interval / time_step))));
}

/// A fault of the arguments that shows only once the scene is there.
int refuse_duration(const SimulateArguments& arguments, double time_step) {
  write_error(
      fmt::format("stiction: --duration: {:g} s in steps of {:g} s is not from 1 to {:.0e} steps; "
                  "change --duration or --step\n",
                  arguments.duration, time_step, most_steps));
  return exit_usage;
}

int tell(const SimulateArguments& arguments, const RunSummary& summary, bool files_written) {
  if (!summary.fault.empty()) {
    write_error(fmt::format("stiction: {}\n", printable(summary.fault)));
  }
  int written = exit_success;
  if (arguments.json) {
    written = write_output(summary_json(summary).dump(
                               2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                           '\n');
  } else if (!arguments.quiet) {
    written = write_output(summary_text(summary, Palette::of_stdout()));
  }
  if (summary.signal != 0) return signal_exit + summary.signal;
  const bool good = summary.fault.empty() && files_written && written == exit_success;
  return good ? exit_success : exit_failure;
}

int simulate(const SimulateArguments& arguments, const StepOptions& options) {
  const Model model = arguments.scene.load();
  const Controls controls(arguments.control, arguments.scene, model);
  Simulation simulation(model, options);
  simulation.set_state(arguments.scene.start(model));
  RunSummary summary;
  summary.run = describe_run(arguments.scene, options, controls, model);
  const double steps = std::round(arguments.duration / simulation.time_step());
  if (!(steps >= 1.0 && steps <= most_steps)) {
    return refuse_duration(arguments, simulation.time_step());
  }
  summary.planned_steps = static_cast<long long>(steps);
  if (!arguments.quiet) tell_duration(arguments.duration, simulation.time_step());
  summary.run.steps_per_frame = frame_steps(arguments, simulation.time_step());
  check_viewer(arguments.html);
  check_outputs(outputs_of(arguments), input_files(arguments.scene, arguments.control));

  UncertifiedFolder uncertified(arguments.keep_uncertified);

  const SignalWatch signals;  // to the end: temporary files and locks must not outlive the program
  const OutputLocks locks = lock_outputs(outputs_of(arguments));
  const bool keeps = !arguments.out.empty();
  const auto temporary =
      arguments.records() && !keeps ? std::make_unique<TemporaryFile>(".h5") : nullptr;
  const std::filesystem::path recorded =
      temporary ? temporary->path() : std::filesystem::path(arguments.out);
  const auto recorder =
      arguments.records()
          ? std::make_unique<Recorder>(
                recorded, model, summary.run,
                RecorderOptions{.steps_per_frame = summary.run.steps_per_frame, .forces = true})
          : nullptr;
  run_steps(simulation, controls, recorder.get(), &uncertified, !arguments.quiet, summary);
  const bool written = write_files(arguments, recorded, simulation, summary);
  return tell(arguments, summary, written);
}

void add_outputs(CLI::App& command, SimulateArguments& arguments) {
  const auto add_file = [&](const char* option, std::string& path, const char* description) {
    command.add_option(option, path, description)->type_name("FILE")->check(check_file_name);
  };
  add_file("--out", arguments.out, "Record the run to this HDF5 file (readable during the run)");
  add_file("--csv", arguments.csv, "Write times, positions, velocities and energies as a table");
  add_file("--html", arguments.html, "Write a web page that replays the run");
  add_file("--save-state", arguments.save_state,
           "Write the last state; continue from it with --start");
  command
      .add_option(
          "--keep-uncertified", arguments.keep_uncertified,
          "Keep the first 100 steps that are not certified in this folder: the state before "
          "(for --start) and the contact problems (for `stiction solve`)")
      ->type_name("FOLDER")
      ->check(check_file_name);
  command
      .add_option("--record-every", arguments.record_every,
                  "Steps per recorded frame (default: one frame per 0.01 s)")
      ->type_name("STEPS")
      ->check(check_count);
  command.add_flag("--quiet", arguments.quiet, "Do not print progress or summary");
  command.add_flag("--json", arguments.json, "Print the summary as JSON");
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "simulate", "Simulate a scene, record it, write a replay page, and print a summary");
  const auto arguments = std::make_shared<SimulateArguments>();
  command->preparse_callback([command, arguments](std::size_t) {
    arguments->scene.add_to(*command);
    command
        ->add_option("--duration", arguments->duration,
                     fmt::format("How long to simulate (default {})", arguments->duration))
        ->type_name("SECONDS")
        ->check([](const std::string& text) { return check_duration(text, longest_run); });
    arguments->step.add_to(*command);
    arguments->control.add_to(*command);
    add_outputs(*command, *arguments);
  });
  command->callback([&action, arguments] {
    const StepOptions options = arguments->step.options();
    if (const std::string fault = fault_of_names(outputs_of(*arguments)); !fault.empty()) {
      throw CLI::ValidationError(fault);
    }
    if (arguments->record_every > 0 && !arguments->records()) {
      throw CLI::ValidationError("--record-every has no effect without --out, --csv or --html");
    }
    action = [arguments, options] { return simulate(*arguments, options); };
  });
}

}  // namespace stiction
