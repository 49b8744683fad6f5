#include "apps/live/live_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "stiction/core/problem.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/solver/claims.hpp"

namespace stiction {

namespace {

constexpr double frames_per_second = 60.0;
constexpr double most_friction = 1000.0;
constexpr double least_speed = 0.001;
constexpr double most_speed = 1000.0;

void check(const std::string& fault) {
  if (!fault.empty()) throw std::invalid_argument(fault);
}

void check_range(const std::optional<double>& value, std::string_view name, double least,
                 double most) {
  if (!value || (*value >= least && *value <= most)) return;
  throw std::invalid_argument(
      fmt::format("{} is {:g}; it must be from {:g} to {:g}", name, *value, least, most));
}

/// The model with all coefficients of its materials times a factor.
Model with_friction(const Model& model, double factor) {
  ModelParameters parameters = model.parameters();
  for (Material& material : parameters.materials) material.friction *= factor;
  for (MaterialPair& pair : parameters.material_pairs) pair.friction *= factor;
  try {
    return model.with_parameters(std::move(parameters));
  } catch (const InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

/// Of the last step; zeros before the first.
void add_forces(RecordedFrame& frame, Simulation& simulation) {
  const Eigen::Index actuators = simulation.control().size();
  frame.joint_forces = Eigen::VectorXd::Zero(simulation.model().velocity_count());
  frame.actuator_forces = Eigen::VectorXd::Zero(actuators);
  if (frame.steps == 0) return;
  frame.joint_forces = simulation.actuator_forces();
  for (int i = 0; i < actuators; ++i) {
    frame.actuator_forces[i] = simulation.workspace().actuator_force(i);
  }
}

RecordedContact recorded(const StepContact& contact) {
  return {contact.shape_a,  contact.shape_b, contact.mode,    contact.gap,
          contact.friction, contact.point,   contact.axes.c2, contact.axes * contact.impulse};
}

}  // namespace

LiveSimulation::LiveSimulation(Model model, State start, StepOptions options, LiveControl control,
                               HistoryLimits limits)
    : original_(std::move(model)),
      start_(std::move(start)),
      control_(std::move(control)),
      simulation_(std::make_unique<Simulation>(original_, std::move(options))),
      scene_(scene_json(original_)),
      poses_(scene_),
      dynamics_(original_),
      spring_(original_),
      fall_(original_, start_),
      history_(limits) {
  refresh_settings();
  reset();
}

bool LiveSimulation::step() {
  if (shown_ < history_.last()) history_.truncate_after(shown_);
  act();
  const double before = time();
  const StepReport& report = simulation_->step();
  count_step(report);
  remember(report);
  message_ = reason_to_stop(report, settings_, before);
  if (fall_.has_fallen(simulation_->state()) && message_.empty() && settings_.pause_fall) {
    message_ = fmt::format("paused at t = {:g} s: the robot fell over", time());
  }
  return message_.empty();
}

void LiveSimulation::act() {
  if (control_) control_(*simulation_);
  for (const auto& [actuator, value] : controls_) simulation_->control()[actuator] = value;
  for (JointServo& servo : simulation_->servos()) {
    const auto found = targets_.find(servo.velocity_index);
    if (found != targets_.end()) servo.position_target = found->second;
  }
  pulls_.clear();
  for (const auto& [client, drag] : drags_) {
    const ExternalForce force =
        spring_.force(simulation_->model(), simulation_->state(), simulation_->time_step(),
                      drag.body, drag.point, drag.target);
    simulation_->push(force);
    pulls_.push_back({spring_.world_point(drag.body, drag.point), force.force});
  }
}

/// A step that was done goes into the recording; one that cannot be written ends that.
void LiveSimulation::remember(const StepReport& report) {
  const bool done = report.status != StepStatus::refused && report.status != StepStatus::diverged;
  if (!recorder_ || !done) return;
  recorder_->step(simulation_->state(), report, simulation_->workspace());
}

void LiveSimulation::count_step(const StepReport& report) {
  if (report.status == StepStatus::refused || report.status == StepStatus::diverged) {
    ++counts_.refused;
    return;
  }
  const int uncertified = report.ok() ? 0 : 1;
  const double residual = report.certificate.residual();
  ++counts_.steps;
  counts_.not_certified += uncertified;
  counts_.worst_residual = std::max(counts_.worst_residual, residual);
  ++growing_.steps;
  growing_.not_certified += uncertified;
  growing_.iterations += report.iterations;
  growing_.worst_residual = std::max(growing_.worst_residual, residual);
  growing_.deepest_overlap = std::max(growing_.deepest_overlap, report.deepest_overlap);
}

bool LiveSimulation::frame_is_full() const {
  const double seconds = std::min(settings_.speed, 1.0) / frames_per_second;
  return growing_.steps >= std::max(1.0, std::round(seconds / simulation_->time_step()));
}

void LiveSimulation::end_frame() {
  if (growing_.steps == 0) return;
  history_.push(make_frame());
  shown_ = history_.last();
}

LiveFrame LiveSimulation::make_frame() {
  const State& state = simulation_->state();
  LiveFrame frame{std::exchange(growing_, {}), hash(state)};
  frame.record.state = state;
  if (frame.record.steps > 0) {
    frame.record.contacts.reserve(simulation_->report().contacts.size());
    for (const StepContact& contact : simulation_->report().contacts) {
      frame.record.contacts.push_back(recorded(contact));
    }
    frame.record.springs = simulation_->report().springs;
    frame.pulls = pulls_;
  }
  add_forces(frame.record, *simulation_);
  const Model& model = simulation_->model();
  update_kinematics(model, dynamics_, state.q, state.v);
  frame.record.kinetic_energy = kinetic_energy<double>(model, dynamics_, as_span(state.v));
  frame.record.potential_energy = potential_energy<double>(model, dynamics_, as_span(state.q));
  return frame;
}

void LiveSimulation::go_to(std::int64_t frame) {
  end_frame();
  if (!history_.has(frame)) {
    throw std::invalid_argument(fmt::format("frame {} is not in the history; choose {} to {}",
                                            frame, history_.first(), history_.last()));
  }
  if (frame < history_.last()) record(false);
  shown_ = frame;
  simulation_->set_state(history_.frame(frame).record.state);
  fall_.forget();
  message_.clear();
}

void LiveSimulation::reset() {
  record(false);
  fall_.forget();
  simulation_->set_state(start_);
  growing_ = {};
  counts_ = {};
  message_.clear();
  history_.restart(make_frame());
  shown_ = 0;
}

StepOptions LiveSimulation::changed_options(const SettingsChange& change) const {
  const StepOptions& before = simulation_->options();
  StepOptions options = before;
  for (const auto& [name, value] : change.options) {
    const StepOption* option = find_step_option(name);
    check(option == nullptr ? fmt::format("there is no option '{}'", name)
                            : fault_of(option->info(), value));
    option->set(options, value);
  }
  check(fault_of(options));
  const std::string refusal = refusal_of_contacts(options.solver, options.solver_options);
  const bool other =
      options.solver != before.solver || options.solver_options.law != before.solver_options.law;
  if (other && !refusal.empty()) {
    throw std::invalid_argument(
        fmt::format("solver '{}' does not support law '{}': it {}; choose another solver or law",
                    options.solver, to_string(options.solver_options.law), refusal));
  }
  return options;
}

bool LiveSimulation::change(const SettingsChange& change) {
  StepOptions options = changed_options(change);
  check_range(change.friction, "friction", 0.0, most_friction);
  check_range(change.speed, "speed", least_speed, most_speed);
  const bool other_model = change.friction && *change.friction != settings_.friction;
  if (other_model) use_model(with_friction(original_, *change.friction));
  simulation_->options() = std::move(options);
  settings_.friction = change.friction.value_or(settings_.friction);
  settings_.speed = change.speed.value_or(settings_.speed);
  settings_.pause_uncertified = change.pause_uncertified.value_or(settings_.pause_uncertified);
  settings_.pause_energy = change.pause_energy.value_or(settings_.pause_energy);
  settings_.pause_fall = change.pause_fall.value_or(settings_.pause_fall);
  refresh_settings();
  return other_model;
}

void LiveSimulation::use_model(Model model) {
  std::string scene = scene_json(model);
  auto next = std::make_unique<Simulation>(std::move(model), simulation_->options());
  next->set_state(simulation_->state());
  next->control() = simulation_->control();
  next->servos() = simulation_->servos();
  record(false);
  simulation_ = std::move(next);
  scene_ = std::move(scene);
}

void LiveSimulation::refresh_settings() {
  settings_.options = simulation_->options();
  settings_.options.time_step = simulation_->time_step();
}

void LiveSimulation::drag(int client, const DragRequest& request) {
  const Model& model = simulation_->model();
  if (request.body < 0 || request.body >= model.body_count()) {
    throw std::invalid_argument(
        fmt::format("there is no body {}; choose 0 to {}", request.body, model.body_count() - 1));
  }
  if (model.joint(request.body).kinematic) {
    throw std::invalid_argument(fmt::format("body '{}' cannot be dragged: its motion is prescribed",
                                            model.body_name(request.body)));
  }
  drags_[client] = request;
}

void LiveSimulation::set_control(const ControlRequest& request) {
  const auto count = simulation_->control().size();
  if (request.actuator < 0 || request.actuator >= count) {
    throw std::invalid_argument(
        fmt::format("there is no actuator {}; the scene has {}", request.actuator, count));
  }
  if (request.value) {
    controls_[request.actuator] = *request.value;
  } else if (controls_.erase(request.actuator) > 0) {
    simulation_->control()[request.actuator] = 0.0;
  }
}

/// Index of the servo of the joint that carries a body; -1 if it has none.
int LiveSimulation::servo_of(int body) const {
  const Model& model = simulation_->model();
  if (body < 0 || body >= model.body_count()) return -1;
  const auto& servos = simulation_->servos();
  const auto found =
      std::ranges::find(servos, model.joint(body).velocity_index, &JointServo::velocity_index);
  return found == servos.end() ? -1 : static_cast<int>(found - servos.begin());
}

void LiveSimulation::set_target(const TargetRequest& request) {
  if (control_) control_(*simulation_);  // servos may be there only once it ran
  const int servo = servo_of(request.body);
  if (servo < 0) {
    throw std::invalid_argument(fmt::format(
        "body {} hangs at no joint with a servo; start the scene with --control pd", request.body));
  }
  const int velocity = simulation_->servos()[static_cast<std::size_t>(servo)].velocity_index;
  if (request.value) {
    targets_[velocity] = *request.value;
  } else {
    targets_.erase(velocity);
  }
}

void LiveSimulation::steer_by(LiveSteering steering, const Eigen::Vector3d& command) {
  steering_ = std::move(steering);
  command_ = command;
}

void LiveSimulation::command(const CommandRequest& request) {
  if (!steering_) {
    throw std::invalid_argument(
        "no policy drives this robot; start the scene with --control policy:FILE");
  }
  command_ = request.velocity;
  steering_(command_);
}

std::map<int, double> LiveSimulation::targets() const {
  std::map<int, double> result;
  for (int body = 0; body < simulation_->model().body_count(); ++body) {
    const int servo = servo_of(body);
    if (servo < 0) continue;
    const JointServo& entry = simulation_->servos()[static_cast<std::size_t>(servo)];
    const auto set = targets_.find(entry.velocity_index);
    result[body] = set == targets_.end() ? entry.position_target : set->second;
  }
  return result;
}

void LiveSimulation::save_pose(const std::string& name) {
  constexpr std::size_t most = 100;
  if (poses_by_name_.size() >= most && !poses_by_name_.contains(name)) {
    throw std::invalid_argument(fmt::format("{} poses are saved already", most));
  }
  poses_by_name_[name] = simulation_->state();
}

void LiveSimulation::restore_pose(const std::string& name) {
  const auto found = poses_by_name_.find(name);
  if (found == poses_by_name_.end()) {
    throw std::invalid_argument(fmt::format("no pose was saved as '{}'", name));
  }
  record(false);
  fall_.forget();
  const double now = time();
  State state = found->second;
  state.time = now;  // a new moment of this run, not a journey in time
  if (shown_ < history_.last()) history_.truncate_after(shown_);
  simulation_->set_state(state);
  growing_ = {};
  message_.clear();
  history_.push(make_frame());
  shown_ = history_.last();
}

void LiveSimulation::record(bool on) {
  if (!on) {
    recorder_.reset();
    recording_.clear();
    return;
  }
  if (recorder_) return;
  const std::string file = new_recording_file(simulation_->model().name());
  RunDescription run;
  run.title = simulation_->model().name();
  run.options = settings_.options;
  run.controls = "live";
  const auto steps =
      std::max(1.0, std::round(1.0 / (frames_per_second * simulation_->time_step())));
  recorder_ = std::make_unique<Recorder>(
      file, simulation_->model(), run,
      RecorderOptions{.steps_per_frame = static_cast<int>(steps), .forces = true});
  recorder_->start(simulation_->state());
  recording_ = file;
}

LiveStatus LiveSimulation::status() const {
  LiveStatus result = counts_;
  result.frame = shown_;
  result.first = history_.first();
  result.last = history_.last();
  result.time = history_.frame(shown_).record.state.time;
  result.hash = history_.frame(shown_).hash;
  result.settings = settings_;
  result.message = message_;
  const Eigen::VectorXd& control = simulation_->control();
  result.controls.assign(control.begin(), control.end());
  result.targets = targets();
  if (steering_) result.command = command_;
  for (const auto& [name, state] : poses_by_name_) result.poses.push_back(name);
  result.recording = recording_;
  return result;
}

std::string LiveSimulation::scene_text() const { return scene_message(scene_, settings_); }

std::string LiveSimulation::frame_text() const {
  const LiveFrame& frame = history_.frame(shown_);
  return page_frame(poses_, frame.record, static_cast<std::uint32_t>(shown_), frame.hash,
                    frame.pulls);
}

}  // namespace stiction
