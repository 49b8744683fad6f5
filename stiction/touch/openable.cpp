#include "stiction/touch/openable.hpp"

#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// What a joint moves along the normal counts from this fraction of its motion on. The mobility of
/// a contact is the square of it, and rounding errors of that matrix are 1e-16. Between links of
/// one robot more is needed: neighbours on parallel hinges are never quite parallel, and a lever of
/// 1 : 1000 opens nothing either. A straight arm that presses on the world has such levers for a
/// moment, and must not fall through.
constexpr double least_share = 1e-6;
constexpr double least_share_within = 1e-3;

/// Whether the joint of a body moves the point along the normal by this share of its motion.
bool moves_along(const SceneSnapshot& scene, std::size_t body, const ContactPoint<double>& contact,
                 double share) {
  const BodyConstants& constants = scene.model.constants()[body];
  if (constants.kinematic || constants.joint == JointKind::floating) return true;
  const Vector3<double>& normal = contact.axes.c2;
  const Vector3<double> arm = contact.point - scene.dynamics.bodies[body].position;
  const std::size_t first = index(constants.velocity_index);
  for (std::size_t k = first; k < first + index(constants.velocity_count); ++k) {
    const Vector3<double>& axis = scene.dynamics.dofs[k].axis;
    const bool turns = scene.model.degrees_of_freedom()[k].angular;
    const double along = turns ? dot(normal, cross(axis, arm)) : dot(normal, axis);
    if (std::abs(along) > share * (turns ? norm(arm) : 1.0)) return true;
  }
  return false;
}

}  // namespace

bool can_open(const SceneSnapshot& scene, const ContactPoint<double>& contact) {
  // Bodies come after their parents: from the later one towards the world, until both meet.
  int a = contact.body_a;
  int b = contact.body_b;
  const double share = a >= 0 && b >= 0 ? least_share_within : least_share;
  while (a != b) {
    int& later = a > b ? a : b;
    if (moves_along(scene, index(later), contact, share)) return true;
    later = scene.model.constants()[index(later)].parent;
  }
  return false;
}

}  // namespace stiction
