#include "stiction/sim/adhesion.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Contacts that are open by less than this touch: resting ones are open by rounding errors [m].
constexpr double touching = 1e-5;

/// Whether a contact of these shapes touches, or is within the margins of its own shapes.
bool is_pulled(const Model& model, std::span<const int> shapes, const Candidate& contact) {
  const auto among = [&](int shape) { return std::ranges::binary_search(shapes, shape); };
  if (!among(contact.shape_a) && !among(contact.shape_b)) return false;
  const double margin =
      model.shapes()[index(contact.shape_a)].margin + model.shapes()[index(contact.shape_b)].margin;
  return contact.gap <= std::max(touching, margin);
}

}  // namespace

bool pull_contacts(const Model& model, std::span<const Candidate> contacts, const Forces& forces,
                   const DynamicsData<double>& dynamics, ExternalForces& external) {
  bool any = false;
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& actuator = model.actuators()[i];
    if (!actuator.adheres) continue;
    const double force = forces.actuator_force(static_cast<int>(i), {});
    if (force == 0.0) continue;
    const auto pulled = [&](const Candidate& contact) {
      return is_pulled(model, actuator.shapes, contact);
    };
    const auto count = std::ranges::count_if(contacts, pulled);
    for (const Candidate& contact : contacts) {
      if (!pulled(contact)) continue;
      const Vector3<double> pull = force / static_cast<double>(count) * contact.contact.axes.c2;
      external.pull(dynamics, contact.contact.body_a, contact.contact.point, pull);
      external.pull(dynamics, contact.contact.body_b, contact.contact.point, -pull);
      any = true;
    }
  }
  return any;
}

}  // namespace stiction
