#include "stiction/sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace stiction {

namespace {

std::span<const double> as_span(const Eigen::VectorXd& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// Before anything is made of the Model.
StepOptions checked(StepOptions options) {
  if (const std::string fault = fault_of(options); !fault.empty()) {
    throw std::invalid_argument(fmt::format("simulation: {}", fault));
  }
  return options;
}

}  // namespace

Simulation::Simulation(Model model, StepOptions options)
    : model_(std::move(model)),
      options_(checked(std::move(options))),
      state_(model_.initial_state()),
      workspace_(model_),
      control_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model_.actuators().size()))),
      joint_forces_(Eigen::VectorXd::Zero(model_.velocity_count())) {}

double Simulation::time_step() const {
  return options_.time_step > 0.0 ? options_.time_step : model_.time_step();
}

void Simulation::reset_to_keyframe(std::string_view name) {
  const std::optional<int> keyframe = model_.find_keyframe(name);
  if (!keyframe) {
    throw std::invalid_argument(
        fmt::format("model '{}' has no keyframe '{}'", model_.name(), name));
  }
  state_ = model_.keyframe_state(*keyframe);
  control_ = model_.keyframes()[static_cast<std::size_t>(*keyframe)].control;
}

StepInput Simulation::input() const {
  return {as_span(control_), as_span(joint_forces_), servos_, forces_};
}

const StepReport& Simulation::evaluate() {
  stiction::evaluate(model_, options_, input(), state_, workspace_, report_);
  return report_;
}

Eigen::VectorXd Simulation::actuator_forces() const {
  Eigen::VectorXd result(model_.velocity_count());
  workspace_.actuator_forces({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

Eigen::VectorXd Simulation::accelerations() const {
  Eigen::VectorXd result(model_.velocity_count());
  workspace_.accelerations({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

const StepReport& Simulation::step() {
  stiction::step(model_, options_, input(), state_, workspace_, report_);
  forces_.clear();
  ++counts_.steps;
  switch (report_.status) {
    case StepStatus::refused:
    case StepStatus::diverged:
      ++counts_.refused;
      return report_;
    case StepStatus::not_certified:
      ++counts_.not_certified;
      break;
    case StepStatus::energy_grew:
      ++counts_.energy_grew;
      break;
    case StepStatus::ok:
      break;
  }
  counts_.energy_gain += report_.energy_gain;
  counts_.gaining_steps += report_.energy_gain > 0.0 ? 1 : 0;
  counts_.worst_residual = std::max(counts_.worst_residual, report_.certificate.residual());
  counts_.deepest_overlap = std::max(counts_.deepest_overlap, report_.deepest_overlap);
  return report_;
}

const StepReport& Simulation::run(double seconds) {
  const double steps = std::round(seconds / time_step());
  if (!(steps >= 0.0 && steps <= 1e15)) {
    throw std::invalid_argument(fmt::format("run: cannot run for {} s", seconds));
  }
  for (auto left = static_cast<long long>(steps); left > 0; --left) {
    step();
    if (report_.status == StepStatus::refused || report_.status == StepStatus::diverged) break;
  }
  return report_;
}

}  // namespace stiction
