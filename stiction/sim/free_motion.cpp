// Implements [MuntheKaas1999, section 4] for rk4: the step is taken in the rotation vector ξ that
// leads from its start, with ξ̇ = dexp⁻¹(ω).

#include "stiction/sim/free_motion.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Implicit Euler ends when v⁺ moves by less than this share of the largest velocity.
constexpr double fixed_point_tolerance = 1e-13;
constexpr int fixed_point_iterations = 50;

std::span<const Force<double>> external_of(const Workspace::Memory& memory) {
  return memory.has_external ? std::span<const Force<double>>(memory.external)
                             : std::span<const Force<double>>();
}

/// For each entry of v that belongs to a tree without impulses.
template <class Visit>
void visit_free_entries(const Workspace::Memory& memory, const Visit& visit) {
  for (const Tree& tree : memory.trees) {
    if (tree.active) continue;
    for (int k = tree.velocity_first; k < tree.velocity_end; ++k) {
      visit(static_cast<std::size_t>(k));
    }
  }
}

bool is_steady(const Workspace::Memory& memory) {
  return std::ranges::all_of(memory.trees,
                             [](const Tree& tree) { return tree.active || tree.steady; });
}

/// v̇ at another state, with the implicit forces of this step, into stage_dv.
void accelerate_at(Workspace::Memory& memory, std::span<const double> q,
                   std::span<const double> v) {
  update_kinematics<double>(memory.model, memory.scratch, q, v);
  factorize_and_accelerate<double>(memory.model, memory.scratch, memory.forces.tau(),
                                   memory.stage_dv, memory.forces.diagonal(), external_of(memory));
}

/// v̇ at the middle of the step, reached by the velocities at its start: second order.
void advance_by_midpoint(const State& state, Workspace::Memory& memory) {
  const double half = 0.5 * memory.h;
  for (std::size_t k = 0; k < memory.stage_v.size(); ++k) {
    memory.stage_v[k] = state.v[static_cast<Eigen::Index>(k)] + half * memory.acceleration[k];
  }
  integrate<double>(memory.model, as_span(state.q), as_span(state.v), half, memory.stage_q);
  accelerate_at(memory, memory.stage_q, memory.stage_v);
  visit_free_entries(memory, [&](std::size_t k) {
    memory.v_next[k] = state.v[static_cast<Eigen::Index>(k)] + memory.h * memory.stage_dv[k];
  });
}

/// v⁺ = v + h v̇(q ⊕ h v⁺, v⁺) by repetition.
void advance_implicitly(const State& state, Workspace::Memory& memory) {
  std::ranges::copy(memory.v_free, memory.stage_v.begin());
  for (int i = 0; i < fixed_point_iterations; ++i) {
    integrate<double>(memory.model, as_span(state.q), memory.stage_v, memory.h, memory.stage_q);
    accelerate_at(memory, memory.stage_q, memory.stage_v);
    double change = 0.0;
    double largest = 0.0;
    for (std::size_t k = 0; k < memory.stage_v.size(); ++k) {
      const double next = state.v[static_cast<Eigen::Index>(k)] + memory.h * memory.stage_dv[k];
      change = std::max(change, std::abs(next - memory.stage_v[k]));
      largest = std::max(largest, std::abs(next));
      memory.stage_v[k] = next;
    }
    if (!(change > fixed_point_tolerance * largest)) break;
  }
  visit_free_entries(memory, [&](std::size_t k) { memory.v_next[k] = memory.stage_v[k]; });
}

/// ξ̇ = dexp⁻¹(ω) at ξ for the quaternions among the positions; the rest of ξ̇ is v. Two terms of
/// the series are enough for fourth order.
void inverse_exponential_rate(const Model& model, std::span<const double> xi,
                              std::span<double> rate) {
  for (const Joint& joint : model.joints()) {
    const bool floating = joint.kind == JointKind::floating;
    if (!floating && joint.kind != JointKind::spherical) continue;
    const std::size_t first = static_cast<std::size_t>(joint.velocity_index + (floating ? 3 : 0));
    const Vector3<double> x{xi[first], xi[first + 1], xi[first + 2]};
    const Vector3<double> w{rate[first], rate[first + 1], rate[first + 2]};
    const Vector3<double> turn = cross(x, w);
    const Vector3<double> result =
        multiply_add(1.0 / 12.0, cross(x, turn), multiply_add(floating ? -0.5 : 0.5, turn, w));
    rate[first] = result.x;
    rate[first + 1] = result.y;
    rate[first + 2] = result.z;
  }
}

/// Fourth order, all forces at the stages.
void advance_by_runge_kutta(const State& state, Workspace::Memory& memory) {
  const std::size_t n = memory.stage_v.size();
  const Model& model = memory.model;
  std::vector<double>& xi = memory.stage_xi;      // where the stage is, from q
  std::vector<double>& rate = memory.stage_rate;  // ξ̇ of the stage
  std::ranges::fill(xi, 0.0);
  std::ranges::fill(memory.sum_v, 0.0);
  std::ranges::fill(memory.sum_dv, 0.0);
  std::copy_n(state.v.data(), n, memory.stage_v.begin());
  constexpr double weights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  const double steps[4] = {0.5 * memory.h, 0.5 * memory.h, memory.h, 0.0};
  for (int stage = 0; stage < 4; ++stage) {
    integrate<double>(model, as_span(state.q), xi, 1.0, memory.stage_q);
    update_kinematics<double>(model, memory.scratch, memory.stage_q, memory.stage_v);
    memory.forces.evaluate(model, memory.stage_q, memory.stage_v, memory.stage_tau);
    factorize_and_accelerate<double>(model, memory.scratch, memory.stage_tau, memory.stage_dv, {},
                                     external_of(memory));
    std::ranges::copy(memory.stage_v, rate.begin());
    inverse_exponential_rate(model, xi, rate);
    for (std::size_t k = 0; k < n; ++k) {
      memory.sum_v[k] += weights[stage] * rate[k];
      memory.sum_dv[k] += weights[stage] * memory.stage_dv[k];
      xi[k] = steps[stage] * rate[k];
      memory.stage_v[k] = state.v[static_cast<Eigen::Index>(k)] + steps[stage] * memory.stage_dv[k];
    }
  }
  visit_free_entries(memory, [&](std::size_t k) {
    memory.v_next[k] = state.v[static_cast<Eigen::Index>(k)] + memory.h * memory.sum_dv[k];
    memory.move[k] = memory.sum_v[k];
  });
}

}  // namespace

void accelerate_freely(const State& state, Workspace::Memory& memory) {
  factorize_and_accelerate<double>(memory.model, memory.data, memory.forces.tau(),
                                   memory.acceleration, memory.forces.diagonal(),
                                   external_of(memory));
  for (std::size_t k = 0; k < memory.v_free.size(); ++k) {
    memory.v_free[k] = state.v[static_cast<Eigen::Index>(k)] + memory.h * memory.acceleration[k];
  }
}

void advance_free_trees(const StepOptions& options, const State& state, Workspace::Memory& memory) {
  if (options.integrator == Integrator::explicit_euler) {
    std::copy_n(state.v.data(), memory.move.size(), memory.move.begin());
  }
  if (std::ranges::all_of(memory.trees, [](const Tree& tree) { return tree.active; })) return;
  visit_free_entries(memory, [&](std::size_t k) { memory.v_next[k] = memory.v_free[k]; });
  switch (options.integrator) {
    case Integrator::explicit_euler:
      break;
    case Integrator::semi_implicit:
      visit_free_entries(memory, [&](std::size_t k) { memory.move[k] = memory.v_next[k]; });
      break;
    case Integrator::trapezoid:
      if (!memory.forces.has_drives() && !is_steady(memory)) advance_by_midpoint(state, memory);
      visit_free_entries(memory, [&](std::size_t k) {
        memory.move[k] = 0.5 * (state.v[static_cast<Eigen::Index>(k)] + memory.v_next[k]);
      });
      break;
    case Integrator::implicit:
      advance_implicitly(state, memory);
      visit_free_entries(memory, [&](std::size_t k) { memory.move[k] = memory.v_next[k]; });
      break;
    case Integrator::rk4:
      advance_by_runge_kutta(state, memory);
      break;
  }
}

void collect_external_forces(const StepInput& input, Workspace::Memory& memory) {
  memory.has_external = !input.forces.empty();
  if (!memory.has_external) return;
  std::ranges::fill(memory.external, Force<double>{});
  for (const ExternalForce& entry : input.forces) {
    const std::size_t body = static_cast<std::size_t>(entry.body);
    const Vector3<double> f = from_eigen(entry.force);
    const Vector3<double> arm = memory.data.bodies[body].rotation * from_eigen(entry.point);
    memory.external[body].linear += f;
    memory.external[body].angular += cross(arm, f) + from_eigen(entry.torque);
  }
}

void keep_prescribed_motion(const State& state, Workspace::Memory& memory) {
  for (const int first : memory.prescribed) {
    for (int k = first; k < first + 6; ++k) {
      memory.v_next[static_cast<std::size_t>(k)] = state.v[k];
      memory.move[static_cast<std::size_t>(k)] = state.v[k];
    }
  }
}

bool saturate_drives(const State& state, Workspace::Memory& memory) {
  // Trees that no impulse moves have their velocities of free motion.
  for (const Tree& tree : memory.trees) {
    if (tree.active) continue;
    for (std::size_t k = static_cast<std::size_t>(tree.velocity_first);
         k < static_cast<std::size_t>(tree.velocity_end); ++k) {
      memory.v_next[k] = memory.v_free[k];
    }
  }
  if (!memory.forces.saturate(memory.v_next)) return false;
  accelerate_freely(state, memory);
  return true;
}

}  // namespace stiction
