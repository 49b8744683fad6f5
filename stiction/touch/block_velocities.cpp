#include "stiction/touch/block_velocities.hpp"

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Adds the velocities of a body's point: at the start of the step, and after free motion. Inlined,
/// so that the sums stay in registers.
[[gnu::always_inline]] inline void add_point_velocities(const BodyData<double>& body,
                                                        const Vector3<double>& point, double h,
                                                        double sign, ContactVelocity& sum) {
  const Vector3<double> arm = point - body.position;
  const Vector3<double> before = cross_add(body.velocity.angular, arm, body.velocity.linear);
  const Vector3<double> change =
      cross_add(body.acceleration.angular, arm, body.acceleration.linear);
  sum.before = multiply_add(sign, before, sum.before);
  sum.free = multiply_add(sign, multiply_add(h, change, before), sum.free);
}

/// Velocity of a conveyor's surface at its shape, world axes.
Vector3<double> surface_velocity(const SceneLayout& layout, int shape, const Placement& placement) {
  return placement.rotation * layout.shapes[index(shape)].surface_velocity;
}

ContactVelocity contact_velocity(const SceneSnapshot& scene, std::span<const Placement> placements,
                                 double h, const Candidate& candidate) {
  const ContactPoint<double>& contact = candidate.contact;
  ContactVelocity sum;
  if (contact.body_b >= 0) {
    add_point_velocities(scene.dynamics.bodies[index(contact.body_b)], contact.point, h, 1.0, sum);
  }
  if (contact.body_a >= 0) {
    add_point_velocities(scene.dynamics.bodies[index(contact.body_a)], contact.point, h, -1.0, sum);
  }
  if (scene.layout.has_conveyors) {
    const Vector3<double> along = conveyor_velocity(scene.layout, placements, candidate);
    sum.before += along;
    sum.free += along;
  }
  return {transpose_times(contact.axes, sum.before), transpose_times(contact.axes, sum.free)};
}

/// Two bodies against each other at a point after free motion: linear, then angular.
std::array<double, 6> lock_velocity(const DynamicsData<double>& dynamics, double h,
                                    const ContactPoint<double>& contact) {
  Motion<double> sum;
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const BodyData<double>& entry = dynamics.bodies[index(body)];
    const Vector3<double> arm = contact.point - entry.position;
    const Vector3<double> w = multiply_add(h, entry.acceleration.angular, entry.velocity.angular);
    const Vector3<double> v = multiply_add(h, entry.acceleration.linear, entry.velocity.linear);
    sum.angular = multiply_add(sign, w, sum.angular);
    sum.linear = multiply_add(sign, cross_add(w, arm, v), sum.linear);
  };
  add(contact.body_b, 1.0);
  add(contact.body_a, -1.0);
  return {sum.linear.x, sum.linear.y, sum.linear.z, sum.angular.x, sum.angular.y, sum.angular.z};
}

/// Two bodies against each other after free motion: about the tangents, or about the normal.
std::array<double, 6> turn_velocity(const DynamicsData<double>& dynamics, double h,
                                    const Constraint& turn) {
  Vector3<double> sum;
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const BodyData<double>& entry = dynamics.bodies[index(body)];
    sum = multiply_add(sign, multiply_add(h, entry.acceleration.angular, entry.velocity.angular),
                       sum);
  };
  add(turn.contact.body_b, 1.0);
  add(turn.contact.body_a, -1.0);
  const Vector3<double> w = transpose_times(turn.contact.axes, sum);
  if (turn.kind == BlockKind::spin) return {w.z};
  return {w.x, w.y};
}

}  // namespace

Vector3<double> conveyor_velocity(const SceneLayout& layout, std::span<const Placement> placements,
                                  const Candidate& candidate) {
  const Vector3<double> belt =
      surface_velocity(layout, candidate.shape_b, placements[index(candidate.shape_b)]) -
      surface_velocity(layout, candidate.shape_a, placements[index(candidate.shape_a)]);
  const Vector3<double>& normal = candidate.contact.axes.c2;
  return multiply_subtract(dot(belt, normal), normal, belt);
}

void find_block_velocities(const SceneSnapshot& scene, std::span<const double> free_velocity,
                           std::span<const Placement> placements, double time_step,
                           const ContactSet& blocks, BlockVelocities& velocities) {
  velocities.contacts.resize(blocks.contacts.size());
  for (std::size_t i = 0; i < blocks.contacts.size(); ++i) {
    velocities.contacts[i] = contact_velocity(scene, placements, time_step, blocks.contacts[i]);
  }
  velocities.constraints.resize(blocks.constraints.size());
  for (std::size_t i = 0; i < blocks.constraints.size(); ++i) {
    const Constraint& constraint = blocks.constraints[i];
    if (constraint.reach != nullptr) {
      velocities.constraints[i][0] = velocity_along(blocks.terms_of(constraint), free_velocity);
    } else if (constraint.acts_on_joints()) {
      velocities.constraints[i][0] = velocity_along(constraint.direction, free_velocity);
    } else if (constraint.is_turn()) {
      velocities.constraints[i] = turn_velocity(scene.dynamics, time_step, constraint);
    } else {
      velocities.constraints[i] = lock_velocity(scene.dynamics, time_step, constraint.contact);
    }
  }
}

}  // namespace stiction
