#include "stiction/sim/balance.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Impulses on bodies by contacts and locks, as forces over the step, and those from outside.
void add_body_forces(const Workspace::Memory& memory, std::vector<Force<double>>& forces) {
  const auto add = [&](int body, const ContactPoint<double>& contact, const double* rows,
                       bool turning, double sign) {
    if (body < 0) return;
    const double share = sign / memory.h;
    const Vector3<double> arm = contact.point - memory.data.bodies[index(body)].position;
    const Vector3<double> f = contact.axes * Vector3<double>{rows[0], rows[1], rows[2]};
    Vector3<double> moment = cross(arm, f);
    if (turning) moment += contact.axes * Vector3<double>{rows[3], rows[4], rows[5]};
    forces[index(body)].linear = multiply_add(share, f, forces[index(body)].linear);
    forces[index(body)].angular = multiply_add(share, moment, forces[index(body)].angular);
  };
  const double* rows = memory.impulses.data();
  for (const Candidate& candidate : memory.candidates) {
    add(candidate.contact.body_b, candidate.contact, rows, false, 1.0);
    add(candidate.contact.body_a, candidate.contact, rows, false, -1.0);
    rows += 3;
  }
  for (const Constraint& constraint : memory.constraints) {
    if (constraint.rows > 1) {
      add(constraint.contact.body_b, constraint.contact, rows, constraint.rows == 6, 1.0);
      add(constraint.contact.body_a, constraint.contact, rows, constraint.rows == 6, -1.0);
    }
    rows += 6;
  }
}

/// Impulses of limits, joint friction and coupled joints, one per velocity.
void add_joint_impulses(const Workspace::Memory& memory, std::span<double> result) {
  const double* rows = memory.impulses.data() + 3 * memory.candidates.size();
  for (const Constraint& constraint : memory.constraints) {
    if (constraint.rows == 1) {
      for (int d = 0; d < constraint.direction.count; ++d) {
        result[index(constraint.direction.index[d])] +=
            constraint.direction.coefficient[d] * rows[0];
      }
    }
    rows += 6;
  }
}

/// Σ force · velocity of the bodies' own `acceleration`, which holds mean velocities here.
double power(const DynamicsData<double>& data, std::span<const Force<double>> forces) {
  double sum = 0.0;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    sum += dot(forces[i], data.bodies[i].acceleration);
  }
  return sum;
}

/// What the work of impacts within the step differs by from that of the same impulses spread over
/// it [J].
double impact_correction(const Workspace::Memory& memory) {
  double sum = 0.0;
  for (int i = 0; i < memory.island_count; ++i) {
    const Island& island = memory.islands[index(i)];
    if (!island.events) continue;
    sum += island.impact_work;
    for (int k = 0; k < island.block_count; ++k) {
      const std::size_t block = index(memory.island_blocks[index(island.block_first + k)]);
      const Candidate& c = memory.candidates[block];
      const double* impulse = memory.impulses.data() + 3 * block;
      const double* after = memory.velocities.data() + 3 * block;
      const Vector3<double> middle =
          0.5 * (c.before + Vector3<double>{after[0], after[1], after[2]});
      sum -= dot(Vector3<double>{impulse[0], impulse[1], impulse[2]}, middle);
    }
  }
  return sum;
}

}  // namespace

StepBalance balance_of(const State& state, Workspace::Memory& memory) {
  const Model& model = memory.model;
  const double h = memory.h;
  const std::size_t n = memory.v_next.size();
  StepBalance balance;
  std::vector<double>& mean = memory.stage_v;
  std::vector<double>& joint = memory.stage_xi;   // impulses in joint directions
  std::vector<double>& needed = memory.stage_dv;  // joint forces that the motion needs
  std::vector<Force<double>>& forces = memory.body_impulses;
  for (std::size_t k = 0; k < n; ++k) {
    const double v = state.v[static_cast<Eigen::Index>(k)];
    mean[k] = 0.5 * (v + memory.v_next[k]);
    memory.stage_rate[k] = (memory.v_next[k] - v) / h;
    joint[k] = 0.0;
  }
  add_joint_impulses(memory, joint);
  std::ranges::fill(forces, Force<double>{});
  add_body_forces(memory, forces);

  update_kinematics<double>(model, memory.scratch, as_span(state.q), as_span(state.v));
  update_accelerations<double>(model, memory.scratch, mean);
  balance.contact_work = h * power(memory.scratch, forces);
  if (memory.has_bouncers) balance.contact_work += impact_correction(memory);
  if (memory.has_external) balance.actuator_work = h * power(memory.scratch, memory.external);
  memory.forces.actuator_forces(memory.v_next, memory.result_actuators);
  for (std::size_t k = 0; k < n; ++k) {
    balance.contact_work += mean[k] * joint[k];
    balance.actuator_work += h * mean[k] * memory.result_actuators[k];
  }

  if (memory.has_external) {
    for (std::size_t i = 0; i < forces.size(); ++i) {
      forces[i] = {forces[i].angular + memory.external[i].angular,
                   forces[i].linear + memory.external[i].linear};
    }
  }
  inverse_dynamics<double>(model, memory.scratch, memory.stage_rate, needed, forces);
  const std::span<const double> diagonal = memory.forces.diagonal();
  for (const Tree& tree : memory.trees) {
    if (!tree.active && !memory.semi_implicit) continue;
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      if (model.constants()[index(model.degrees_of_freedom()[k].body)].kinematic) continue;
      const double extra = diagonal.empty() ? 0.0 : diagonal[k] * memory.stage_rate[k];
      const double residual = h * (needed[k] + extra - memory.forces.tau()[k]) - joint[k];
      balance.momentum_residual = std::max(balance.momentum_residual, std::abs(residual));
      balance.energy_residual += mean[k] * residual;
    }
  }

  update_kinematics<double>(model, memory.scratch, memory.q_next, memory.v_next);
  balance.kinetic_energy = kinetic_energy<double>(model, memory.scratch, memory.v_next);
  balance.potential_energy = potential_energy<double>(model, memory.scratch, memory.q_next);
  return balance;
}

}  // namespace stiction
