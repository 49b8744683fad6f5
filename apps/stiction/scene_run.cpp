#include "apps/stiction/scene_run.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/output.hpp"
#include "apps/stiction/overlap_warnings.hpp"
#include "apps/stiction/scene_run_ground.hpp"
#include "apps/stiction/scene_run_pose.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/record/state_file.hpp"
#include "stiction/sim/doctor.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& element,
                         const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({file, 0, element}, what, remedy);
  throw InputError(std::move(problems));
}

/// The words of a message without names, paths and numbers: what messages of one kind share.
std::string kind_of(const Problem& problem) {
  std::string kind;
  std::istringstream words(problem.what);
  for (std::string word; words >> word;) {
    if (word.find_first_of("/'\"0123456789") == std::string::npos) kind += word + ' ';
  }
  return kind;
}

/// Warnings alone: notes say what Stiction does not use, and `inspect` shows them. Of several
/// warnings of one kind, the first is printed, with their number.
void print_warnings(const ProblemList& problems, const std::string& file) {
  std::vector<std::pair<std::string, int>> kinds;
  std::vector<const Problem*> first;
  for (const Problem& problem : problems.all()) {
    if (problem.severity != Severity::warning) continue;
    const std::string kind = kind_of(problem);
    const auto same = std::ranges::find(kinds, kind, &std::pair<std::string, int>::first);
    if (same != kinds.end()) {
      ++same->second;
      continue;
    }
    kinds.emplace_back(kind, 1);
    first.push_back(&problem);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int others = kinds[i].second - 1;
    const std::string more = others == 0 ? "" : fmt::format(" (and {} more like this)", others);
    write_error(printable(to_string(*first[i])) + more + '\n');
  }
  if (problems.count(Severity::warning) > first.size()) {
    write_error(fmt::format("stiction: {} warnings of {} kinds; stiction inspect {} lists all\n",
                            problems.count(Severity::warning), first.size(), printable(file)));
  }
}

/// The state of a recording at a time; RECORDING@end is its last.
State recorded_state(const std::string& argument, std::size_t at, const Model& model) {
  const std::string file = argument.substr(0, at);
  const std::string when = argument.substr(at + 1);
  const Recording recording(file);
  recording.check_model(model);
  if (recording.frame_count() == 0) {
    refuse(file, "", "the recording has no frames yet", "record for longer");
  }
  if (when == "end") return recording.frame(recording.frame_count() - 1).state;
  const double first = recording.times().front();
  const double last = recording.times().back();
  const double slack = 1e-9 * std::max(1.0, std::abs(last));  // times are sums of steps
  const std::optional<double> time = parse_number(when);
  if (!time || *time < first - slack || *time > last + slack) {
    refuse(file, "",
           fmt::format("'{}' is not a time in this recording, which covers {:g} s to {:g} s", when,
                       first, last),
           "give RECORDING@SECONDS in this range, or RECORDING@end");
  }
  return recording.frame(recording.frame_at(*time + slack)).state;
}

/// Where the time of RECORDING@TIME begins; npos if the argument is a file of its own.
std::size_t time_of_start(const std::string& argument) {
  std::error_code error;
  const std::size_t at = argument.rfind('@');
  return at == 0 || fs::exists(argument, error) ? std::string::npos : at;
}

bool is_recording(const std::string& file) {
  try {
    return Recording(file).frame_count() >= 0;
  } catch (const InputError&) {
    return false;
  }
}

State read_start(const std::string& argument, const Model& model) {
  const std::size_t at = time_of_start(argument);
  if (at != std::string::npos) return recorded_state(argument, at, model);
  try {
    return load_state(argument, model);
  } catch (const InputError&) {
    if (!is_recording(argument)) throw;
  }
  refuse(argument, "", "this is a recording, but no time is given",
         fmt::format("give {0}@SECONDS or {0}@end", argument));
}

}  // namespace

void SceneArgument::add_to(CLI::App& command) {
  model.prefers_scenes = true;
  model.add_to(command, "SCENE",
               "MJCF or URDF file, or a built-in scene or model such as quadruped_boxes; a ground "
               "plane is added to a URDF robot");
  command
      .add_option("--keyframe", keyframe,
                  "Start from this keyframe (default: the first one, if the file has any)")
      ->type_name("NAME");
  command
      .add_option(
          "--start", initial_state,
          "Continue from a state file, or from a time in a recording: run.h5@1.5, run.h5@end")
      ->type_name("FILE[@TIME]");
  command
      .add_option(
          "--pose", pose,
          "Start with these joint positions [rad, m; with deg: degrees], and hold them under "
          "pd and random; a floating robot is put on the floor. Or the name of a keyframe "
          "to hold")
      ->type_name("JOINT=VALUE[,...]|NAME");
}

Model SceneArgument::load() const {
  LoadedModel loaded = load_on_ground(model.path(), model.options());
  if (loaded.model.body_count() == 0) {
    print_warnings(loaded.problems, model.file);
    refuse(model.file, "", "nothing in this scene can move", "add a body with a joint");
  }
  const std::optional<int> first = keyframe_of(loaded.model, keyframe, model.file);
  State at = first ? loaded.model.keyframe_state(*first) : loaded.model.initial_state();
  if (is_joint_list(pose)) set_joints(pose, loaded.model, at);
  // In that pose, not at --start: a run that goes on from a state goes on as it was.
  if (!model.keep_overlaps) {
    leave_out_overlaps(model.path().string(), at, few_overlaps, loaded);
  }
  loaded.problems.append(examine_robots(loaded.model, at, model.path().string()));
  print_warnings(loaded.problems, model.file);
  return std::move(loaded.model);
}

State SceneArgument::start(const Model& scene) const {
  if (!initial_state.empty()) return read_start(initial_state, scene);
  const std::optional<int> index = keyframe_of(scene, keyframe, model.file);
  State state = index ? scene.keyframe_state(*index) : scene.initial_state();
  if (is_joint_list(pose)) set_joints(pose, scene, state);
  return state;
}

std::vector<fs::path> SceneArgument::files() const {
  const std::string start = initial_state.substr(0, time_of_start(initial_state));
  return {model.path(), model.srdf, start};
}

std::vector<fs::path> input_files(const SceneArgument& scene, const ControlArguments& control) {
  std::vector<fs::path> files = scene.files();
  for (fs::path& file : control.files()) files.push_back(std::move(file));
  return files;
}

std::optional<int> keyframe_of(const Model& model, const std::string& name,
                               const std::string& file) {
  if (name.empty()) return model.keyframes().empty() ? std::nullopt : std::optional(0);
  if (const std::optional<int> found = model.find_keyframe(name)) return found;
  std::vector<std::string_view> known;
  for (const Keyframe& keyframe : model.keyframes()) known.push_back(keyframe.name);
  const std::string all = known.empty()
                              ? std::string("the file has no keyframes; remove the option")
                              : fmt::format("choose from {}", fmt::join(known, ", "));
  refuse(file, "", fmt::format("there is no keyframe '{}'", name), suggestion(name, known, all));
}

void tell_duration(double duration, double time_step) {
  const std::string note = note_on_duration(duration, time_step);
  if (!note.empty()) write_error(fmt::format("stiction: {}\n", note));
}

RunDescription describe_run(const SceneArgument& scene, const StepOptions& options,
                            const Controls& controls, const Model& model) {
  RunDescription run;
  run.title = model.name().empty() ? fs::path(scene.model.file).stem().string() : model.name();
  run.scene = scene.model.file;
  run.options = options;
  if (options.time_step == 0.0) run.options.time_step = model.time_step();
  run.controls = controls.description();
  run.seed = controls.seed();
  return run;
}

}  // namespace stiction
