#include "apps/stiction/scene_run.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apps/stiction/output.hpp"
#include "apps/stiction/scene_run_ground.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/record/state_file.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& element,
                         const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({file, 0, element}, what, remedy);
  throw InputError(std::move(problems));
}

/// Warnings alone: notes say what Stiction does not use, and `inspect` shows them.
void print_warnings(const ProblemList& problems) {
  for (const Problem& problem : problems.all()) {
    if (problem.severity != Severity::warning) continue;
    write_error(printable(to_string(problem)) + '\n');
  }
}

}  // namespace

void SceneArgument::add_to(CLI::App& command) {
  model.add_to(command, "SCENE",
               "MJCF or URDF file, or a built-in scene or model such as quadruped_boxes; a URDF "
               "robot gets a ground plane");
  command
      .add_option("--keyframe", keyframe,
                  "Start at this keyframe (default: the first one, if the file has any)")
      ->type_name("NAME");
  command.add_option("--start", initial_state, "Go on from a state file")->type_name("FILE");
}

Model SceneArgument::load() const {
  LoadedModel loaded = load_on_ground(model.path(), model.options());
  print_warnings(loaded.problems);
  if (loaded.model.body_count() == 0) {
    refuse(model.file, "", "nothing in it can move", "add a body with a joint");
  }
  (void)keyframe_of(loaded.model, keyframe, model.file);
  return std::move(loaded.model);
}

State SceneArgument::start(const Model& scene) const {
  if (!initial_state.empty()) return load_state(initial_state, scene);
  const std::optional<int> index = keyframe_of(scene, keyframe, model.file);
  return index ? scene.keyframe_state(*index) : scene.initial_state();
}

std::optional<int> keyframe_of(const Model& model, const std::string& name,
                               const std::string& file) {
  if (name.empty()) return model.keyframes().empty() ? std::nullopt : std::optional(0);
  if (const std::optional<int> found = model.find_keyframe(name)) return found;
  std::vector<std::string_view> known;
  for (const Keyframe& keyframe : model.keyframes()) known.push_back(keyframe.name);
  const std::string all = known.empty() ? std::string("the file has none; leave the option out")
                                        : fmt::format("there are {}", fmt::join(known, ", "));
  refuse(file, "", fmt::format("there is no keyframe '{}'", name), suggestion(name, known, all));
}

RunDescription describe_run(const SceneArgument& scene, const StepOptions& options,
                            const Controls& controls, const Model& model) {
  RunDescription run;
  run.title = model.name().empty() ? fs::path(scene.model.file).stem().string() : model.name();
  run.scene = scene.model.file;
  run.solver = options.solver;
  run.law = to_string(options.solver_options.law);
  run.gap_rule = to_string(options.gap_rule);
  run.integrator = to_string(options.integrator);
  run.controls = controls.description();
  run.time_step = options.time_step > 0.0 ? options.time_step : model.time_step();
  run.tolerance = options.solver_options.tolerance;
  run.seed = controls.seed();
  return run;
}

}  // namespace stiction
