#include "stiction/touch/body_impulses.hpp"

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

void add_to_body(const DynamicsData<double>& dynamics, int body,
                 const ContactPoint<double>& contact, const double* rows, bool turning,
                 double scale, std::span<Force<double>> bodies) {
  if (body < 0) return;
  const Vector3<double> arm = contact.point - dynamics.bodies[index(body)].position;
  const Vector3<double> impulse = contact.axes * Vector3<double>{rows[0], rows[1], rows[2]};
  Vector3<double> moment = cross(arm, impulse);
  if (turning) moment += contact.axes * Vector3<double>{rows[3], rows[4], rows[5]};
  Force<double>& sum = bodies[index(body)];
  sum.linear = multiply_add(scale, impulse, sum.linear);
  sum.angular = multiply_add(scale, moment, sum.angular);
}

/// Torsional or rolling friction.
void add_moment(const Constraint& turn, const double* rows, double scale,
                std::span<Force<double>> bodies) {
  const Matrix3<double>& axes = turn.contact.axes;
  const Vector3<double> moment =
      turn.kind == BlockKind::spin ? rows[0] * axes.c2 : rows[0] * axes.c0 + rows[1] * axes.c1;
  const auto add = [&](int body, double factor) {
    if (body < 0) return;
    Force<double>& sum = bodies[index(body)];
    sum.angular = multiply_add(factor, moment, sum.angular);
  };
  add(turn.contact.body_b, scale);
  add(turn.contact.body_a, -scale);
}

}  // namespace

void add_contact_impulses(const DynamicsData<double>& dynamics, std::span<const Candidate> contacts,
                          std::span<const double> impulses, double scale,
                          std::span<Force<double>> bodies) {
  const double* rows = impulses.data();
  for (const Candidate& entry : contacts) {
    const ContactPoint<double>& contact = entry.contact;
    add_to_body(dynamics, contact.body_b, contact, rows, false, scale, bodies);
    add_to_body(dynamics, contact.body_a, contact, rows, false, -scale, bodies);
    rows += 3;
  }
}

void add_body_impulses(const DynamicsData<double>& dynamics, const ContactSet& set,
                       std::span<const double> impulses, double scale,
                       std::span<Force<double>> bodies) {
  for (int block = 0; block < set.block_count(); ++block) {
    if (!set.is_contact(block)) {
      const Constraint& constraint = set.constraint(block);
      if (constraint.acts_on_joints()) continue;
      if (constraint.is_turn()) {
        add_moment(constraint, impulses.data() + set.place(block), scale, bodies);
        continue;
      }
    }
    const ContactPoint<double>& contact =
        set.is_contact(block) ? set.contact(block).contact : set.constraint(block).contact;
    const double* rows = impulses.data() + set.place(block);
    const bool turning = set.rows(block) == 6;
    add_to_body(dynamics, contact.body_b, contact, rows, turning, scale, bodies);
    add_to_body(dynamics, contact.body_a, contact, rows, turning, -scale, bodies);
  }
}

void add_joint_impulses(const ContactSet& set, std::span<const double> impulses,
                        std::span<double> joints) {
  const double* impulse = impulses.data() + 3 * set.contacts.size();
  for (const Constraint& constraint : set.constraints) {
    if (constraint.reach != nullptr) {
      for (const MomentTerm& term : set.terms_of(constraint)) {
        joints[index(term.index)] += term.coefficient * impulse[0];
      }
    } else if (constraint.acts_on_joints()) {
      for (int d = 0; d < constraint.direction.count; ++d) {
        joints[index(constraint.direction.index[d])] +=
            constraint.direction.coefficient[d] * impulse[0];
      }
    }
    impulse += 6;
  }
}

}  // namespace stiction
