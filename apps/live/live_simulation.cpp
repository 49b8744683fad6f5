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
      history_(limits) {
  refresh_settings();
  reset();
}

bool LiveSimulation::step() {
  if (shown_ < history_.last()) history_.truncate_after(shown_);
  if (control_) control_(*simulation_);
  for (const auto& [client, drag] : drags_) {
    simulation_->push(spring_.force(simulation_->model(), simulation_->state(),
                                    simulation_->time_step(), drag.body, drag.point, drag.target));
  }
  const StepReport& report = simulation_->step();
  count_step(report);
  const bool done = report.status == StepStatus::ok || report.status == StepStatus::not_certified;
  message_ = done ? std::string()
                  : fmt::format("step {} at t = {:g} s: {}", to_string(report.status), time(),
                                report.message);
  return done;
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
  }
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
  shown_ = frame;
  simulation_->set_state(history_.frame(frame).record.state);
  message_.clear();
}

void LiveSimulation::reset() {
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
  refresh_settings();
  return other_model;
}

void LiveSimulation::use_model(Model model) {
  std::string scene = scene_json(model);
  auto next = std::make_unique<Simulation>(std::move(model), simulation_->options());
  next->set_state(simulation_->state());
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

LiveStatus LiveSimulation::status() const {
  LiveStatus result = counts_;
  result.frame = shown_;
  result.first = history_.first();
  result.last = history_.last();
  result.time = history_.frame(shown_).record.state.time;
  result.hash = history_.frame(shown_).hash;
  result.settings = settings_;
  result.message = message_;
  return result;
}

std::string LiveSimulation::scene_text() const { return scene_message(scene_, settings_); }

std::string LiveSimulation::frame_text() const {
  const LiveFrame& frame = history_.frame(shown_);
  return page_frame(poses_, frame.record, static_cast<std::uint32_t>(shown_), frame.hash);
}

}  // namespace stiction
