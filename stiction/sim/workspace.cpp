#include "stiction/sim/workspace.hpp"

#include <algorithm>

#include "stiction/sim/workspace_parts.hpp"
#include "stiction/touch/body_impulses.hpp"

namespace stiction {

Workspace::Parts::Parts(const Model& the_model)
    : model(the_model),
      layout(the_model),
      forces(the_model),
      external(the_model),
      dynamics(the_model),
      tendons(the_model),
      collider(the_model),
      islands(layout),
      motion(the_model, layout) {
  workers.emplace_back(model, layout);
}

Workspace::Workspace(const Model& model) : parts_(std::make_unique<Parts>(model)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

const Model& Workspace::model() const { return parts_->model; }
double Workspace::time_step() const { return parts_->time_step; }
const DynamicsData<double>& Workspace::dynamics() const { return parts_->dynamics; }
const Collider& Workspace::collider() const { return parts_->collider; }

void Workspace::actuator_forces(std::span<double> result) const {
  parts_->forces.actuator_forces(parts_->velocity_of_forces(), result);
}

double Workspace::actuator_force(int actuator) const {
  return parts_->forces.actuator_force(actuator, parts_->velocity_of_forces());
}

void Workspace::accelerations(std::span<double> result) const {
  const StepMotion& motion = parts_->motion;
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k] = (motion.next_velocity[k] - motion.velocity_before[k]) / parts_->time_step;
  }
}

void Workspace::constraint_impulses(std::span<Force<double>> result) const {
  std::ranges::fill(result, Force<double>{});
  add_body_impulses(parts_->dynamics, parts_->contacts, parts_->solution.impulses, 1.0, result);
}

std::span<const Force<double>> Workspace::external_forces() const {
  return parts_->external.on_bodies();
}

const ContactProblem* Workspace::last_problem() const {
  const IslandWorker& worker = parts_->workers.front();
  return worker.solver == nullptr ? nullptr : &worker.problem;
}

}  // namespace stiction
