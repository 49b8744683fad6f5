#include "apps/stiction/inspect.hpp"

#include <CLI/CLI.hpp>
#include <Eigen/Eigenvalues>
#include <memory>

#include "apps/stiction/commands.hpp"
#include "apps/stiction/model_argument.hpp"
#include "stiction/sim/doctor.hpp"

namespace stiction {

namespace {

struct InspectArguments {
  ModelArgument model;
  bool json = false;
};

/// Names in a broken file may be no UTF-8; they must not break the output, too.
std::string dump(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

int inspect(const InspectArguments& arguments) {
  std::string file = arguments.model.file;
  try {
    const std::filesystem::path path = arguments.model.path();
    file = path.string();
    LoadedModel loaded = load_model(path, arguments.model.options());
    const Model& model = loaded.model;
    const State start = model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
    loaded.problems.append(examine_robots(model, start, file));
    return write_output(arguments.json ? dump(inspect_json(file, loaded))
                                       : inspect_text(file, loaded, Palette::of_stdout()));
  } catch (const InputError& error) {
    if (!arguments.json) throw;
    write_output(
        dump({{"file", file}, {"ok", false}, {"problems", problems_json(error.problems())}}));
    return exit_failure;
  }
}

}  // namespace

Eigen::Vector3d principal_inertia(const BodyInertia& inertia) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia.inertia, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

void add_inspect_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Show the contents of a URDF or MJCF file, and how to fix each problem in it");
  const auto arguments = std::make_shared<InspectArguments>();
  arguments->model.add_to(*command);
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([&action, arguments] { action = [arguments] { return inspect(*arguments); }; });
}

}  // namespace stiction
