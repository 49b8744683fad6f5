#include "stiction/dynamics/inverse_dynamics.hpp"

#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Force that body i needs for its acceleration: moment about its origin, and force.
template <Scalar S>
[[gnu::always_inline]] inline Force<S> needed_force(const BodyConstants& body,
                                                    const BodyData<S>& entry, const Motion<S>& a) {
  const Vector3<S>& w = entry.velocity.angular;
  const Vector3<S>& h = entry.mass_center;
  const Vector3<S> spin = cross_add(a.angular, h, cross(w, cross(w, h)));
  return {cross_add(h, a.linear, cross_add(w, entry.inertia * w, entry.inertia * a.angular)),
          multiply_add(S(body.inertia.mass), a.linear, spin)};
}

template <bool with_dv, Scalar S>
void newton_euler(const Model& model, DynamicsData<S>& data, std::span<const S> dv,
                  std::span<S> tau, std::span<const Force<S>> external) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const Vector3<S> gravity = broadcast<S>(from_eigen(model.gravity()));
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    Motion<S> a = entry.velocity_drift;
    if (body.parent >= 0) {
      const Motion<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)].acceleration;
      a.angular = a.angular + parent.angular;
      a.linear = cross_add(parent.angular, entry.offset, a.linear + parent.linear);
    } else {
      a.linear = a.linear - gravity;
    }
    if constexpr (with_dv) {
      if (!body.kinematic) {
        const std::size_t first = static_cast<std::size_t>(body.velocity_index);
        for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count);
             ++k) {
          Vector3<S>& part = degrees[k].angular ? a.angular : a.linear;
          part = multiply_add(dv[k], data.dofs[k].axis, part);
        }
      }
    }
    entry.acceleration = a;
    entry.force = needed_force(body, entry, a);
    if (!external.empty()) entry.force = entry.force - external[i];
  }
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    const BodyData<S>& entry = data.bodies[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
      S value =
          dot(data.dofs[k].axis, degrees[k].angular ? entry.force.angular : entry.force.linear);
      if constexpr (with_dv) {
        value = fma(S(model.parameters().armature[static_cast<Eigen::Index>(k)]), dv[k], value);
      }
      tau[k] = body.kinematic ? S(0.0) : value;
    }
    if (body.parent >= 0) {
      data.bodies[static_cast<std::size_t>(body.parent)].force += shift(entry.force, entry.offset);
    }
  }
}

}  // namespace

template <Scalar S>
void inverse_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> dv,
                      std::span<S> tau, std::span<const Force<S>> external) {
  newton_euler<true>(model, data, dv, tau, external);
}

template <Scalar S>
void bias_forces(const Model& model, DynamicsData<S>& data, std::span<S> tau) {
  newton_euler<false>(model, data, std::span<const S>{}, tau, std::span<const Force<S>>{});
}

template <Scalar S>
void passive_forces(const Model& model, std::span<const S> q, std::span<const S> v,
                    std::span<S> tau) {
  const ModelParameters& parameters = model.parameters();
  for (std::size_t k = 0; k < v.size(); ++k) {
    tau[k] = -(S(parameters.damping[static_cast<Eigen::Index>(k)]) * v[k]);
  }
  for (const Joint& joint : model.joints()) {
    const double stiffness = parameters.stiffness[joint.body];
    if (stiffness == 0.0) continue;
    const std::size_t first_q = static_cast<std::size_t>(joint.position_index);
    const std::size_t first_v = static_cast<std::size_t>(joint.velocity_index);
    if (joint.kind == JointKind::spherical) {
      const Vector3<S> angle =
          log_quaternion(Quaternion<S>{q[first_q], q[first_q + 1], q[first_q + 2], q[first_q + 3]});
      tau[first_v] = fnma(S(stiffness), angle.x, tau[first_v]);
      tau[first_v + 1] = fnma(S(stiffness), angle.y, tau[first_v + 1]);
      tau[first_v + 2] = fnma(S(stiffness), angle.z, tau[first_v + 2]);
    } else if (velocity_size(joint.kind) == 1) {
      const S stretch = q[first_q] - S(joint.spring_reference);
      tau[first_v] = fnma(S(stiffness), stretch, tau[first_v]);
    }
  }
}

template void inverse_dynamics(const Model&, DynamicsData<double>&, std::span<const double>,
                               std::span<double>, std::span<const Force<double>>);
template void inverse_dynamics(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                               std::span<Lane>, std::span<const Force<Lane>>);
template void bias_forces(const Model&, DynamicsData<double>&, std::span<double>);
template void bias_forces(const Model&, DynamicsData<Lane>&, std::span<Lane>);
template void passive_forces(const Model&, std::span<const double>, std::span<const double>,
                             std::span<double>);
template void passive_forces(const Model&, std::span<const Lane>, std::span<const Lane>,
                             std::span<Lane>);

Eigen::VectorXd inverse_dynamics(const Model& model, DynamicsData<double>& data,
                                 const Eigen::VectorXd& dv) {
  Eigen::VectorXd tau(dv.size());
  inverse_dynamics<double>(model, data, as_span(dv), as_span(tau));
  return tau;
}

Eigen::VectorXd bias_forces(const Model& model, DynamicsData<double>& data) {
  Eigen::VectorXd tau(model.velocity_count());
  bias_forces<double>(model, data, as_span(tau));
  return tau;
}

}  // namespace stiction
