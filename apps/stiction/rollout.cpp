#include "apps/stiction/rollout.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <thread>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/signal_watch.hpp"
#include "stiction/sim/effort.hpp"

namespace stiction {

namespace {

constexpr double row_interval = 0.01;    // [s] between rows unless told otherwise
constexpr double longest_rollout = 1e6;  // [s]
constexpr double most_rows = 1e7;
constexpr int most_environments = 1'000'000'000;

std::string inputs_of(const RolloutArguments& arguments) {
  const ControlArguments& c = arguments.control;
  return fmt::format(
             "values {}; controls {}; kp {:.17g}; kd {:.17g}; pushes {}; pose {}; keyframe {}",
             fmt::join(c.values, ","), fmt::join(c.controls, ","), c.stiffness, c.damping,
             fmt::join(c.pushes, ","), arguments.scene.pose, arguments.scene.keyframe) +
         (c.command.empty() ? "" : fmt::format("; command {}", fmt::join(c.command, ",")));
}

RolloutPlan plan_of(const RolloutArguments& arguments, const StepOptions& options) {
  const Model model = arguments.scene.load();
  const Controls controls(arguments.control, arguments.scene, model);
  const RunDescription run = describe_run(arguments.scene, options, controls, model);
  RolloutPlan plan{.model = model,
                   .options = run.options,
                   .controls = controls,
                   .start = arguments.scene.start(model),
                   .randomisation = parse_randomisation(arguments.randomise),
                   .title = run.title,
                   .scene = run.scene,
                   .count = arguments.count,
                   .seed = controls.seed()};
  const double h = run.options.time_step;
  const double per_row = arguments.every > 0 ? arguments.every : std::round(row_interval / h);
  plan.steps_per_row = static_cast<int>(std::clamp(per_row, 1.0, 1e9));
  if (const auto interval = plan.controls.policy_interval()) {
    const double rows_per_answer = *interval / (h * plan.steps_per_row);
    if (rows_per_answer < 0.5 || std::abs(rows_per_answer - std::round(rows_per_answer)) > 1e-6) {
      throw CLI::ValidationError(
          "--record-every", fmt::format("a row lasts {:g} s, but the policy answers every {:g} s; "
                                        "record a whole number of rows per answer",
                                        h * plan.steps_per_row, *interval));
    }
  }
  const double rows = std::round(arguments.duration / (h * plan.steps_per_row));
  if (!(rows >= 1.0 && rows <= most_rows)) {
    throw CLI::ValidationError(fmt::format(
        "--duration: {:g} s in rows of {} steps of {:g} s is not from 1 to {:.0e} rows; change "
        "--duration or --record-every",
        arguments.duration, plan.steps_per_row, h, most_rows));
  }
  plan.rows = static_cast<int>(rows);
  plan.text = plan_text(plan, inputs_of(arguments));
  return plan;
}

double per_second(double amount, double seconds) { return seconds > 0.0 ? amount / seconds : 0.0; }

std::string summary_text(const RolloutPlan& plan, const RolloutSummary& summary,
                         const Palette& palette) {
  const EpisodeTotals& t = summary.totals;
  std::string text =
      fmt::format("{}: {} runs of {:.6g} s in {:.3g} s, {:.3g} steps/s on {} thread{}{}\n",
                  palette.bold(printable(plan.title)), t.episodes,
                  plan.rows * plan.steps_per_row * plan.options.time_step, summary.seconds,
                  per_second(static_cast<double>(t.steps), summary.seconds), plan.options.threads,
                  plan.options.threads == 1 ? "" : "s", summary.signal == 0 ? "" : ", interrupted");
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {} {}\n", palette.faint(fmt::format("{:<11}", name)), value);
  };
  line("controls", printable(plan.controls.description()));
  if (!plan.randomisation.text.empty()) line("randomised", printable(plan.randomisation.text));
  line("certificate",
       t.not_certified == 0
           ? fmt::format("every step certified at {:.0e}; worst residual {:.1e}",
                         tolerance_of(plan.options), t.worst_residual)
           : fmt::format("{} of {} steps NOT certified at {:.0e}; worst residual {:.1e}",
                         t.not_certified, t.steps, tolerance_of(plan.options), t.worst_residual));
  line("fallen", fmt::format("{} of {} runs: their base sank below half of its height", t.fallen,
                             t.episodes));
  if (t.terminated > 0) line("broken off", fmt::format("{} runs", t.terminated));
  for (const std::string& fault : summary.faults) line("", printable(fault));
  if (!summary.folder.empty()) {
    line("files", fmt::format("{} made, {} were there, {} missing, in {}", summary.files_made,
                              summary.files_skipped, summary.files_missing,
                              printable(summary.folder.string())));
    if (summary.signal != 0 || summary.files_missing > 0) {
      line("", "the set is not complete: run the other parts, or the same command with --resume");
    }
  }
  return text;
}

nlohmann::ordered_json summary_json(const RolloutPlan& plan, const RolloutSummary& summary) {
  const EpisodeTotals& t = summary.totals;
  return {{"title", plan.title},
          {"runs", t.episodes},
          {"rows", t.rows},
          {"steps", t.steps},
          {"steps_per_row", plan.steps_per_row},
          {"seconds", summary.seconds},
          {"steps_per_second", per_second(static_cast<double>(t.steps), summary.seconds)},
          {"threads", plan.options.threads},
          {"not_certified", t.not_certified},
          {"worst_residual", t.worst_residual},
          {"fallen", t.fallen},
          {"terminated", t.terminated},
          {"faults", summary.faults},
          {"files_made", summary.files_made},
          {"files_skipped", summary.files_skipped},
          {"files_missing", summary.files_missing},
          {"complete", summary.signal == 0 && summary.files_missing == 0},
          {"signal", summary.signal}};
}

int rollout(const RolloutArguments& arguments, const StepOptions& options) {
  RolloutPlan plan = [&] {
    try {
      return plan_of(arguments, options);
    } catch (const CLI::ValidationError& error) {
      ProblemList problems;
      problems.error({}, error.what(), "");
      throw InputError(std::move(problems));
    }
  }();
  const RolloutSummary summary = run_rollout(plan, arguments.out, shard_of(arguments.shard),
                                             arguments.resume, !arguments.quiet);
  int written = exit_success;
  if (arguments.json) {
    written =
        write_output(summary_json(plan, summary)
                         .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                     '\n');
  } else if (!arguments.quiet) {
    written = write_output(summary_text(plan, summary, Palette::of_stdout()));
  }
  if (summary.signal != 0) return signal_exit + summary.signal;
  return written;
}

}  // namespace

void add_rollout_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "rollout",
      "Simulate a scene many times, each time a little different, and keep the runs as "
      "data for learning");
  const auto arguments = std::make_shared<RolloutArguments>();
  command->preparse_callback([command, arguments](std::size_t) {
    arguments->step.chosen.threads =
        std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, Batch::most_threads);
    arguments->scene.add_to(*command);
    command
        ->add_option("--count", arguments->count,
                     fmt::format("How many runs (default {})", arguments->count))
        ->type_name("RUNS")
        ->check(check_count);
    command
        ->add_option("--duration", arguments->duration,
                     fmt::format("How long each run is (default {})", arguments->duration))
        ->type_name("SECONDS")
        ->check([](const std::string& text) { return check_duration(text, longest_rollout); });
    command
        ->add_option("--randomise", arguments->randomise,
                     "What is drawn for each run: factors mass, friction, damping, gains "
                     "(mass=0.8..1.2), and how far the start goes either way: joint_position, "
                     "joint_velocity, base_position, base_height, base_yaw, base_velocity, "
                     "base_turning (joint_position=0.1)")
        ->type_name("NAME=VALUE[,...]")
        ->check(check_randomisation);
    command
        ->add_option("--out", arguments->out,
                     "Folder for the data: HDF5 files in the layout of Minari data sets")
        ->type_name("FOLDER")
        ->check(check_file_name);
    command
        ->add_option("--record-every", arguments->every,
                     "Steps per row of the data (default: one row per 0.01 s)")
        ->type_name("STEPS")
        ->check(check_count);
    command
        ->add_option("--shard", arguments->shard,
                     "Make only this part of the files, such as 0/4 (default: all, or by rank "
                     "under mpirun and srun)")
        ->type_name("INDEX/COUNT")
        ->check(check_shard);
    command->add_flag("--resume", arguments->resume, "Keep files that are there, make the others");
    command->add_flag("--quiet", arguments->quiet, "Do not print progress or summary");
    command->add_flag("--json", arguments->json, "Print the summary as JSON");
    arguments->step.add_to(*command);
    arguments->control.add_to(*command);
  });
  command->callback([&action, arguments] {
    const StepOptions options = arguments->step.options();
    if (arguments->count > most_environments) {
      throw CLI::ValidationError(fmt::format("--count: at most {}", most_environments));
    }
    if (arguments->out.empty() && (arguments->resume || arguments->every > 0)) {
      throw CLI::ValidationError(fmt::format("{} has no effect without --out",
                                             arguments->resume ? "--resume" : "--record-every"));
    }
    action = [arguments, options] { return rollout(*arguments, options); };
  });
}

}  // namespace stiction
