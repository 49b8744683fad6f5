#include "stiction/dynamics/inverse_dynamics.hpp"

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/sweep.hpp"

namespace stiction {

namespace {

template <bool with_dv, Scalar S>
void newton_euler(const Model& model, DynamicsData<S>& data, std::span<const S> dv,
                  std::span<S> tau, std::span<const Force<S>> external) {
  const std::vector<BodyConstants>& constants = model.constants();
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  const double* armature = model.parameters().armature.data();
  const Vector3<S> gravity = broadcast<S>(from_eigen(model.gravity()));
  if constexpr (with_dv) update_accelerations(model, data, dv);
  Force<S> f;  // of the body at hand; a first child leaves its share in it
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    Motion<S> a{entry.drift.angular, entry.drift.linear - gravity};
    if constexpr (with_dv) a = a + entry.acceleration;
    const Force<S> own = needed_force(world_inertia(body, entry), entry.velocity.angular, a);
    f = is_leaf(body, i) ? own : f + own;
    if (body.gathers) f += entry.force;
    if (!external.empty()) f = f - external[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
      S value = dot(data.dofs[k].axis, degrees[k].angular ? f.angular : f.linear);
      if constexpr (with_dv) value = fma(S(armature[k]), dv[k], value);
      tau[k] = body.kinematic ? S(0.0) : value;
    }
    if (body.parent < 0) continue;
    f = shift(f, entry.offset);
    hand_over(body.handover, f, data.bodies[static_cast<std::size_t>(body.parent)].force);
  }
}

}  // namespace

template <Scalar S>
void inverse_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> dv,
                      std::span<S> tau, std::span<const Force<S>> external) {
  newton_euler<true>(model, data, dv, tau, external);
}

template <Scalar S>
void bias_forces(const Model& model, DynamicsData<S>& data, std::span<S> tau,
                 std::span<const Force<S>> external) {
  newton_euler<false>(model, data, std::span<const S>{}, tau, external);
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
      const Vector3<S> angle = log_quaternion(read_quaternion(q, first_q));
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
template void bias_forces(const Model&, DynamicsData<double>&, std::span<double>,
                          std::span<const Force<double>>);
template void bias_forces(const Model&, DynamicsData<Lane>&, std::span<Lane>,
                          std::span<const Force<Lane>>);
template void passive_forces(const Model&, std::span<const double>, std::span<const double>,
                             std::span<double>);
template void passive_forces(const Model&, std::span<const Lane>, std::span<const Lane>,
                             std::span<Lane>);

Eigen::VectorXd inverse_dynamics(const Model& model, DynamicsData<double>& data,
                                 const Eigen::VectorXd& dv) {
  require_size(dv, model.velocity_count(), "dv");
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
