#include "apps/stiction/compare.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/compare_contenders.hpp"
#include "apps/stiction/option_flags.hpp"
#include "apps/stiction/output_files.hpp"
#include "apps/stiction/replay_page.hpp"
#include "apps/stiction/signal_watch.hpp"

namespace stiction {

namespace {

constexpr double frame_interval = 1.0 / 60.0;  // [s]: what the page shows
constexpr double most_steps = 1e9;             // of one run

/// All that the runs share.
struct Arena {
  const CompareArguments& arguments;
  const Model& model;
  const Controls& controls;
  const State& start;
};

/// Steps with or without a record; the record's frames end up in `page`.
void run_contender(const Arena& arena, Simulation& simulation, RunSummary& summary, PageRun* page) {
  const bool show = !arena.arguments.quiet;
  if (page == nullptr)
    return run_steps(simulation, arena.controls, nullptr, nullptr, show, summary);
  const TemporaryFile file(".h5");
  {
    Recorder recorder(file.path(), arena.model, summary.run,
                      {.steps_per_frame = summary.run.steps_per_frame});
    run_steps(simulation, arena.controls, &recorder, nullptr, show, summary);
  }
  *page = page_run(Recording(file.path()), page->label);
}

ComparedRun compare_run(const Arena& arena, const Contender& contender, State& end, PageRun* page) {
  ComparedRun run;
  run.label = contender.label;
  Simulation simulation(arena.model, contender.options);
  simulation.set_state(arena.start);
  RunSummary& summary = run.summary;
  summary.run = describe_run(arena.arguments.scene, contender.options, arena.controls, arena.model);
  const double step = simulation.time_step();
  summary.planned_steps = std::llround(arena.arguments.duration / step);
  summary.run.steps_per_frame =
      static_cast<int>(std::clamp(std::ceil(frame_interval / step), 1.0, most_steps));
  run_contender(arena, simulation, summary, page);
  end = simulation.state();
  return run;
}

/// Largest distance between the origins of a body [m].
double distance(const ScenePoses& scene, const State& a, const State& b) {
  const std::vector<Eigen::Isometry3d> left = scene.poses(a.q);
  const std::vector<Eigen::Isometry3d> right = scene.poses(b.q);
  double most = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    most = std::max(most, (left[i].translation() - right[i].translation()).norm());
  }
  return most;
}

/// Differences to the first run that was made.
void measure(std::vector<ComparedRun>& runs, const std::vector<State>& ends, const Model& model) {
  const ScenePoses scene(scene_json(model));
  const auto first = std::ranges::find_if(runs, &ComparedRun::ran);
  if (first == runs.end() || !first->ended_well()) return;
  const State& reference = ends[static_cast<std::size_t>(first - runs.begin())];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].ended_well()) runs[i].difference = distance(scene, ends[i], reference);
  }
}

int exit_code(const std::vector<ComparedRun>& runs, int written) {
  for (const ComparedRun& run : runs) {
    if (run.summary.signal != 0) return signal_exit + run.summary.signal;
  }
  // Combinations that no solver claims are told, and no fault.
  const bool good = std::ranges::all_of(
      runs, [](const ComparedRun& run) { return !run.ran() || run.summary.fault.empty(); });
  return good && written == exit_success ? exit_success : exit_failure;
}

/// Runs all of them; a signal ends it with those that were made.
std::vector<ComparedRun> run_all(const Arena& arena, std::vector<PageRun>& pages) {
  std::vector<ComparedRun> runs;
  std::vector<State> ends(arena.arguments.contenders.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Contender& contender = arena.arguments.contenders[i];
    if (i > 0 && SignalWatch::caught() != 0) break;
    if (!contender.refusal.empty()) {
      runs.push_back({.label = contender.label, .refusal = contender.refusal});
      continue;
    }
    PageRun page{.label = contender.label};
    PageRun* wanted = arena.arguments.html.empty() ? nullptr : &page;
    runs.push_back(compare_run(arena, contender, ends[i], wanted));
    if (wanted != nullptr) pages.push_back(std::move(page));
    if (runs.back().summary.signal != 0) break;
  }
  measure(runs, ends, arena.model);
  return runs;
}

/// A fault of the arguments that shows only once the scene is there.
int refuse_duration(double duration, double step) {
  write_error(
      fmt::format("stiction: --duration: {:g} s in steps of {:g} s is not from 1 to {:.0e} steps; "
                  "change --duration or --step\n",
                  duration, step, most_steps));
  return exit_usage;
}

int compare(const CompareArguments& arguments) {
  const Model model = arguments.scene.load();
  const Controls controls(arguments.control, arguments.scene, model);
  const State start = arguments.scene.start(model);
  for (const Contender& contender : arguments.contenders) {
    const double wish = contender.options.time_step;
    const double step = wish > 0.0 ? wish : model.time_step();
    const double steps = std::round(arguments.duration / step);
    if (!(steps >= 1.0 && steps <= most_steps)) return refuse_duration(arguments.duration, step);
    if (!arguments.quiet) tell_duration(arguments.duration, step);
  }
  check_viewer(arguments.html);
  check_outputs({{"--html", arguments.html}}, input_files(arguments.scene, arguments.control));
  const SignalWatch signals;  // to the end: temporary files must not outlive the program
  const OutputLocks locks = lock_outputs({{"--html", arguments.html}});
  std::vector<PageRun> pages;
  const std::vector<ComparedRun> runs = run_all({arguments, model, controls, start}, pages);
  if (!arguments.html.empty()) {
    write_output_file({"--html", arguments.html}, replay_page(scene_json(model), pages));
  }
  using Handler = nlohmann::ordered_json::error_handler_t;
  const int written = write_output(
      arguments.json ? compare_json(runs, arguments).dump(2, ' ', false, Handler::replace) + '\n'
                     : compare_text(runs, arguments, Palette::of_stdout()));
  return exit_code(runs, written);
}

void add_options(CLI::App& command, CompareArguments& arguments) {
  command
      .add_option("--duration", arguments.duration,
                  fmt::format("How long to simulate (default {})", arguments.duration))
      ->type_name("SECONDS")
      ->check(check_positive);
  for (const StepOption& option : step_option_table()) {
    if (!option.info().in_runs) continue;
    add_list_flag(command, option.info(), option.value({}),
                  [&arguments, &option](std::vector<OptionValue> values) {
                    arguments.lists[&option] = std::move(values);
                  });
  }
  command.add_option("--html", arguments.html, "Write a page with all runs over each other")
      ->type_name("FILE")
      ->check(check_file_name);
  command.add_flag("--quiet", arguments.quiet, "Do not print progress");
  command.add_flag("--json", arguments.json, "Print the result as JSON");
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Simulate a scene from one state by several solvers, laws or other options");
  const auto arguments = std::make_shared<CompareArguments>();
  command->preparse_callback([command, arguments](std::size_t) {
    arguments->scene.add_to(*command);
    add_options(*command, *arguments);
    arguments->control.add_to(*command);
  });
  command->callback([&action, arguments] {
    arguments->contenders = contenders_of(*arguments);
    check_contenders(arguments->contenders);
    action = [arguments] { return compare(*arguments); };
  });
}

}  // namespace stiction
