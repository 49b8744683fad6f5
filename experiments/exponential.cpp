/// \file
/// Exponential integration of stiff contacts [EXP]: local errors, largest stable steps, costs,
/// other stiffnesses and normal forces of four motions, for spring contacts with every integrator
/// and for hard contact. Our own motions always; the authors' where their files are.

#include <algorithm>
#include <fmt/format.h>

#include "experiments/exponential/own_motions.hpp"
#include "experiments/exponential/published_motions.hpp"
#include "experiments/exponential/results.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  bool quick = false;
  std::vector<std::string> tests;
  std::filesystem::path reference;
};

/// One motion with what is to be measured on it.
struct Task {
  DrivenMotion motion;
  StudySettings settings;
};

/// Steps of ground truth and of the studies, from the authors' tests or coarser.
StudySettings settings_for(const DrivenMotion& motion, const std::string& source, AnchorRules rules,
                           bool quick) {
  const PublishedTest& test = published_test(motion.name);
  StudySettings settings;
  settings.source = source;
  settings.rules = rules;
  settings.truth_substeps = test.truth_substeps / (quick ? 4 : 1);
  settings.smallest_explicit = settings.truth_substeps / 2;
  settings.smallest = test.truth_substeps / 8;
  settings.stability_steps = source == "published" ? test.stability_steps : motion.control_steps;
  return settings;
}

std::optional<std::filesystem::path> reference_folder(const Arguments& arguments) {
  if (!arguments.reference.empty()) return arguments.reference;
  const std::filesystem::path usual = std::filesystem::path(STICTION_REFERENCE_DIR) / "exponential";
  if (std::filesystem::exists(usual)) return usual;
  fmt::print("The authors' motions are not in {}; only our own are used.\n", usual.string());
  return {};
}

std::vector<Task> tasks_for(const Arguments& arguments,
                            const std::optional<std::filesystem::path>& reference) {
  std::vector<Task> tasks;
  for (const std::string& name : arguments.tests) {
    const auto add = [&](const DrivenMotion& motion, const char* source, AnchorRules rules) {
      tasks.push_back({motion, settings_for(motion, source, rules, arguments.quick)});
    };
    if (reference) {
      const DrivenMotion published = load_published_motion(*reference, name).motion;
      add(published, "published", AnchorRules::authors);
      add(published, "published", AnchorRules::surface);
    }
    if (!reference || !arguments.quick) add(own_motion(name), "own", AnchorRules::surface);
  }
  return tasks;
}

/// Whether our motions do what their names say, with springs and with hard contact.
bool check_own_motions(const Arguments& arguments, ExperimentOutput& output) {
  bool good = true;
  bench::Table table({"our own motion", "contact", "forward, m", "amplitude, m", "flight, s",
                      "share of torque limits", "is what its name says"});
  for (const std::string& name : arguments.tests) {
    const DrivenMotion motion = own_motion(name);
    for (const char* method : {exponential_name, hard_name}) {
      const int substeps = std::max(1, static_cast<int>(motion.control_step / 0.001 + 0.5));
      const MotionFacts facts =
          observe(motion, method_with(AnchorRules::surface, method).options, substeps);
      const std::string wrong = complaint(name, facts);
      good &= wrong.empty();
      table.add({name, method, fmt::format("{:.3f}", facts.way),
                 fmt::format("{:.4f}", facts.amplitude), fmt::format("{:.3f}", facts.flight),
                 fmt::format("{:.0f} %", 100.0 * facts.torque_share),
                 wrong.empty() ? "yes" : wrong});
    }
  }
  output.table("own_motions", "", table);
  return good;
}

void trace_all(const Arguments& arguments, const std::optional<std::filesystem::path>& reference,
               Results& results) {
  for (const std::string& name : arguments.tests) {
    if (name != "trot" && name != "romeo") continue;
    const DrivenMotion motion =
        reference ? load_published_motion(*reference, name).motion : own_motion(name);
    const char* foot = name == "trot" ? "FL_FOOT" : "r_ankle";
    const int fine = name == "trot" ? 16 : 64;
    for (const char* method : {exponential_name, "explicit_euler", hard_name}) {
      const int substeps = std::string_view(method) == "explicit_euler" ? 4 * fine : fine;
      results.traces.push_back(
          trace_forces(motion, method_with(AnchorRules::surface, method), substeps, foot));
    }
  }
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (arguments.tests.empty()) arguments.tests = {"squat", "jump", "trot", "romeo"};
  for (const std::string& name : arguments.tests) static_cast<void>(published_test(name));
  const auto reference = reference_folder(arguments);
  const std::vector<Task> tasks = tasks_for(arguments, reference);
  const bool with_trot = std::ranges::find(arguments.tests, "trot") != arguments.tests.end();
  bool good = check_own_motions(arguments, output);

  Results results;
  {
    double total = with_trot ? 40.0 * 1500.0 * (arguments.quick ? 16.0 : 128.0) : 0.0;
    for (const Task& task : tasks) {
      const double methods = static_cast<double>(methods_with(task.settings.rules).size());
      total += methods * study_cost(task.motion, task.settings);
    }
    Progress progress(total);
    for (const Task& task : tasks) {
      std::vector<Method> methods = methods_with(task.settings.rules);
      // Hard contact has no anchors: once is enough.
      if (task.settings.rules == AnchorRules::authors) methods.pop_back();
      const auto rows = study(task.motion, task.settings, methods, progress);
      results.study.insert(results.study.end(), rows.begin(), rows.end());
    }
    if (with_trot) {
      const DrivenMotion trot =
          reference ? load_published_motion(*reference, "trot").motion : own_motion("trot");
      results.sweep = sweep_parameters(trot, arguments.quick, progress);
      progress.show("cost of stages");
      results.costs = measure_stages(trot, arguments.quick ? 5 : 15);
    }
    progress.show("normal forces");
    results.ahead = predict_touch_downs();
    trace_all(arguments, reference, results);
  }
  good &= show_tables(results, reference, !arguments.quick, output);
  write_results(results, output);
  return good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line(
      "Exponential integration of stiff contacts: errors, stable steps and costs on four motions.",
      "exponential");
  line.add_flag("--quick", arguments.quick, "coarser ground truths, in at most three minutes");
  line.add_option("--test", arguments.tests, "squat, jump, trot, romeo; several are separated by ,")
      .one_of({"squat", "jump", "trot", "romeo"})
      .separated_by(',');
  line.add_option("--reference", arguments.reference,
                  "folder of the authors' files; default ../shared/reference/exponential")
      .existing_folder();
  ExperimentOutput output("exponential", "exponential.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
