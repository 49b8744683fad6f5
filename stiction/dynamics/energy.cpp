#include "stiction/dynamics/energy.hpp"

#include "stiction/core/index.hpp"
#include "stiction/dynamics/tendons.hpp"

namespace stiction {

namespace {

/// Mass times centre of mass, from the world's origin.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> first_moment(const BodyConstants& body,
                                                      const BodyData<S>& entry) {
  return multiply_add(S(body.inertia.mass), entry.position,
                      entry.rotation * broadcast<S>(body.inertia.mass_center));
}

template <Scalar S>
[[gnu::always_inline]] inline Force<S> body_momentum(const BodyConstants& body,
                                                     const BodyData<S>& entry) {
  return world_inertia(body, entry) * entry.velocity;
}

}  // namespace

template <Scalar S>
Force<S> momentum_of(const Model& model, const DynamicsData<S>& data, int first, int end) {
  Force<S> sum;
  for (std::size_t i = index(first); i < index(end); ++i) {
    const BodyConstants& body = model.constants()[i];
    if (body.kinematic) continue;
    const BodyData<S>& entry = data.bodies[i];
    const Force<S> p = body_momentum(body, entry);
    sum.linear += p.linear;
    sum.angular += cross_add(entry.position, p.linear, p.angular);
  }
  return sum;
}

template <Scalar S>
CentroidalState<S> centroidal_state(const Model& model, const DynamicsData<S>& data) {
  CentroidalState<S> result{S(0.0), {}, {}, {}};
  Vector3<S> moment;
  double mass = 0.0;
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    if (body.kinematic) continue;
    mass += body.inertia.mass;
    moment += first_moment(body, data.bodies[i]);
  }
  const Force<S> momentum = momentum_of(model, data, 0, static_cast<int>(data.bodies.size()));
  result.mass = S(mass);
  if (mass > 0.0) result.center_of_mass = S(1.0 / mass) * moment;
  result.linear_momentum = momentum.linear;
  result.angular_momentum = momentum.angular - cross(result.center_of_mass, momentum.linear);
  return result;
}

template <Scalar S>
S kinetic_energy(const Model& model, const DynamicsData<S>& data, std::span<const S> v) {
  S twice(0.0);
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    if (body.kinematic) continue;
    twice = twice + dot(body_momentum(body, data.bodies[i]), data.bodies[i].velocity);
    for (int k = body.velocity_index; k < body.velocity_index + body.velocity_count; ++k) {
      const S& speed = v[static_cast<std::size_t>(k)];
      twice = fma(S(model.parameters().armature[k]) * speed, speed, twice);
    }
  }
  return S(0.5) * twice;
}

template <Scalar S>
S potential_energy(const Model& model, const DynamicsData<S>& data, std::span<const S> q) {
  const Vector3<S> gravity = broadcast<S>(from_eigen(model.gravity()));
  S energy(0.0);
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    if (body.kinematic) continue;
    energy = energy - dot(gravity, first_moment(body, data.bodies[i]));
  }
  for (const Joint& joint : model.joints()) {
    const double stiffness = model.parameters().stiffness[joint.body];
    if (stiffness == 0.0) continue;
    const std::size_t first = static_cast<std::size_t>(joint.position_index);
    S stretch2(0.0);
    if (joint.kind == JointKind::spherical) {
      const Vector3<S> angle = log_quaternion(read_quaternion(q, first));
      stretch2 = dot(angle, angle);
    } else if (velocity_size(joint.kind) == 1) {
      const S stretch = q[first] - S(joint.spring_reference);
      stretch2 = stretch * stretch;
    }
    energy = fma(S(0.5 * stiffness), stretch2, energy);
  }
  for (const Tendon& tendon : model.tendons()) {
    if (tendon.stiffness == 0.0) continue;
    const S length = tendon_length(model, data, q, tendon);
    // Slack between its bounds.
    const S above = length - S(tendon.spring_range[1]);
    const S below = S(tendon.spring_range[0]) - length;
    const S stretch = select(above > S(0.0), above, select(below > S(0.0), below, S(0.0)));
    energy = fma(S(0.5 * tendon.stiffness) * stretch, stretch, energy);
  }
  return energy;
}

template Force<double> momentum_of(const Model&, const DynamicsData<double>&, int, int);
template Force<Lane> momentum_of(const Model&, const DynamicsData<Lane>&, int, int);
template CentroidalState<double> centroidal_state(const Model&, const DynamicsData<double>&);
template CentroidalState<Lane> centroidal_state(const Model&, const DynamicsData<Lane>&);
template double kinetic_energy(const Model&, const DynamicsData<double>&, std::span<const double>);
template Lane kinetic_energy(const Model&, const DynamicsData<Lane>&, std::span<const Lane>);
template double potential_energy(const Model&, const DynamicsData<double>&,
                                 std::span<const double>);
template Lane potential_energy(const Model&, const DynamicsData<Lane>&, std::span<const Lane>);

}  // namespace stiction
