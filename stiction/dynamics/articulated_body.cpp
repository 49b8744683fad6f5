#include "stiction/dynamics/articulated_body.hpp"

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Which work a sweep over the bodies does.
struct Sweep {
  bool factor;  ///< articulated inertias, U and 1/D
  bool bias;    ///< with velocity terms and gravity, instead of plain M⁻¹x
};

template <Scalar S>
[[gnu::always_inline]] inline S added_inertia(const Model& model, std::span<const S> diagonal,
                                              std::size_t k) {
  const S armature(model.parameters().armature[static_cast<Eigen::Index>(k)]);
  return diagonal.empty() ? armature : armature + diagonal[k];
}

/// ω x (I ω) and m ω x (ω x c): what a body needs just to keep turning as it does.
template <Scalar S>
[[gnu::always_inline]] inline Force<S> gyroscopic_force(const BodyData<S>& entry) {
  const Vector3<S>& w = entry.velocity.angular;
  return {cross(w, entry.inertia * w), cross(w, cross(w, entry.mass_center))};
}

/// U, 1/D and I - UUᵀ/D for one velocity that turns or slides along its axis.
template <Scalar S>
[[gnu::always_inline]] inline void eliminate(ArticulatedInertia<S>& I, DofData<S>& dof,
                                             bool angular, const S& added) {
  S d;
  if (angular) {
    dof.response.angular = I.angular * dof.axis;
    dof.response.linear = transpose_times(I.coupling, dof.axis);
    d = dot(dof.axis, dof.response.angular) + added;
  } else {
    dof.response.angular = I.coupling * dof.axis;
    dof.response.linear = I.linear * dof.axis;
    d = dot(dof.axis, dof.response.linear) + added;
  }
  dof.inverse_inertia = S(1.0) / d;
  const Force<S> scaled{dof.inverse_inertia * dof.response.angular,
                        dof.inverse_inertia * dof.response.linear};
  subtract_outer(I, dof.response, scaled);
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

/// From the leaves to the roots.
template <Sweep sweep, Scalar S>
void sweep_inwards(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal,
                   std::span<const S> tau) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  constexpr bool with_force = sweep.bias;
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    if (body.kinematic) continue;
    ArticulatedInertia<S>& I = data.articulated[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);

    if (body.joint == JointKind::floating) {
      if constexpr (sweep.factor) {
        S added[6];
        for (std::size_t k = 0; k < 6; ++k) added[k] = added_inertia(model, diagonal, first + k);
        factorize_base(I, added,
                       data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])]);
      }
      continue;
    }
    for (std::size_t k = first + static_cast<std::size_t>(body.velocity_count); k-- > first;) {
      DofData<S>& dof = data.dofs[k];
      if constexpr (sweep.factor) {
        eliminate(I, dof, degrees[k].angular, added_inertia(model, diagonal, k));
      }
      if constexpr (with_force) absorb(entry.force, dof, degrees[k].angular, tau[k]);
    }
    if (body.parent < 0) continue;
    const std::size_t parent = static_cast<std::size_t>(body.parent);
    if constexpr (sweep.factor) {
      data.articulated[parent] = data.articulated[parent] + shift(I, entry.offset);
    }
    if constexpr (with_force) {
      const Force<S> p = entry.force + I * entry.velocity_drift;
      data.bodies[parent].force += shift(p, entry.offset);
    }
  }
}

/// v̇ of a floating base, whose acceleration less gravity comes from its articulated inertia alone.
template <Scalar S>
[[gnu::always_inline]] inline void accelerate_base(const BaseFactor<S>& factor, const Force<S>& p,
                                                   std::span<const S> tau, std::size_t first,
                                                   Motion<S>& acceleration) {
  S x[6] = {tau[first] - p.linear.x,      tau[first + 1] - p.linear.y,
            tau[first + 2] - p.linear.z,  tau[first + 3] - p.angular.x,
            tau[first + 4] - p.angular.y, tau[first + 5] - p.angular.z};
  solve_lower(factor, x);
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) x[k] = x[k] * factor.inverse_diagonal[k];
  solve_upper(factor, x);
  acceleration.linear = {x[0], x[1], x[2]};
  acceleration.angular = {x[3], x[4], x[5]};
}

/// From the roots to the leaves. Gravity enters as if the world accelerated upwards.
template <bool bias, Scalar S>
void sweep_outwards(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                    std::span<S> dv) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const Vector3<S> gravity =
      bias ? broadcast<S>(from_eigen(model.gravity())) : Vector3<S>{S(0.0), S(0.0), S(0.0)};
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    if (body.joint == JointKind::floating) {
      Motion<S> a{{}, -gravity};
      if (!body.kinematic) {
        accelerate_base(data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])],
                        entry.force, tau, first, a);
      }
      entry.acceleration = a;
      const Vector3<S> linear = a.linear + gravity;
      dv[first] = linear.x;
      dv[first + 1] = linear.y;
      dv[first + 2] = linear.z;
      dv[first + 3] = a.angular.x;
      dv[first + 4] = a.angular.y;
      dv[first + 5] = a.angular.z;
      continue;
    }
    Motion<S> a;
    if (body.parent >= 0) {
      const Motion<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)].acceleration;
      a.angular = parent.angular;
      a.linear = cross_add(parent.angular, entry.offset, parent.linear);
    } else {
      a.linear = -gravity;
    }
    if constexpr (bias) a = a + entry.velocity_drift;
    for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
      const DofData<S>& dof = data.dofs[k];
      const S value = (dof.residual - dot(dof.response, a)) * dof.inverse_inertia;
      dv[k] = value;
      Vector3<S>& part = degrees[k].angular ? a.angular : a.linear;
      part = multiply_add(value, dof.axis, part);
    }
    entry.acceleration = a;
  }
}

template <Scalar S>
[[gnu::always_inline]] inline void start_inertias(const Model& model, DynamicsData<S>& data) {
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    data.articulated[i] = articulated(RigidInertia<S>{
        S(constants[i].inertia.mass), data.bodies[i].mass_center, data.bodies[i].inertia});
  }
}

template <Scalar S>
[[gnu::always_inline]] inline void start_forces(DynamicsData<S>& data,
                                                std::span<const Force<S>> external) {
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    data.bodies[i].force = gyroscopic_force(data.bodies[i]);
    if (!external.empty()) data.bodies[i].force = data.bodies[i].force - external[i];
  }
}

}  // namespace

template <Scalar S>
void factorize(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal) {
  start_inertias(model, data);
  sweep_inwards<Sweep{.factor = true, .bias = false}, S>(model, data, diagonal, {});
}

template <Scalar S>
void forward_dynamics(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                      std::span<S> dv, std::span<const Force<S>> external) {
  start_forces(data, external);
  sweep_inwards<Sweep{.factor = false, .bias = true}, S>(model, data, {}, tau);
  sweep_outwards<true>(model, data, tau, dv);
}

template <Scalar S>
void articulated_body_algorithm(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                                std::span<const S> v, std::span<const S> tau, std::span<S> dv) {
  update_kinematics(model, data, q, v);
  start_inertias(model, data);
  start_forces(data, std::span<const Force<S>>{});
  sweep_inwards<Sweep{.factor = true, .bias = true}, S>(model, data, {}, tau);
  sweep_outwards<true>(model, data, tau, dv);
}

template <Scalar S>
void apply_inverse(const Model& model, DynamicsData<S>& data, std::span<const S> x,
                   std::span<S> result) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  for (BodyData<S>& entry : data.bodies) entry.force = {};
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    if (body.joint == JointKind::floating) continue;
    BodyData<S>& entry = data.bodies[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first + static_cast<std::size_t>(body.velocity_count); k-- > first;) {
      absorb(entry.force, data.dofs[k], degrees[k].angular, x[k]);
    }
    if (body.parent >= 0) {
      data.bodies[static_cast<std::size_t>(body.parent)].force += shift(entry.force, entry.offset);
    }
  }
  sweep_outwards<false>(model, data, x, result);
}

template void factorize(const Model&, DynamicsData<double>&, std::span<const double>);
template void factorize(const Model&, DynamicsData<Lane>&, std::span<const Lane>);
template void forward_dynamics(const Model&, DynamicsData<double>&, std::span<const double>,
                               std::span<double>, std::span<const Force<double>>);
template void forward_dynamics(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                               std::span<Lane>, std::span<const Force<Lane>>);
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
  Eigen::VectorXd dv(v.size());
  articulated_body_algorithm<double>(model, data, as_span(q), as_span(v), as_span(tau),
                                     as_span(dv));
  return dv;
}

Eigen::VectorXd apply_inverse(const Model& model, DynamicsData<double>& data,
                              const Eigen::VectorXd& x) {
  Eigen::VectorXd result(x.size());
  apply_inverse<double>(model, data, as_span(x), as_span(result));
  return result;
}

}  // namespace stiction
