#include "stiction/compliant/end_springs.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

Vector3<double> without_normal(const Vector3<double>& n, const Vector3<double>& v) {
  return multiply_subtract(dot(n, v), n, v);
}

/// The law of the header. Writes force and slip of `spring`, and trial and force of `end`.
void load_at_end(const SpringConstants& constants, AnchorRules rules, double time_step,
                 const Candidate& contact, Spring& spring, EndSpring& end) {
  const Vector3<double>& K = constants.stiffness;
  const Vector3<double>& B = constants.damping;
  const Vector3<double>& v = spring.velocity;
  const bool closes = contact.gap > time_step * v.z;  // and v_n < 0, as the gap is not positive
  end.share = closes ? contact.gap / (time_step * v.z) : 1.0;
  const double normal = -K.z * spring.stretch.z - end.share * B.z * v.z;
  const Vector3<double> trial{-K.x * spring.stretch.x - end.share * B.x * v.x,
                              -K.y * spring.stretch.y - end.share * B.y * v.y, 0.0};
  end.trial = contact.contact.axes * trial;
  end.normal_force = std::max(normal, 0.0);
  spring.force = {trial.x, trial.y, normal};
  const bool outside = project_to_cone(contact.material.friction, spring.force);
  end.force = contact.contact.axes * spring.force;
  spring.anchor_velocity = {};
  // Authors: the anchor of a contact that pulls stays where it is.
  const bool pulls = !(normal > 0.0);
  spring.slips = outside && !(pulls && rules == AnchorRules::authors);
  if (!spring.slips) return;
  spring.stretch.x = -spring.force.x / K.x;
  spring.stretch.y = -spring.force.y / K.y;
}

}  // namespace

void find_end_springs(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                      double time_step, std::span<Candidate> contacts, std::vector<Spring>& springs,
                      std::vector<SpringAnchors>& anchors, std::vector<EndSpring>& ends) {
  find_stretches(scene, options, placements, memory, contacts, springs, anchors);
  ends.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Matrix3<double>& axes = contacts[i].contact.axes;
    Spring& spring = springs[i];
    EndSpring& end = ends[i];
    end.anchors = anchors[i];
    end.by_anchor = options.rules == AnchorRules::authors;
    end.velocity = axes * spring.velocity;
    end.stretch = {};
    if (end.anchors.known) {
      // A belt has carried its anchor along.
      const Vector3<double> carried = time_step * spring.belt_velocity;
      spring.stretch += carried;
      end.stretch = end.anchors.b - end.anchors.a + axes * carried;
    }
    end.constants = spring.constants;
    load_at_end(spring.constants, options.rules, time_step, contacts[i], spring, end);
  }
}

Vector3<double> force_change(double time_step, const Candidate& contact, const EndSpring& end,
                             const SpringChange& change) {
  const SpringConstants& constants = end.constants;
  if (!(end.normal_force > 0.0)) return {};
  const Vector3<double>& n = contact.contact.axes.c2;
  const double stretch =
      end.by_anchor ? dot(change.normal, end.stretch) + dot(n, change.stretch) : change.gap;
  const double speed = dot(n, end.velocity);
  const double speed_change = dot(change.normal, end.velocity) + dot(n, change.velocity);
  double share_change = 0.0;
  if (end.share < 1.0) {
    share_change = (change.gap / time_step - end.share * speed_change) / speed;
  }
  const double normal = -constants.stiffness.z * stretch -
                        constants.damping.z * (end.share * speed_change + share_change * speed);

  // trial = −(I − nnᵀ) m with m = K·stretch + θB·velocity.
  const double K = constants.stiffness.x;
  const double B = constants.damping.x;
  const Vector3<double> m = multiply_add(end.share * B, end.velocity, K * end.stretch);
  Vector3<double> m_change = multiply_add(end.share * B, change.velocity, K * change.stretch);
  m_change = multiply_add(share_change * B, end.velocity, m_change);
  Vector3<double> tangent = multiply_add(dot(n, m), change.normal, -without_normal(n, m_change));
  tangent = multiply_add(dot(change.normal, m), n, tangent);

  const double bound = contact.material.friction * end.normal_force;
  const double size = std::sqrt(dot(end.trial, end.trial));
  if (size > bound) {
    const Vector3<double> u = (1.0 / size) * end.trial;
    tangent = (bound / size) * without_normal(u, tangent);
    tangent = multiply_add(contact.material.friction * normal, u, tangent);
  }
  return multiply_add(normal, n, multiply_add(end.normal_force, change.normal, tangent));
}

}  // namespace stiction
