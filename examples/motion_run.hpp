#pragma once

/// \file
/// The simulation of a control example, with the two things that its command line can ask for:
///   example_control_NAME [RUN.h5] [--springs]

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "legged_robots.hpp"
#include "stiction/record/recording.hpp"

struct MotionArguments {
  std::filesystem::path recording;  ///< empty: the run is not recorded
  bool springs = false;             ///< viscoelastic contact instead of hard contact
};

/// Throws std::invalid_argument with the usage; `--help` prints it and ends the program.
inline MotionArguments motion_arguments(int count, char** texts) {
  const std::string program = std::filesystem::path(texts[0]).filename();
  const std::string usage = "usage: " + program +
                            " [RUN.h5] [--springs]\n"
                            "  RUN.h5     records the run; see it with: ./run replay RUN.h5 --html "
                            "page.html\n"
                            "  --springs  viscoelastic contact instead of hard contact";
  MotionArguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    if (text == "--help" || text == "-h") {
      std::printf("%s\n", usage.c_str());
      std::exit(0);
    }
    if (text == "--springs") {
      arguments.springs = true;
    } else if (text.empty() || text.front() == '-') {
      throw std::invalid_argument("unknown argument '" + text + "'\n" + usage);
    } else if (!arguments.recording.empty()) {
      throw std::invalid_argument("a run is recorded to one file, not to '" +
                                  arguments.recording.string() + "' and '" + text + "'\n" + usage);
    } else {
      arguments.recording = text;
    }
  }
  return arguments;
}

/// A robot that steps with given torques, and is recorded if the user asked for it.
class MotionRun {
 public:
  MotionRun(const std::string& title, const LeggedRobot& robot, const MotionArguments& arguments)
      : simulation(robot.model, options(arguments)) {
    simulation.set_state(robot.start);
    if (arguments.recording.empty()) return;
    stiction::RunDescription description;
    description.title = title;
    description.options = simulation.options();
    description.options.time_step = simulation.time_step();
    description.controls = "inverse dynamics";
    recorder_.emplace(arguments.recording, robot.model, description,
                      stiction::RecorderOptions{.steps_per_frame = 5, .forces = true});
    recorder_->start(simulation.state());
  }

  /// Throws if the step was not certified.
  const stiction::StepReport& step(const Eigen::VectorXd& torques) {
    simulation.joint_forces() = torques;
    const stiction::StepReport& report = simulation.step();
    if (!report.ok()) throw std::runtime_error(report.message);
    if (recorder_) recorder_->step(simulation.state(), report, simulation.workspace());
    return report;
  }

  /// Writes the rest of the recording; throws if that fails.
  void finish() {
    if (recorder_) recorder_->finish();
  }

  stiction::Simulation simulation;

 private:
  static stiction::StepOptions options(const MotionArguments& arguments) {
    stiction::StepOptions options;
    if (arguments.springs) options.contact = stiction::ContactFamily::viscoelastic;
    return options;
  }

  std::optional<stiction::Recorder> recorder_;
};
