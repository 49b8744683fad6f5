#include "stiction/dynamics/point_derivatives.hpp"

#include "stiction/dynamics/dof_motion.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;

/// Calls `visit(body, k)` for each entry of v between `body` and the root.
template <class Visit>
void for_each_ancestor(const Model& model, int body, Visit visit) {
  for (int at = body; at >= 0; at = model.parent(at)) {
    const BodyConstants& constants = model.constants()[static_cast<std::size_t>(at)];
    const std::size_t first = static_cast<std::size_t>(constants.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(constants.velocity_count);
         ++k) {
      visit(static_cast<std::size_t>(at), k);
    }
  }
}

/// Linear part at a distance `arm` from the reference point.
Vector at_point(const Motion<double>& m, const Vector& arm) {
  return cross_add(m.angular, arm, m.linear);
}

}  // namespace

void point_velocity_by_q(const Model& model, const DynamicsData<double>& data, int body,
                         const Eigen::Vector3d& point, Eigen::Ref<Eigen::Matrix3Xd> by_q) {
  by_q.setZero();
  if (body < 0) return;
  const Vector p = from_eigen(point);
  const BodyData<double>& own = data.bodies[static_cast<std::size_t>(body)];
  const Vector velocity = at_point(own.velocity, p - own.position);
  for_each_ancestor(model, body, [&](std::size_t i, std::size_t k) {
    const DofMotion motion = dof_motion(model, data, i, k);
    Vector change = at_point(motion.velocity_by_q, p - data.bodies[i].position);
    if (model.degrees_of_freedom()[k].angular) {
      change = cross_add(data.dofs[k].axis, velocity, change);
    }
    by_q.col(static_cast<Eigen::Index>(k)) = to_eigen(change);
  });
}

void point_acceleration_by_state(const Model& model, const DynamicsData<double>& data, int body,
                                 const Eigen::Vector3d& point, Eigen::Ref<Eigen::Matrix3Xd> by_q,
                                 Eigen::Ref<Eigen::Matrix3Xd> by_v) {
  by_q.setZero();
  by_v.setZero();
  if (body < 0) return;
  const Vector p = from_eigen(point);
  const BodyData<double>& own = data.bodies[static_cast<std::size_t>(body)];
  const Vector arm = p - own.position;
  const Vector velocity = at_point(own.velocity, arm);
  const Motion<double> a = lifted_acceleration(model, own);  // gravity cancels below
  const Vector& w = own.velocity.angular;
  const Vector acceleration = cross_add(w, cross(w, arm), at_point(a, arm));
  for_each_ancestor(model, body, [&](std::size_t i, std::size_t k) {
    const DofMotion motion = dof_motion(model, data, i, k);
    const Vector from_joint = p - data.bodies[i].position;
    Vector q_part = multiply_add(2.0, cross(motion.velocity_by_q.angular, velocity),
                                 at_point(motion.acceleration_by_q, from_joint));
    Vector v_part = at_point(motion.acceleration_by_v, from_joint);
    if (model.degrees_of_freedom()[k].angular) {
      const Vector& s = data.dofs[k].axis;
      q_part = cross_add(s, acceleration, q_part);
      v_part = multiply_add(2.0, cross(s, velocity), v_part);
    }
    by_q.col(static_cast<Eigen::Index>(k)) = to_eigen(q_part);
    by_v.col(static_cast<Eigen::Index>(k)) = to_eigen(v_part);
  });
}

void add_point_force_by_q(const Model& model, const DynamicsData<double>& data, int body,
                          const Eigen::Vector3d& point, const Eigen::Vector3d& force,
                          Eigen::Ref<Eigen::MatrixXd> by_q, double scale) {
  const Vector p = from_eigen(point);
  const Vector f = scale * from_eigen(force);
  const auto angular = [&](std::size_t k) { return model.degrees_of_freedom()[k].angular; };
  // How fast the point moves along with an entry: a column of J.
  const auto column = [&](std::size_t i, std::size_t k) {
    const Vector& s = data.dofs[k].axis;
    return angular(k) ? cross(s, p - data.bodies[i].position) : s;
  };
  for_each_ancestor(model, body, [&](std::size_t i, std::size_t k) {
    const Vector moved = column(i, k);
    for_each_ancestor(model, body, [&](std::size_t above, std::size_t j) {
      // Each pair of bodies comes twice; here `above` is the outer one or the same.
      if (above > i) return;
      const Eigen::Index row = static_cast<Eigen::Index>(j);
      const Eigen::Index col = static_cast<Eigen::Index>(k);
      const bool same = above == i;
      const JointKind joint = model.constants()[i].joint;
      if (!same || !moves_along(joint, angular(k), angular(j))) {
        // The axis of j stays, the point moves: f · (s_j x δp).
        if (angular(j)) by_q(row, col) += dot(f, cross(data.dofs[j].axis, moved));
      } else if (angular(k)) {
        by_q(row, col) += dot(f, cross(data.dofs[k].axis, column(above, j)));
      }
      // And k's own share as j turns it.
      if (!same && angular(j)) by_q(col, row) += dot(f, cross(data.dofs[j].axis, moved));
    });
  });
}

}  // namespace stiction
