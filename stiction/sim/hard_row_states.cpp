#include "stiction/sim/hard_row_states.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

RowState state_of(const Constraint& constraint, double impulse) {
  switch (constraint.kind) {
    case BlockKind::lock:
      return RowState::holds;
    case BlockKind::limit:
      return impulse > 0.0 ? RowState::holds : RowState::free;
    default:
      if (impulse == 0.0) return RowState::free;
      return std::abs(impulse) < constraint.bound ? RowState::holds : RowState::slips;
  }
}

/// Adds what entries between a body and the root do to row `k` of a lock.
void add_body(const SceneSnapshot& scene, const ContactPoint<double>& at, int body, double sign,
              int k, std::span<double> row) {
  const Vector3<double> axes[3] = {at.axes.c0, at.axes.c1, at.axes.c2};
  const Vector3<double> direction = sign * axes[k % 3];
  for (; body >= 0; body = scene.model.parent(body)) {
    const BodyConstants& constants = scene.model.constants()[index(body)];
    const Vector3<double> arm = at.point - scene.dynamics.bodies[index(body)].position;
    for (int i = 0; i < constants.velocity_count; ++i) {
      const std::size_t entry = index(constants.velocity_index + i);
      const Vector3<double>& axis = scene.dynamics.dofs[entry].axis;
      const bool angular = scene.model.degrees_of_freedom()[entry].angular;
      if (k < 3) {
        row[entry] += dot(direction, angular ? cross(axis, arm) : axis);
      } else if (angular) {
        row[entry] += dot(direction, axis);
      }
    }
  }
}

void fill_row(const SceneSnapshot& scene, const ContactSet& hard, const Constraint& constraint,
              int k, std::span<double> row) {
  std::ranges::fill(row, 0.0);
  if (constraint.reach != nullptr) {
    for (const MomentTerm& term : hard.terms_of(constraint)) {
      row[index(term.index)] += term.coefficient;
    }
  } else if (constraint.acts_on_joints()) {
    const JointDirection<double>& direction = constraint.direction;
    for (int d = 0; d < direction.count; ++d) {
      row[index(direction.index[d])] += direction.coefficient[d];
    }
  } else {
    add_body(scene, constraint.contact, constraint.contact.body_b, 1.0, k, row);
    add_body(scene, constraint.contact, constraint.contact.body_a, -1.0, k, row);
  }
}

/// Takes prescribed entries out of a row; returns what they give.
double take_prescribed(const SceneLayout& layout, std::span<const double> velocity,
                       std::span<double> row) {
  double sum = 0.0;
  for (const int first : layout.prescribed) {
    for (std::size_t k = index(first); k < index(first) + 6; ++k) {
      sum += row[k] * velocity[k];
      row[k] = 0.0;
    }
  }
  return sum;
}

}  // namespace

void find_row_states(const ContactSet& hard, std::span<const double> impulses,
                     std::vector<RowState>& states) {
  states.assign(6 * hard.constraints.size(), RowState::free);
  for (std::size_t c = 0; c < hard.constraints.size(); ++c) {
    for (std::size_t k = 0; k < index(hard.constraints[c].rows); ++k) {
      states[6 * c + k] = state_of(hard.constraints[c], impulses[6 * c + k]);
    }
  }
}

void find_held_rows(const SceneSnapshot& scene, const ContactSet& hard, const BlockTargets& targets,
                    std::span<const RowState> states, std::span<const double> impulses,
                    std::span<const double> velocity, double time_step, HeldRows& held) {
  const std::size_t n = velocity.size();
  held.given.assign(n, 0.0);
  held.target.clear();
  held.force.clear();
  held.jacobian.clear();
  for (std::size_t c = 0; c < hard.constraints.size(); ++c) {
    for (std::size_t k = 0; k < index(hard.constraints[c].rows); ++k) {
      const RowState state = states[6 * c + k];
      if (state == RowState::free) continue;
      held.jacobian.resize(held.jacobian.size() + n);
      const std::span<double> row = std::span(held.jacobian).last(n);
      fill_row(scene, hard, hard.constraints[c], static_cast<int>(k), row);
      const double prescribed = take_prescribed(scene.layout, velocity, row);
      const double force = impulses[6 * c + k] / time_step;
      if (state == RowState::holds) {
        held.target.push_back(targets.constraints[c][k] - prescribed);
        held.force.push_back(force);
        continue;
      }
      for (std::size_t i = 0; i < n; ++i) held.given[i] += force * row[i];
      held.jacobian.resize(held.jacobian.size() - n);
    }
  }
}

}  // namespace stiction
