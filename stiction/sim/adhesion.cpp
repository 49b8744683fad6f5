#include "stiction/sim/adhesion.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Contacts that are open by less than this touch: resting ones are open by rounding errors [m].
constexpr double touching = 1e-5;

/// Distance within which a contact counts as touching [m]: that of its contact pair if there is
/// one, as in MuJoCo, else the margins of its shapes added.
double margin_of(const Model& model, const Candidate& contact) {
  const int a = std::min(contact.shape_a, contact.shape_b);
  const int b = std::max(contact.shape_a, contact.shape_b);
  double margin = -1.0;
  for (const ContactPair& pair : model.contact_pairs()) {
    const bool same =
        std::min(pair.shape_a, pair.shape_b) == a && std::max(pair.shape_a, pair.shape_b) == b;
    if (same) margin = std::max(margin, pair.margin);
  }
  if (margin >= 0.0) return margin;
  return model.shapes()[index(a)].margin + model.shapes()[index(b)].margin;
}

/// Whether a contact of these shapes touches, or is within its margin.
bool is_pulled(const Model& model, std::span<const int> shapes, const Candidate& contact) {
  const auto among = [&](int shape) { return std::ranges::binary_search(shapes, shape); };
  if (!among(contact.shape_a) && !among(contact.shape_b)) return false;
  return contact.gap <= std::max(touching, margin_of(model, contact));
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
