#include "stiction/dynamics/articulated_body.hpp"

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/inward_trees.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/lane_tree.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/sweep.hpp"

namespace stiction {

namespace {

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
template <bool bias, Scalar S, class Tree>
[[gnu::always_inline]] inline void eliminate_joint(const Tree& tree, std::size_t i,
                                                   ArticulatedInertia<S>& I, Force<S>& p) {
  const auto& body = tree.constants(i);
  DofData<S>* const dofs = tree.dofs(i);
  if (body.joint == JointKind::revolute || body.joint == JointKind::continuous) {
    // The commonest joint, straight on, so that the inertia can stay in registers.
    eliminate(I, dofs[0], true, tree.added(i, 0));
    if constexpr (bias) absorb(p, dofs[0], true, tree.tau(i, 0));
    return;
  }
  for (std::size_t k = static_cast<std::size_t>(body.velocity_count); k-- > 0;) {
    eliminate(I, dofs[k], tree.angular(i, k), tree.added(i, k));
    if constexpr (bias) absorb(p, dofs[k], tree.angular(i, k), tree.tau(i, k));
  }
}

/// A body's own inertia and the force that it needs at v̇ = 0.
template <bool bias, Scalar S, class Tree>
[[gnu::always_inline]] inline void own_share(const Tree& tree, std::size_t i,
                                             const Vector3<S>& gravity, RigidInertia<S>& I,
                                             Force<S>& p) {
  const BodyData<S>& entry = tree.entry(i);
  I = world_inertia(tree.constants(i), entry);
  if constexpr (bias) {
    p = needed_force(I, entry.velocity.angular,
                     {entry.drift.angular, entry.drift.linear - gravity});
    if (const Force<S>* external = tree.external(i); external != nullptr) p = p - *external;
  }
}

/// Body i takes its part of `I` and `p`, which then go on to its parent: false if they do not.
template <bool bias, Scalar S, class Tree>
[[gnu::always_inline]] inline bool pass_body(const Tree& tree, std::size_t i,
                                             const Vector3<S>& gravity, ArticulatedInertia<S>& I,
                                             Force<S>& p) {
  const auto& body = tree.constants(i);
  if (body.kinematic) return false;
  if (is_leaf(body, i)) {
    RigidInertia<S> own;
    own_share<bias>(tree, i, gravity, own, p);
    I = articulated(own);
  }
  if constexpr (Tree::may_float) {
    if (body.joint == JointKind::floating) {
      tree.factorize_root(i, I);
      if constexpr (bias) tree.entry(i).force = p;
      return false;
    }
  }
  eliminate_joint<bias>(tree, i, I, p);
  if (body.parent < 0) {
    tree.leave(i, I, p);
    return false;
  }
  if (!body.coincident) {
    I = shift(I, tree.entry(i).offset);
    if constexpr (bias) p = shift(p, tree.entry(i).offset);
  }
  return true;
}

/// Whether body i begins a limb that was swept before.
template <class Tree>
[[gnu::always_inline]] inline bool has_arrived(const Tree& tree, std::size_t i) {
  if constexpr (Tree::has_arrivals) {
    return tree.arrived(i);
  } else {
    return false;
  }
}

/// Takes or parks what such a limb hands over; true if it goes on to the parent.
template <Scalar S, class Tree>
[[gnu::always_inline]] inline bool pass_arrival(const Tree& tree, std::size_t i,
                                                ArticulatedInertia<S>& I, Force<S>& p) {
  if constexpr (Tree::has_arrivals) {
    if (tree.constants(i).handover != Handover::carry) {
      tree.park_arrival(i);
      return false;
    }
    tree.take_arrival(i, I, p);
  }
  return true;
}

/// Whether a body has nothing to add to what hangs on it.
[[gnu::always_inline]] inline bool is_weightless(const BodyConstants& body) {
  return body.weightless;
}
/// Limbs side by side may differ in that.
[[gnu::always_inline]] inline bool is_weightless(const RowConstants&) { return false; }
/// Robots side by side do not.
[[gnu::always_inline]] inline bool is_weightless(const LaneBody& body) { return body.weightless; }

/// From the leaves to the roots: articulated inertias, U and 1/D, and with `bias` the forces too.
template <bool bias, Scalar S, class Tree>
void sweep_inwards(const Tree& tree, const Vector3<S>& gravity) {
  ArticulatedInertia<S> I;  // of the body at hand with all that hangs on it
  Force<S> p;
  for (std::size_t visit = tree.visits(); visit-- > 0;) {
    const std::size_t i = tree.body_at(visit);
    if (has_arrived(tree, i)) {
      if (!pass_arrival(tree, i, I, p)) continue;
    } else if (!pass_body<bias>(tree, i, gravity, I, p)) {
      continue;
    }
    const auto& body = tree.constants(i);
    const std::size_t parent = static_cast<std::size_t>(body.parent);
    if (body.handover != Handover::carry) {
      hand_over(body.handover, I, tree.parked(parent));
      if constexpr (bias) hand_over(body.handover, p, tree.entry(parent).force);
      continue;
    }
    // The parent comes next: make it complete here, while its inertia is in registers.
    if (is_weightless(tree.constants(parent))) {
      if constexpr (bias) {
        if (const Force<S>* external = tree.external(parent)) p = p - *external;
      }
    } else {
      RigidInertia<S> own;
      Force<S> own_force;
      own_share<bias>(tree, parent, gravity, own, own_force);
      add_rigid(I, own);
      if constexpr (bias) p += own_force;
    }
    if (tree.constants(parent).gathers) {
      I = I + tree.parked(parent);
      if constexpr (bias) p += tree.entry(parent).force;
    }
  }
}

/// The same for limbs side by side first, then for all other bodies.
template <bool bias, Scalar S>
void sweep_inwards(const Model& model, DynamicsData<S>& data, const Loads<S>& loads) {
  const Vector3<double> gravity = from_eigen(model.gravity());
  if constexpr (std::same_as<S, double>) {
    for (const LimbGroup& group : data.limbs.groups) {
      const LimbTree limbs(model, data, loads, group);
      limbs.gather_loads();
      sweep_inwards<bias>(limbs, broadcast<Lane>(gravity));
      limbs.scatter_factors();
    }
  }
  sweep_inwards<bias>(RobotTree<S>(model, data, loads), broadcast<S>(gravity));
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

/// v̇ of a body's own velocities, each written with `write(k, value)`, and what they add to `a`.
template <Scalar S, class Write>
[[gnu::always_inline]] inline void accelerate_joint(const DegreeOfFreedom* degrees,
                                                    const DofData<S>* dofs, int count, Motion<S>& a,
                                                    const Write& write) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const DofData<S>& dof = dofs[k];
    const S value = (dof.residual - dot(dof.response, a)) * dof.inverse_inertia;
    write(k, value);
    if (degrees[k].angular) {
      a.angular = multiply_add(value, dof.axis, a.angular);
    } else {
      a.linear = multiply_add(value, dof.axis, a.linear);
    }
  }
}

/// From the common parent to the leaves of the limbs that go side by side: v̇.
void sweep_limbs_outwards(const Model& model, DynamicsData<double>& data, std::span<double> dv) {
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  LimbLanes& limbs = data.limbs;
  for (const LimbGroup& group : limbs.groups) {
    const Motion<double>& base = data.bodies[static_cast<std::size_t>(group.parent)].acceleration;
    const Motion<Lane> common{broadcast<Lane>(base.angular), broadcast<Lane>(base.linear)};
    LimbRow* const rows = limbs.rows.data() + group.first_row;
    LimbRow* const end = limbs.rows.data() + group.end_row;
    for (LimbRow* row = rows; row != end; ++row) {
      const int parent = row->constants.parent;
      Motion<Lane> a = parent < 0 ? common : rows[parent].entry.acceleration;
      a.linear = cross_add(a.angular, row->entry.offset, a.linear);
      accelerate_joint(
          degrees + row->velocities[0], limbs.dofs.data() + row->first_dof,
          row->constants.velocity_count,
          a, [&](std::size_t k, const Lane& value) __attribute__((always_inline)) {
            scatter(value, dv.data(), row->velocities, k);
          });
      row->entry.acceleration = a;
      scatter_records<6>(numbers(a), for_slots(row->bodies, [&](std::size_t i) {
                           return numbers(data.bodies[i].acceleration);
                         }));
    }
  }
}

/// From the roots to the leaves: v̇.
template <Scalar S>
void sweep_outwards(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                    std::span<S> dv) {
  const std::vector<BodyConstants>& constants = model.constants();
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  Motion<S> a;  // of the body just done, which is often the next one's parent
  for (const int index : data.limbs.alone) {
    const std::size_t i = static_cast<std::size_t>(index);
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
    accelerate_joint(
        degrees + first, data.dofs.data() + first, body.velocity_count,
        a, [&](std::size_t k, const S& value) __attribute__((always_inline)) {
          dv[first + k] = value;
        });
    entry.acceleration = a;
  }
  if constexpr (std::same_as<S, double>) sweep_limbs_outwards(model, data, dv);
}

/// What apply_inverse() left for the limbs' velocities, to their lanes.
void gather_residuals(DynamicsData<double>& data) {
  for (const LimbRow& row : data.limbs.rows) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(row.constants.velocity_count); ++k) {
      data.limbs.dofs[static_cast<std::size_t>(row.first_dof) + k].residual =
          make_lane([&](std::size_t slot) {
            return data.dofs[static_cast<std::size_t>(row.velocities[slot]) + k].residual;
          });
    }
  }
}

}  // namespace

template <Scalar S>
void factorize(const Model& model, DynamicsData<S>& data, std::span<const S> diagonal) {
  sweep_inwards<false>(model, data, Loads<S>{diagonal, {}, {}});
}

template <Scalar S>
void factorize_and_accelerate(const Model& model, DynamicsData<S>& data, std::span<const S> tau,
                              std::span<S> dv, std::span<const S> diagonal,
                              std::span<const Force<S>> external) {
  sweep_inwards<true>(model, data, Loads<S>{diagonal, tau, external});
  sweep_outwards(model, data, tau, dv);
}

void factorize_and_accelerate(const LaneNumbers& robots, DynamicsData<Lane>& data,
                              std::span<const Lane> tau, std::span<Lane> dv,
                              std::span<const Lane> diagonal,
                              std::span<const Force<Lane>> external) {
  sweep_inwards<true>(LaneTree(robots, data, Loads<Lane>{diagonal, tau, external}), robots.gravity);
  sweep_outwards(robots.structure, data, tau, dv);
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
  if constexpr (std::same_as<S, double>) gather_residuals(data);
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
