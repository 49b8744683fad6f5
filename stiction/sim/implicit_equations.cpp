#include "stiction/sim/implicit_equations.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"
#include "stiction/touch/body_impulses.hpp"
#include "stiction/touch/find_contacts.hpp"

namespace stiction {

ImplicitEquations::ImplicitEquations(const Model& model)
    : dynamics_(model),
      derivatives_(model),
      position_(index(model.position_count())),
      velocity_(index(model.velocity_count())),
      acceleration_(velocity_.size()) {}

void ImplicitEquations::evaluate(const ImplicitInput& input, std::span<const double> v,
                                 std::span<double> residual) {
  const Model& model = input.model;
  std::ranges::copy(v, velocity_.begin());
  for (std::size_t k = 0; k < v.size(); ++k) {
    acceleration_[k] = (v[k] - input.state.v[static_cast<Eigen::Index>(k)]) / input.time_step;
  }
  integrate<double>(model, as_span(input.state.q), v, input.time_step, position_);
  update_kinematics<double>(model, dynamics_, position_, v);
  const SceneSnapshot scene{model, input.layout, dynamics_, input.tendons};
  find_contacts(scene, {0.0, 0.0, true, input.four_face_points}, input.collider, contacts_);
  find_end_springs(scene, input.options, input.collider.placements(), input.state.memory,
                   input.time_step, contacts_, springs_, anchors_, ends_);
  spring_forces_.resize(3 * contacts_.size());
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Vector3<double>& force = springs_[i].force;
    spring_forces_[3 * i] = force.x;
    spring_forces_[3 * i + 1] = force.y;
    spring_forces_[3 * i + 2] = force.z;
  }
  body_forces_.assign(dynamics_.bodies.size(), Force<double>{});
  std::ranges::copy(input.external, body_forces_.begin());
  add_contact_impulses(dynamics_, contacts_, spring_forces_, 1.0, body_forces_);
  inverse_dynamics<double>(model, dynamics_, acceleration_, residual, body_forces_);
  for (std::size_t k = 0; k < v.size(); ++k) {
    residual[k] -= input.tau[k];
    if (!input.inertia.empty()) residual[k] += input.inertia[k] * acceleration_[k];
  }
  for (const BodyConstants& body : model.constants()) {
    if (!body.kinematic) continue;
    std::copy_n(acceleration_.begin() + body.velocity_index, body.velocity_count,
                residual.begin() + body.velocity_index);
  }
}

/// ∂q⁺/∂v⁺ = h times the identity, but for quaternions: makes dtau_dq the derivative by v⁺.
void ImplicitEquations::follow_positions(const ImplicitInput& input) {
  Eigen::MatrixXd& by_q = derivatives_.dtau_dq;
  by_q *= input.time_step;
  const auto turn = [&](Eigen::Index first) -> Eigen::Matrix3d {
    const double* w = velocity_.data() + first;
    return left_jacobian(input.time_step * Eigen::Vector3d(w[0], w[1], w[2]));
  };
  const auto multiply = [&](Eigen::Index first, const Eigen::Matrix3d& block) {
    for (Eigen::Index row = 0; row < by_q.rows(); ++row) {
      const Eigen::RowVector3d entries = by_q.block<1, 3>(row, first);
      by_q.block<1, 3>(row, first) = entries * block;
    }
  };
  for (const BodyConstants& body : input.model.constants()) {
    if (body.joint == JointKind::spherical) {
      multiply(body.velocity_index, turn(body.velocity_index).transpose());
    } else if (body.joint == JointKind::floating) {
      multiply(body.velocity_index + 3, turn(body.velocity_index + 3));
    }
  }
}

void ImplicitEquations::linearize(const ImplicitInput& input, PaddedMatrix& matrix) {
  const Model& model = input.model;
  inverse_dynamics_derivatives(model, dynamics_, acceleration_, derivatives_, input.external);
  spring_derivatives_.add({model, input.layout, dynamics_, input.tendons}, input.options,
                          input.collider.geometries(), input.time_step, contacts_, ends_,
                          derivatives_.dtau_dq, derivatives_.dtau_dv);
  follow_positions(input);
  const Eigen::Index n = model.velocity_count();
  const double rate = 1.0 / input.time_step;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) {
      matrix(i, j) = rate * derivatives_.mass_matrix(i, j) + derivatives_.dtau_dv(i, j) +
                     derivatives_.dtau_dq(i, j);
    }
    if (!input.inertia.empty()) matrix(j, j) += rate * input.inertia[index(static_cast<int>(j))];
  }
  for (const BodyConstants& body : model.constants()) {
    if (!body.kinematic) continue;
    for (Eigen::Index i = body.velocity_index; i < body.velocity_index + body.velocity_count; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) matrix(i, j) = i == j ? rate : 0.0;
    }
  }
}

}  // namespace stiction
