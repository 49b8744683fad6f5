#include "stiction/dynamics/derivatives.hpp"

#include "stiction/dynamics/dof_motion.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/sweep.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;

/// Moment or force of `f`, whichever does work on an entry of v.
double along(const Force<double>& f, const Vector& axis, bool angular) {
  return dot(axis, angular ? f.angular : f.linear);
}

/// The matrix whose product with w is 2 ω x (J - ½ tr J) w + 2 h x (w x v).
Matrix3<double> spin_of(const RigidInertia<double>& I, const Motion<double>& velocity) {
  const Symmetric3<double>& J = I.inertia;
  const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
  const auto column = [&](const Vector& unit, const Vector& of_inertia) {
    const Vector turned = cross(velocity.angular, multiply_subtract(half_trace, unit, of_inertia));
    return 2.0 * cross_add(I.mass_center, cross(unit, velocity.linear), turned);
  };
  return {column({1.0, 0.0, 0.0}, {J.xx, J.xy, J.xz}), column({0.0, 1.0, 0.0}, {J.xy, J.yy, J.yz}),
          column({0.0, 0.0, 1.0}, {J.xz, J.yz, J.zz})};
}

/// Of one body alone.
SubtreeForces own_forces(const RigidInertia<double>& I, const BodyData<double>& entry,
                         const Motion<double>& acceleration) {
  SubtreeForces result;
  result.needed = needed_force(I, entry.velocity.angular, acceleration);
  result.spin = spin_of(I, entry.velocity);
  result.momentum2 = 2.0 * (I * entry.velocity).linear;
  return result;
}

/// Adds a child's subtree, whose origin is at `r` from this one's.
void add_subtree(SubtreeForces& sum, const SubtreeForces& child, const Vector& r) {
  sum.needed += shift(child.needed, r);
  const Vector& p = child.momentum2;
  sum.spin.c0 += cross_add(r, Vector{0.0, -p.z, p.y}, child.spin.c0);  // r x (e x 2P)
  sum.spin.c1 += cross_add(r, Vector{p.z, 0.0, -p.x}, child.spin.c1);
  sum.spin.c2 += cross_add(r, Vector{-p.y, p.x, 0.0}, child.spin.c2);
  sum.momentum2 += p;
  sum.external += shift(child.external, r);
  const Vector& f = child.external.linear;
  sum.external_at.c0 += multiply_add(f.x, r, child.external_at.c0);
  sum.external_at.c1 += multiply_add(f.y, r, child.external_at.c1);
  sum.external_at.c2 += multiply_add(f.z, r, child.external_at.c2);
}

double trace(const Matrix3<double>& m) { return m.c0.x + m.c1.y + m.c2.z; }

/// What entry k of q or v does to the forces on its subtree, and what others do to entry k.
struct DofForces {
  Force<double> momentum;  ///< of a unit velocity of this entry: a column of M
  Force<double> by_q;      ///< change of the subtree's force, axes fixed to the world
  Force<double> by_v;
  Force<double> carried_by_q;  ///< the same in axes that move along, without external forces
  Vector3<double> by_spin;     ///< of τ_k by the δω of whatever the subtree hangs on
  Vector3<double> by_turn;     ///< of τ_k by turning it together with that, external forces alone
};

/// What a turn of the whole subtree does to an entry's share of the external forces.
Vector turn_response(const SubtreeForces& subtree, const Vector& axis, bool angular) {
  if (!angular) return cross(axis, subtree.external.linear);
  const Vector turned = transpose_times(subtree.external_at, axis);
  return cross_add(axis, subtree.external.angular,
                   multiply_subtract(trace(subtree.external_at), axis, turned));
}

DofForces dof_forces(const RigidInertia<double>& I, const SubtreeForces& subtree,
                     const DofMotion& motion, const Vector& axis, bool angular) {
  const auto spin_force = [&](const Vector& w) -> Force<double> {
    return {subtree.spin * w, cross(w, subtree.momentum2)};
  };
  DofForces result;
  result.carried_by_q = I * motion.acceleration_by_q + spin_force(motion.velocity_by_q.angular);
  result.by_v = I * motion.acceleration_by_v;
  result.by_turn = turn_response(subtree, axis, angular);
  result.by_q = result.carried_by_q;
  const Force<double>& F = subtree.needed;
  if (angular) {
    const Vector at = subtree.external_at * axis;  // (X - tr X) s
    const Vector moment = multiply_subtract(trace(subtree.external_at), axis, at);
    result.momentum = I * Motion<double>{axis, {}};
    result.by_v += spin_force(axis);
    result.by_q += Force<double>{cross(axis, F.angular) - moment, cross(axis, F.linear)};
    result.by_spin = transpose_times(subtree.spin, axis);
  } else {
    result.momentum = I * Motion<double>{{}, axis};
    result.by_q += Force<double>{cross(axis, F.linear - subtree.external.linear), {}};
    result.by_spin = cross(subtree.momentum2, axis);
  }
  return result;
}

/// Fills rows and columns of the three matrices.
class Columns {
 public:
  Columns(const Model& model, const DynamicsData<double>& data, DerivativesData& out)
      : model_(model), data_(data), out_(out) {}

  /// Everything between entry `k` of `body` and all entries from there to the root.
  void fill(std::size_t body, std::size_t k) const {
    DofForces f =
        dof_forces(data_.composite[body], out_.subtrees[body], out_.dofs[k], axis(k), angular(k));
    fill_own_joint(body, k, f);
    const std::vector<BodyConstants>& constants = model_.constants();
    for (std::size_t at = body; constants[at].parent >= 0;) {
      const Vector& r = data_.bodies[at].offset;
      f.momentum = shift(f.momentum, r);
      f.by_q = shift(f.by_q, r);
      f.by_v = shift(f.by_v, r);
      at = static_cast<std::size_t>(constants[at].parent);
      fill_ancestor(constants[at], k, f);
    }
  }

 private:
  [[nodiscard]] bool angular(std::size_t k) const { return model_.degrees_of_freedom()[k].angular; }
  [[nodiscard]] const Vector& axis(std::size_t k) const { return data_.dofs[k].axis; }
  static double& entry(Eigen::MatrixXd& matrix, std::size_t row, std::size_t column) {
    return matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
  }

  void fill_own_joint(std::size_t body, std::size_t k, const DofForces& f) const {
    const BodyConstants& constants = model_.constants()[body];
    const std::size_t first = static_cast<std::size_t>(constants.velocity_index);
    const std::size_t end = first + static_cast<std::size_t>(constants.velocity_count);
    for (std::size_t j = first; j < end; ++j) {
      if (j <= k) {
        const double mass = along(f.momentum, axis(j), angular(j));
        entry(out_.mass_matrix, j, k) = mass;
        entry(out_.mass_matrix, k, j) = mass;
      }
      entry(out_.dtau_dv, j, k) = along(f.by_v, axis(j), angular(j));
      double by_q = 0.0;
      if (moves_along(constants.joint, angular(k), angular(j))) {
        by_q = along(f.carried_by_q, axis(j), angular(j));
        if (angular(k)) {
          by_q -= dot(axis(k), turn_response(out_.subtrees[body], axis(j), angular(j)));
        }
      } else {
        by_q = along(f.by_q, axis(j), angular(j));
      }
      entry(out_.dtau_dq, j, k) = by_q;
    }
  }

  void fill_ancestor(const BodyConstants& ancestor, std::size_t k, const DofForces& f) const {
    const std::size_t first = static_cast<std::size_t>(ancestor.velocity_index);
    const std::size_t end = first + static_cast<std::size_t>(ancestor.velocity_count);
    for (std::size_t j = first; j < end; ++j) {
      const DofMotion& motion = out_.dofs[j];
      double by_q =
          dot(f.momentum, motion.acceleration_by_q) + dot(f.by_spin, motion.velocity_by_q.angular);
      double by_v = dot(f.momentum, motion.acceleration_by_v);
      if (angular(j)) {
        by_q -= dot(f.by_turn, axis(j));
        by_v += dot(f.by_spin, axis(j));
      }
      entry(out_.dtau_dq, k, j) = by_q;
      entry(out_.dtau_dv, k, j) = by_v;
      if (ancestor.kinematic) continue;
      entry(out_.dtau_dq, j, k) = along(f.by_q, axis(j), angular(j));
      entry(out_.dtau_dv, j, k) = along(f.by_v, axis(j), angular(j));
      const double mass = along(f.momentum, axis(j), angular(j));
      entry(out_.mass_matrix, j, k) = mass;
      entry(out_.mass_matrix, k, j) = mass;
    }
  }

  const Model& model_;
  const DynamicsData<double>& data_;
  DerivativesData& out_;
};

/// Motions of all entries, and every body by itself.
void prepare(const Model& model, DynamicsData<double>& data, DerivativesData& out,
             std::span<const Force<double>> external) {
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyData<double>& entry = data.bodies[i];
    data.composite[i] = world_inertia(constants[i], entry);
    out.subtrees[i] = own_forces(data.composite[i], entry, lifted_acceleration(model, entry));
    if (!external.empty()) out.subtrees[i].external = external[i];
    const std::size_t first = static_cast<std::size_t>(constants[i].velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(constants[i].velocity_count);
         ++k) {
      out.dofs[k] = dof_motion(model, data, i, k);
    }
  }
}

}  // namespace

DerivativesData::DerivativesData(const Model& model)
    : dofs(static_cast<std::size_t>(model.velocity_count())),
      subtrees(static_cast<std::size_t>(model.body_count())) {
  const Eigen::Index n = model.velocity_count();
  for (Eigen::MatrixXd* matrix :
       {&dtau_dq, &dtau_dv, &mass_matrix, &da_dq, &da_dv, &da_dtau, &factors}) {
    matrix->setZero(n, n);
  }
  solved_rows.setZero(3 * n, n);
}

void inverse_dynamics_derivatives(const Model& model, DynamicsData<double>& data,
                                  std::span<const double> dv, DerivativesData& derivatives,
                                  std::span<const Force<double>> external) {
  update_accelerations(model, data, dv);
  prepare(model, data, derivatives, external);
  derivatives.dtau_dq.setZero();
  derivatives.dtau_dv.setZero();
  derivatives.mass_matrix.setZero();
  const std::vector<BodyConstants>& constants = model.constants();
  const Columns columns(model, data, derivatives);
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    if (body.kinematic) continue;
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
      columns.fill(i, k);
    }
    if (body.parent < 0) continue;
    const std::size_t parent = static_cast<std::size_t>(body.parent);
    data.composite[parent] =
        data.composite[parent] + shift(data.composite[i], data.bodies[i].offset);
    add_subtree(derivatives.subtrees[parent], derivatives.subtrees[i], data.bodies[i].offset);
  }
  derivatives.mass_matrix.diagonal() += model.parameters().armature;
  for (const BodyConstants& body : constants) {
    if (!body.kinematic) continue;
    derivatives.mass_matrix.diagonal().segment(body.velocity_index, body.velocity_count).setOnes();
  }
}

}  // namespace stiction
