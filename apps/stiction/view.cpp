#include <CLI/CLI.hpp>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pthread.h>

#include "apps/live/live_server.hpp"
#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/output.hpp"
#include "apps/stiction/recent_scenes.hpp"
#include "apps/stiction/scene_run.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction {

namespace {

constexpr std::uint16_t usual_port = 8420;
constexpr int usual_ports = 20;  // tried from the usual one on, unless the user names a port

struct ViewArguments {
  SceneArgument scene;
  StepArguments step;
  ControlArguments control;
  std::optional<int> port;
  double speed = 1.0;
  bool paused = false;
};

/// Ctrl-C and `kill` wait until somebody asks for them, in all threads that are started from now
/// on.
class HeldSignals {
 public:
  HeldSignals() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGINT);
    ::sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Until the first; a second one is as usual, for whoever has lost patience.
  void wait() const {
    int signal = 0;
    while (::sigwait(&signals_, &signal) != 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

[[noreturn]] void no_page() {
  ProblemList problems;
  problems.error({}, "this program was built without its viewer page",
                 "install nodejs and npm, and build again");
  throw InputError(std::move(problems));
}

LiveSimulation live_simulation(const SceneArgument& scene, const ControlArguments& control,
                               const StepOptions& options, double speed) {
  Model model = scene.load();
  State start = scene.start(model);
  const Controls controls(control, scene, model);
  LiveSimulation result(std::move(model), std::move(start), options,
                        [controls](Simulation& simulation) { controls.apply(simulation); });
  if (const auto command = controls.command()) {
    result.steer_by([controls](const Eigen::Vector3d& velocity) { controls.set_command(velocity); },
                    *command);
  }
  SettingsChange change;
  change.speed = speed;
  result.change(change);
  return result;
}

/// The scene that runs first, then those that were viewed last. Only the first gets the options of
/// scene and controls on the command line: they are about its robot.
LiveScenes live_scenes(const ViewArguments& arguments) {
  const std::string own = std::filesystem::absolute(arguments.scene.model.path()).string();
  std::vector<std::string> paths{own};
  for (const std::string& path : recent_scenes()) {
    if (path != std::filesystem::path(own).lexically_normal().string()) paths.push_back(path);
  }
  LiveScenes scenes;
  for (const std::string& path : paths) {
    scenes.names.push_back(std::filesystem::path(path).stem().string());
  }
  scenes.open = [arguments, paths](int scene) {
    const StepOptions options = arguments.step.options();
    if (scene == 0) {
      return live_simulation(arguments.scene, arguments.control, options, arguments.speed);
    }
    SceneArgument other;
    other.model.file = paths[static_cast<std::size_t>(scene)];
    return live_simulation(other, {}, options, arguments.speed);
  };
  return scenes;
}

LiveServerOptions server_options(const ViewArguments& arguments) {
  LiveServerOptions options;
  options.port = static_cast<std::uint16_t>(arguments.port.value_or(usual_port));
  options.ports_to_try = arguments.port ? 1 : usual_ports;
  return options;
}

std::string summary(const LiveStatus& status) {
  std::string text =
      fmt::format("{} steps of {:g} s to t = {:g} s; {} not certified, worst certificate {:.1e}\n",
                  status.steps, status.settings.options.time_step, status.time,
                  status.not_certified, status.worst_residual);
  if (status.refused > 0) text += fmt::format("{} steps refused\n", status.refused);
  if (!status.message.empty()) text += fmt::format("{}\n", printable(status.message));
  return text;
}

int view(const ViewArguments& arguments) {
  if (viewer_page().empty()) no_page();
  LiveScenes scenes = live_scenes(arguments);
  LiveSimulation simulation = scenes.open(0);
  remember_scene(arguments.scene.model.path());
  const HeldSignals signals;
  LiveSession session(std::move(simulation), !arguments.paused, std::move(scenes));
  LiveServer server(session, std::string(viewer_page()), server_options(arguments));
  const int written = write_output(
      fmt::format("{}\nOpen this page in a browser on this machine; Ctrl-C ends the simulation.\n",
                  server.url()));
  if (written != exit_success) return written;
  session.start();
  signals.wait();
  server.stop();
  session.stop();
  return write_output(summary(session.status()));
}

std::string check_port(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  const bool whole = number && *number >= 0.0 && *number <= 65535.0 &&
                     *number == static_cast<double>(static_cast<int>(*number));
  return whole ? std::string() : fmt::format("{} is not a port; give 0 to 65535", text);
}

std::string check_speed(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  return number && *number >= 0.001 && *number <= 1000.0
             ? std::string()
             : fmt::format("{} is not a speed; give 0.001 to 1000", text);
}

void add_arguments(CLI::App& command, ViewArguments& arguments) {
  arguments.scene.add_to(command);
  arguments.step.add_to(command);
  arguments.control.add_to(command);
  command
      .add_option("--port", arguments.port,
                  fmt::format("Serve on this port of 127.0.0.1, 0 for any that is free (default: "
                              "the first free one from {} on)",
                              usual_port))
      ->type_name("NUMBER")
      ->check(check_port);
  command.add_option("--speed", arguments.speed, "Target real-time factor (default 1)")
      ->type_name("FACTOR")
      ->check(check_speed);
  command.add_flag("--paused", arguments.paused, "Start paused, and wait for play in the browser");
}

}  // namespace

void add_view_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "view", "Simulate live; watch, pull bodies and change settings in a browser on this machine");
  const auto arguments = std::make_shared<ViewArguments>();
  command->preparse_callback(
      [command, arguments](std::size_t) { add_arguments(*command, *arguments); });
  command->callback([&action, arguments] {
    (void)arguments->step.options();
    action = [arguments] { return view(*arguments); };
  });
}

}  // namespace stiction
