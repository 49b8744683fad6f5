#include "stiction/dynamics/articulated_body.hpp"

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/sweep.hpp"

namespace stiction {

namespace {

template <Scalar S>
[[gnu::always_inline]] inline S added_inertia(const double* armature, std::span<const S> diagonal,
                                              std::size_t k) {
  return diagonal.empty() ? S(armature[k]) : S(armature[k]) + diagonal[k];
}

/// U, 1/D and I - UUᵀ/D for one velocity that turns or slides along its axis.
template <Scalar S>
[[gnu::always_inline]] inline void eliminate(ArticulatedInertia<S>& I, DofData<S>& dof,
                                             bool angular, const S& added) {
  Force<S> U;
  S d;
  if (angular) {
    U.angular = I.angular * dof.axis;
    U.linear = transpose_times(I.coupling, dof.axis);
    d = dot(dof.axis, U.angular) + added;
  } else {
    U.angular = I.coupling * dof.axis;
    U.linear = I.linear * dof.axis;
    d = dot(dof.axis, U.linear) + added;
  }
  const S inverse = S(1.0) / d;
  subtract_outer(I, U, {inverse * U.angular, inverse * U.linear});
  dof.inverse_inertia = inverse;
  dof.response = U;
}

/// Takes from `p` what the joint's own velocity will carry; leaves the rest for the parent.
template <Scalar S>
[[gnu::always_inline]] inline void absorb(Force<S>& p, DofData<S>& dof, bool angular,
                                          const S& tau) {
  const S u = tau - dot(dof.axis, angular ? p.angular : p.linear);
  dof.residual = u;
  const S scaled = u * dof.inverse_inertia;
  p.angular = multiply_add(scaled, dof.response.angular, p.angular);
  p.linear = multiply_add(scaled, dof.response.linear, p.linear);
}

/// Eliminates all velocities of a body, the last one first.
template <bool bias, Scalar S>
[[gnu::always_inline]] inline void eliminate_joint(const BodyConstants& body,
                                                   const DegreeOfFreedom* degrees,
                                                   const double* armature,
                                                   std::span<const S> diagonal, const S* tau,
                                                   DofData<S>* dofs, ArticulatedInertia<S>& I,
                                                   Force<S>& p) {
  const std::size_t first = static_cast<std::size_t>(body.velocity_index);
  if (body.joint == JointKind::revolute || body.joint == JointKind::continuous) {
    // The commonest joint, straight on, so that the inertia can stay in registers.
    eliminate(I, dofs[first], true, added_inertia(armature, diagonal, first));
    if constexpr (bias) absorb(p, dofs[first], true, tau[first]);
    return;
  }
  for (std::size_t k = first + static_cast<std::size_t>(body.velocity_count); k-- > first;) {
    eliminate(I, dofs[k], degrees[k].angular, added_inertia(armature, diagonal, k));
    if constexpr (bias) absorb(p, dofs[k], degrees[k].angular, tau[k]);
  }
}

/// A body's own inertia and the force that it needs at v̇ = 0.
template <bool bias, Scalar S>
[[gnu::always_inline]] inline void own_share(const BodyConstants& body, const BodyData<S>& entry,
                                             const Vector3<S>& gravity, const Force<S>* external,
                                             RigidInertia<S>& I, Force<S>& p) {
  I = world_inertia(body, entry);
  if constexpr (bias) {
    p = needed_force(I, entry.velocity.angular,
                     {entry.drift.angular, entry.drift.linear - gravity});
    if (external != nullptr) p = p - *external;
  }
}

/// From the leaves to the roots: articulated inertias, U and 1/D, and with `bias` the forces too.
template <bool bias, Scalar S>
void sweep_inwards(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal,
                   std::span<const S> tau, std::span<const Force<S>> external) {
  const std::vector<BodyConstants>& constants = model.constants();
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  const double* armature = model.parameters().armature.data();
  const Vector3<S> gravity = broadcast<S>(from_eigen(model.gravity()));
  ArticulatedInertia<S> I;  // of the body at hand with all that hangs on it
  Force<S> p;
  RigidInertia<S> own;
  Force<S> own_force;
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    if (body.kinematic) continue;
    if (is_leaf(body, i)) {
      own_share<bias>(body, entry, gravity, external.empty() ? nullptr : &external[i], own, p);
      I = articulated(own);
    }
    if (body.joint == JointKind::floating) {
      const std::size_t first = static_cast<std::size_t>(body.velocity_index);
      S added[6];
      for (std::size_t k = 0; k < 6; ++k) added[k] = added_inertia(armature, diagonal, first + k);
      factorize_base(I, added,
                     data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])]);
      if constexpr (bias) entry.force = p;
      continue;
    }
    eliminate_joint<bias>(body, degrees, armature, diagonal, tau.data(), data.dofs.data(), I, p);
    if (body.parent < 0) continue;
    const std::size_t parent = static_cast<std::size_t>(body.parent);
    BodyData<S>& parent_entry = data.bodies[parent];
    I = shift(I, entry.offset);
    if constexpr (bias) p = shift(p, entry.offset);
    if (body.handover != Handover::carry) {
      hand_over(body.handover, I, data.articulated[parent]);
      if constexpr (bias) hand_over(body.handover, p, parent_entry.force);
      continue;
    }
    // The parent comes next: make it complete here, while its inertia is in registers.
    own_share<bias>(constants[parent], parent_entry, gravity,
                    external.empty() ? nullptr : &external[parent], own, own_force);
    add_rigid(I, own);
    if constexpr (bias) p += own_force;
    if (constants[parent].gathers) {
      I = I + data.articulated[parent];
      if constexpr (bias) p += parent_entry.force;
    }
  }
}

/// v̇ of a floating base: what its articulated inertia makes of the force that is left.
template <Scalar S>
[[gnu::always_inline]] inline Motion<S> accelerate_base(const BaseFactor<S>& factor,
                                                        const Force<S>& p, const S* tau) {
  S x[6] = {tau[0] - p.linear.x,  tau[1] - p.linear.y,  tau[2] - p.linear.z,
            tau[3] - p.angular.x, tau[4] - p.angular.y, tau[5] - p.angular.z};
  solve_lower(factor, x);
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) x[k] = x[k] * factor.inverse_diagonal[k];
  solve_upper(factor, x);
  return {{x[3], x[4], x[5]}, {x[0], x[1], x[2]}};
}

/// From the roots to the leaves: v̇.
template <Scalar S>
void sweep_outwards(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                    std::span<S> dv) {
  const std::vector<BodyConstants>& constants = model.constants();
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  Motion<S> a;  // of the body just done, which is often the next one's parent
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    if (body.joint == JointKind::floating) {
      a = {};
      if (!body.kinematic) {
        a = accelerate_base(
            data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])], entry.force,
            tau.data() + first);
      }
      entry.acceleration = a;
      dv[first] = a.linear.x;
      dv[first + 1] = a.linear.y;
      dv[first + 2] = a.linear.z;
      dv[first + 3] = a.angular.x;
      dv[first + 4] = a.angular.y;
      dv[first + 5] = a.angular.z;
      continue;
    }
    if (body.parent < 0) {
      a = {};
    } else {
      if (static_cast<std::size_t>(body.parent) + 1 != i) {
        a = data.bodies[static_cast<std::size_t>(body.parent)].acceleration;
      }
      a.linear = cross_add(a.angular, entry.offset, a.linear);
    }
    const std::size_t end = first + static_cast<std::size_t>(body.velocity_count);
    for (std::size_t k = first; k < end; ++k) {
      const DofData<S>& dof = data.dofs[k];
      const S value = (dof.residual - dot(dof.response, a)) * dof.inverse_inertia;
      dv[k] = value;
      if (degrees[k].angular) {
        a.angular = multiply_add(value, dof.axis, a.angular);
      } else {
        a.linear = multiply_add(value, dof.axis, a.linear);
      }
    }
    entry.acceleration = a;
  }
}

}  // namespace

template <Scalar S>
void factorize(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal) {
  sweep_inwards<false, S>(model, data, diagonal, {}, {});
}

template <Scalar S>
void factorize_and_accelerate(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                              std::span<S> dv, std::span<const S> diagonal,
                              std::span<const Force<S>> external) {
  sweep_inwards<true, S>(model, data, diagonal, tau, external);
  sweep_outwards(model, data, tau, dv);
}

template <Scalar S>
void forward_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                      std::span<S> dv, std::span<const Force<S>> external) {
  bias_forces(model, data, dv, external);
  for (std::size_t k = 0; k < dv.size(); ++k) dv[k] = tau[k] - dv[k];
  apply_inverse<S>(model, data, dv, dv);
}

template <Scalar S>
void articulated_body_algorithm(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                                std::span<const S> v, std::span<const S> tau, std::span<S> dv) {
  update_kinematics(model, data, q, v);
  factorize_and_accelerate(model, data, tau, dv);
}

template <Scalar S>
void apply_inverse(const Model& model, DynamicsData<S>& data, std::span<const S> x,
                   std::span<S> result) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  Force<S> p;
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    if (is_leaf(body, i)) p = {};
    if (body.gathers) p += entry.force;
    if (body.joint == JointKind::floating) {
      entry.force = p;
      continue;
    }
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first + static_cast<std::size_t>(body.velocity_count); k-- > first;) {
      absorb(p, data.dofs[k], degrees[k].angular, x[k]);
    }
    if (body.parent < 0) continue;
    p = shift(p, entry.offset);
    hand_over(body.handover, p, data.bodies[static_cast<std::size_t>(body.parent)].force);
  }
  sweep_outwards(model, data, x, result);
}

template void factorize(const Model&, DynamicsData<double>&, std::span<const double>);
template void factorize(const Model&, DynamicsData<Lane>&, std::span<const Lane>);
template void forward_dynamics(const Model&, DynamicsData<double>&, std::span<const double>,
                               std::span<double>, std::span<const Force<double>>);
template void forward_dynamics(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                               std::span<Lane>, std::span<const Force<Lane>>);
template void factorize_and_accelerate(const Model&, DynamicsData<double>&, std::span<const double>,
                                       std::span<double>, std::span<const double>,
                                       std::span<const Force<double>>);
template void factorize_and_accelerate(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                                       std::span<Lane>, std::span<const Lane>,
                                       std::span<const Force<Lane>>);
template void articulated_body_algorithm(const Model&, DynamicsData<double>&,
                                         std::span<const double>, std::span<const double>,
                                         std::span<const double>, std::span<double>);
template void articulated_body_algorithm(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                                         std::span<const Lane>, std::span<const Lane>,
                                         std::span<Lane>);
template void apply_inverse(const Model&, DynamicsData<double>&, std::span<const double>,
                            std::span<double>);
template void apply_inverse(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                            std::span<Lane>);

Eigen::VectorXd articulated_body_algorithm(const Model& model, DynamicsData<double>& data,
                                           const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                           const Eigen::VectorXd& tau) {
  require_size(q, model.position_count(), "q");
  require_size(v, model.velocity_count(), "v");
  require_size(tau, model.velocity_count(), "tau");
  Eigen::VectorXd dv(v.size());
  articulated_body_algorithm<double>(model, data, as_span(q), as_span(v), as_span(tau),
                                     as_span(dv));
  return dv;
}

Eigen::VectorXd apply_inverse(const Model& model, DynamicsData<double>& data,
                              const Eigen::VectorXd& x) {
  require_size(x, model.velocity_count(), "x");
  Eigen::VectorXd result(x.size());
  apply_inverse<double>(model, data, as_span(x), as_span(result));
  return result;
}

}  // namespace stiction
