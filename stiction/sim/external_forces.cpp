#include "stiction/sim/external_forces.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"

namespace stiction {

void ExternalForces::sum(const Model& model, const DynamicsData<double>& dynamics,
                         std::span<Force<double>> bodies) const {
  std::ranges::fill(bodies, Force<double>{});
  const auto add = [&](int body, const Eigen::Vector3d& point, const Eigen::Vector3d& force,
                       const Eigen::Vector3d& torque) {
    const Vector3<double> f = from_eigen(force);
    const Vector3<double> arm = dynamics.bodies[index(body)].rotation * from_eigen(point);
    bodies[index(body)].linear += f;
    bodies[index(body)].angular += cross(arm, f) + from_eigen(torque);
  };
  for (const ExternalForce& entry : forces_)
    add(entry.body, entry.point, entry.force, entry.torque);
  for (const GravityCompensation& entry : model.gravity_compensation()) {
    add(entry.body, entry.point, -entry.mass * model.gravity(), Eigen::Vector3d::Zero());
  }
  if (model.fluid().acts()) add_fluid_forces(model, dynamics, h_, bodies);
  for (const Pull& pull : pulls_) bodies[index(pull.body)] += pull.force;
}

void ExternalForces::pull(const DynamicsData<double>& dynamics, int body,
                          const Vector3<double>& point, const Vector3<double>& force) {
  if (body < 0) return;
  const Vector3<double> arm = point - dynamics.bodies[index(body)].position;
  const Pull& pull = pulls_.emplace_back(Pull{body, {cross(arm, force), force}});
  if (!any_) std::ranges::fill(bodies_, Force<double>{});
  any_ = true;
  bodies_[index(body)] += pull.force;
}

}  // namespace stiction
