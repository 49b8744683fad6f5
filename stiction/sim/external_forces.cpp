#include "stiction/sim/external_forces.hpp"

#include <algorithm>

namespace stiction {

void ExternalForces::collect(std::span<const ExternalForce> forces,
                             const DynamicsData<double>& dynamics) {
  any_ = !forces.empty();
  if (!any_) return;
  std::ranges::fill(bodies_, Force<double>{});
  for (const ExternalForce& entry : forces) {
    const std::size_t body = static_cast<std::size_t>(entry.body);
    const Vector3<double> f = from_eigen(entry.force);
    const Vector3<double> arm = dynamics.bodies[body].rotation * from_eigen(entry.point);
    bodies_[body].linear += f;
    bodies_[body].angular += cross(arm, f) + from_eigen(entry.torque);
  }
}

}  // namespace stiction
