#pragma once

/// \file
/// A simulation with a past, settings that change, and hands that pull at it. One thread only;
/// LiveSession gives it one.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "apps/live/drag_spring.hpp"
#include "apps/live/live_history.hpp"
#include "apps/live/live_protocol.hpp"
#include "apps/live/live_watch.hpp"
#include "stiction/record/page.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {

/// Called before each step to set controls, servos and pushes. What it does must depend on the
/// state alone, or time travel shows another future.
using LiveControl = std::function<void(Simulation&)>;

/// Takes the velocity that a policy shall reach: forward, left [m/s], turning [rad/s].
using LiveSteering = std::function<void(const Eigen::Vector3d&)>;

class LiveSimulation {
 public:
  /// Frame 0 is `start`. Throws std::invalid_argument if the options are impossible.
  LiveSimulation(Model model, State start, StepOptions options, LiveControl control,
                 HistoryLimits limits = {});

  /// One step on from the frame shown; frames behind it are forgotten. False if the simulation
  /// shall stop, and message() says why: the step was refused or diverged, and the state is as
  /// before; or something happened at which the settings pause.
  bool step();
  /// Whether the steps since the last frame fill 1/60 s, or less in slow motion: 1/60 s of the
  /// watcher's time.
  [[nodiscard]] bool frame_is_full() const;
  /// Stores the present state as a frame and shows it, if there were steps since the last one.
  void end_frame();

  /// Shows a frame of the past exactly as it was. Throws std::invalid_argument if it is not kept.
  void go_to(std::int64_t frame);
  /// Back to the start with the present settings; forgets everything behind.
  void reset();
  /// All or nothing: throws std::invalid_argument and changes nothing if something is not possible.
  /// Returns whether the scene that viewers draw is another now.
  bool change(const SettingsChange& change);

  /// Pulls for one client, who pulls one body at a time. Throws std::invalid_argument if there is
  /// no such body, or nothing can move it.
  void drag(int client, const DragRequest& request);
  void release(int client) { drags_.erase(client); }

  /// \name In place of what LiveControl sets. Throw std::invalid_argument if there is no such
  /// actuator, joint with a servo, or pose.
  /// @{
  void set_control(const ControlRequest& request);
  void set_target(const TargetRequest& request);
  /// Lets viewers steer what LiveControl does, from this command on.
  void steer_by(LiveSteering steering, const Eigen::Vector3d& command);
  /// Throws std::invalid_argument if nothing can be steered.
  void command(const CommandRequest& request);
  /// @}
  /// \name States under names, at most 100
  /// @{
  void save_pose(const std::string& name);
  void restore_pose(const std::string& name);
  /// @}
  /// Records the steps from now on into a new file in the working folder, or ends that. Going back
  /// in time ends it, too. Throws InputError if the file cannot be written.
  void record(bool on);

  [[nodiscard]] double time() const { return simulation_->state().time; }  ///< [s]
  [[nodiscard]] double speed() const { return settings_.speed; }
  [[nodiscard]] std::int64_t shown() const { return shown_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  void set_message(std::string message) { message_ = std::move(message); }
  /// Of the frame shown, without `playing` and `real_time_factor`.
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] std::string scene_text() const;  ///< message `scene` for clients
  [[nodiscard]] std::string frame_text() const;  ///< binary message of the frame shown

 private:
  [[nodiscard]] LiveFrame make_frame();
  void act();
  void remember(const StepReport& report);
  [[nodiscard]] int servo_of(int body) const;
  [[nodiscard]] std::map<int, double> targets() const;
  [[nodiscard]] StepOptions changed_options(const SettingsChange& change) const;
  void count_step(const StepReport& report);
  void use_model(Model model);
  void refresh_settings();

  Model original_;  ///< before any factor on friction
  State start_;
  LiveControl control_;
  std::unique_ptr<Simulation> simulation_;
  std::string scene_;
  ScenePoses poses_;
  DynamicsData<double> dynamics_;  ///< for energies
  DragSpring spring_;
  std::map<int, DragRequest> drags_;  ///< by client, in an order that is always the same
  std::map<int, double> controls_;    ///< by actuator, that somebody set
  std::map<int, double> targets_;     ///< by velocity of the joint, that somebody set
  LiveSteering steering_;             ///< may be empty
  Eigen::Vector3d command_ = Eigen::Vector3d::Zero();
  std::vector<PulledPoint> pulls_;  ///< of the last step
  std::map<std::string, State> poses_by_name_;
  std::unique_ptr<Recorder> recorder_;
  std::string recording_;  ///< its file
  FallWatch fall_;
  LiveHistory history_;
  std::int64_t shown_ = 0;
  RecordedFrame growing_;  ///< what the steps since the last frame add up to
  LiveSettings settings_;
  LiveStatus counts_;  ///< only counts and worst_residual are used
  std::string message_;
};

}  // namespace stiction
