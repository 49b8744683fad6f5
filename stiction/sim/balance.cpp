#include "stiction/sim/balance.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/spin.hpp"
#include "stiction/touch/body_impulses.hpp"

namespace stiction {

namespace {

double power(const DynamicsData<double>& data, std::span<const Force<double>> forces) {
  double sum = 0.0;
  for (std::size_t i = 0; i < forces.size(); ++i) sum += dot(forces[i], data.bodies[i].velocity);
  return sum;
}

/// What the work of impacts within the step differs by from that of the same impulses spread over
/// it [J].
double impact_correction(const BalanceInput& input) {
  const StepSolution& solution = input.solution;
  double sum = 0.0;
  for (int island = 0; island < input.islands.count(); ++island) {
    if (!input.targets.is_by_impacts(island)) continue;
    sum += solution.islands[index(island)].impact_work;
    for (const int block : input.islands.view(island).blocks) {
      const double* impulse = solution.impulses.data() + input.set.place(block);
      const double* after = solution.velocities.data() + input.set.place(block);
      const Vector3<double> middle = 0.5 * (input.velocities.contacts[index(block)].before +
                                            Vector3<double>{after[0], after[1], after[2]});
      sum -= dot(Vector3<double>{impulse[0], impulse[1], impulse[2]}, middle);
    }
  }
  return sum;
}

void prepare(const Model& model, BalanceScratch& scratch) {
  if (scratch.elsewhere) return;
  scratch.elsewhere.emplace(model);
  scratch.body_forces.resize(index(model.body_count()));
  for (std::vector<double>* numbers :
       {&scratch.mean_velocity, &scratch.acceleration, &scratch.joint_impulses,
        &scratch.needed_forces, &scratch.actuator_forces}) {
    numbers->resize(index(model.velocity_count()));
  }
}

/// Mean velocities, accelerations, and the impulses of all blocks on joints and bodies.
void collect(const BalanceInput& input, BalanceScratch& scratch) {
  const StepMotion& motion = input.motion;
  const double h = input.time_step;
  for (std::size_t k = 0; k < motion.next_velocity.size(); ++k) {
    const double v = motion.velocity_before[k];
    scratch.mean_velocity[k] = 0.5 * (v + motion.next_velocity[k]);
    scratch.acceleration[k] = (motion.next_velocity[k] - v) / h;
  }
  std::ranges::fill(scratch.joint_impulses, 0.0);
  add_joint_impulses(input.set, input.solution.impulses, scratch.joint_impulses);
  std::ranges::fill(scratch.body_forces, Force<double>{});
  add_body_impulses(input.scene.dynamics, input.set, input.solution.impulses, 1.0 / h,
                    scratch.body_forces);
}

/// Work by contacts and by actuators. Needs collect().
void add_work(const BalanceInput& input, BalanceScratch& scratch, StepBalance& balance) {
  const Model& model = input.scene.model;
  const double h = input.time_step;
  update_kinematics<double>(model, *scratch.elsewhere, as_span(input.state.q),
                            scratch.mean_velocity);
  balance.contact_work = h * power(*scratch.elsewhere, scratch.body_forces);
  if (model.has_restitution()) balance.contact_work += impact_correction(input);
  balance.actuator_work = h * power(*scratch.elsewhere, input.external.on_bodies());
  input.forces.actuator_forces(input.motion.next_velocity, scratch.actuator_forces, false);
  for (std::size_t k = 0; k < scratch.mean_velocity.size(); ++k) {
    balance.contact_work += scratch.mean_velocity[k] * scratch.joint_impulses[k];
    balance.actuator_work += h * scratch.mean_velocity[k] * scratch.actuator_forces[k];
  }
}

/// A single body that spins so fast that its gyroscopic term is not that of the start.
bool spins_fast(const BalanceInput& input, const Tree& tree) {
  if (!tree.single || input.uses_start_acceleration) return false;
  const double* w = input.motion.velocity_before.data() + tree.velocity_first + 3;
  return input.time_step * std::hypot(w[0], w[1], w[2]) > fast_turn;
}

/// What the equations of motion leave over. Adds the forces from outside to the bodies'.
void add_residuals(const BalanceInput& input, BalanceScratch& scratch, StepBalance& balance) {
  const SceneSnapshot& scene = input.scene;
  const Model& model = scene.model;
  const double h = input.time_step;
  const std::span<const Force<double>> external = input.external.on_bodies();
  for (std::size_t i = 0; i < external.size(); ++i) scratch.body_forces[i] += external[i];
  update_kinematics<double>(model, *scratch.elsewhere, as_span(input.state.q),
                            as_span(input.state.v));
  inverse_dynamics<double>(model, *scratch.elsewhere, scratch.acceleration, scratch.needed_forces,
                           scratch.body_forces);
  const std::span<const double> diagonal = input.forces.diagonal();
  for (std::size_t t = 0; t < scene.layout.trees.size(); ++t) {
    if (input.motion.has_impulses[t] == 0 && !input.uses_start_acceleration) continue;
    const Tree& tree = scene.layout.trees[t];
    if (spins_fast(input, tree)) continue;
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      if (model.constants()[index(model.degrees_of_freedom()[k].body)].kinematic) continue;
      const double implicit = diagonal.empty() ? 0.0 : diagonal[k] * scratch.acceleration[k];
      const double residual = h * (scratch.needed_forces[k] + implicit - input.forces.tau()[k]) -
                              scratch.joint_impulses[k];
      balance.momentum_residual = std::max(balance.momentum_residual, std::abs(residual));
      balance.energy_residual += scratch.mean_velocity[k] * residual;
    }
  }
}

}  // namespace

StepBalance balance_of(const BalanceInput& input, BalanceScratch& scratch) {
  const Model& model = input.scene.model;
  const StepMotion& motion = input.motion;
  StepBalance balance;
  prepare(model, scratch);
  collect(input, scratch);
  add_work(input, scratch, balance);
  add_residuals(input, scratch, balance);
  update_kinematics<double>(model, *scratch.elsewhere, motion.next_position, motion.next_velocity);
  balance.kinetic_energy = kinetic_energy<double>(model, *scratch.elsewhere, motion.next_velocity);
  balance.potential_energy =
      potential_energy<double>(model, *scratch.elsewhere, motion.next_position);
  return balance;
}

}  // namespace stiction
