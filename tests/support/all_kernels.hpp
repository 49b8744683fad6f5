#pragma once

/// \file
/// Every kernel of stiction/dynamics on one state, all results in one record.

#include <cmath>
#include <span>
#include <vector>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "support/lanes.hpp"
#include "support/robots.hpp"

namespace stiction::test {

/// What goes into every kernel, for one robot or one robot per lane.
template <Scalar S>
struct Input {
  std::vector<S> q;
  std::vector<S> v;
  std::vector<S> tau;
};

/// The same contacts for every robot: on the world, within a tree and between trees.
template <Scalar S>
std::vector<ContactPoint<S>> contacts_of(const Model& model) {
  Random random(99);
  std::vector<ContactPoint<S>> contacts;
  for (int i = 0; i < 4; ++i) {
    ContactPoint<S> contact;
    contact.body_a = i < 2 ? world_body : random.index(model.body_count());
    contact.body_b = random.index(model.body_count());
    contact.point = broadcast<S>(from_eigen(random_vector(random, 1.0)));
    contact.axes =
        broadcast<S>(from_eigen(Eigen::Matrix3d(random_rotation(random).toRotationMatrix())));
    contacts.push_back(contact);
  }
  return contacts;
}

template <Scalar S>
void add_bodies(Record<S>& record, const DynamicsData<S>& data) {
  for (const BodyData<S>& body : data.bodies) {
    record.add_all(body.rotation, body.position, body.offset, body.velocity, body.drift);
  }
}

template <Scalar S>
void add_accelerations(Record<S>& record, const DynamicsData<S>& data) {
  for (const BodyData<S>& body : data.bodies) record.add(body.acceleration);
}

/// What factorize() leaves of each velocity, for those that it reaches.
template <Scalar S>
void add_factors(Record<S>& record, const Model& model, const DynamicsData<S>& data) {
  for (std::size_t k = 0; k < data.dofs.size(); ++k) {
    const std::size_t body = static_cast<std::size_t>(model.degrees_of_freedom()[k].body);
    const DofData<S>& dof = data.dofs[k];
    record.add(dof.axis);
    if (model.constants()[body].joint == JointKind::floating) continue;
    record.add_all(dof.response, dof.inverse_inertia);
  }
}

/// Runs every kernel of stiction/dynamics; `data` may have been used before.
template <Scalar S>
Record<S> run_all(const Model& model, const Input<S>& in, DynamicsData<S>& data) {
  using Span = std::span<const S>;
  const std::size_t n = static_cast<std::size_t>(model.velocity_count());
  const Span q(in.q);
  const Span v(in.v);
  const Span tau(in.tau);
  std::vector<S> out(n, S(0.0));
  Record<S> record;

  record.section("articulated_body_algorithm");
  articulated_body_algorithm<S>(model, data, q, v, tau, out);
  record.add(Span(out));
  const std::vector<S> dv = out;
  record.section("update_kinematics");
  update_kinematics<S>(model, data, q, v);
  add_bodies(record, data);
  record.section("update_accelerations");
  update_accelerations<S>(model, data, dv);
  add_accelerations(record, data);
  record.section("bias_forces");
  bias_forces<S>(model, data, out);
  record.add(Span(out));
  record.section("passive_forces");
  passive_forces<S>(model, q, v, out);
  record.add(Span(out));

  record.section("inverse_dynamics");
  std::vector<Force<S>> forces(data.bodies.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    forces[i] = {data.bodies[i].velocity.linear, data.bodies[i].position};
  }
  inverse_dynamics<S>(model, data, dv, out, forces);
  record.add(Span(out));

  record.section("mass_matrix");
  std::vector<S> M(n * n, S(0.0));
  mass_matrix<S>(model, data, M);
  record.add(Span(M));
  record.section("factorize_mass_matrix");
  factorize_mass_matrix<S>(model, M);
  record.add(Span(M));
  record.section("solve_mass_matrix");
  std::vector<S> x = in.tau;
  solve_mass_matrix<S>(model, M, x);
  record.add(Span(x));

  record.section("factorize and apply_inverse with a diagonal");
  factorize<S>(model, data, std::vector<S>(n, S(0.3)));
  apply_inverse<S>(model, data, tau, out);
  record.add(Span(out));
  record.section("factorize_and_accelerate");
  factorize_and_accelerate<S>(model, data, tau, out, std::vector<S>(n, S(0.2)), forces);
  record.add(Span(out));
  add_factors(record, model, data);
  add_accelerations(record, data);
  record.section("update_positions and update_velocities");
  update_positions<S>(model, data, q);
  update_velocities<S>(model, data, tau);
  add_bodies(record, data);
  update_velocities<S>(model, data, v);
  record.section("forward_dynamics");
  factorize<S>(model, data);
  forward_dynamics<S>(model, data, tau, out, forces);
  record.add(Span(out));

  record.section("point_jacobian");
  const int body = model.body_count() - 1;
  const Vector3<S> point = data.bodies[0].position;
  std::vector<S> J(6 * n, S(0.0));
  point_jacobian<S>(model, data, body, point, std::span(J).first(3 * n));
  record.add(Span(J));
  record.section("frame_jacobian");
  body_jacobian<S>(model, data, body, point, J);
  record.add(Span(J));
  record.section("point_velocity and point_drift");
  record.add(point_velocity<S>(data, body, point));
  record.add(point_drift<S>(data, body, point));

  record.section("delassus");
  const std::vector<ContactPoint<S>> contacts = contacts_of<S>(model);
  DelassusKernel<S> kernel(model, static_cast<int>(contacts.size()));
  kernel.propagate(model, data, contacts);
  std::vector<S> G(9 * contacts.size() * contacts.size(), S(0.0));
  kernel.delassus(G);
  record.add(Span(G));
  record.section("inverse_mass_times_transpose");
  std::vector<S> columns(3 * n, S(0.0));
  for (int i = 0; i < kernel.contact_count(); ++i) {
    kernel.inverse_mass_times_transpose(model, data, i, columns);
    record.add(Span(columns));
  }

  record.section("velocity_change");
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    if (model.constants()[i].parent >= 0) continue;
    kernel.clear_impulses(model, static_cast<int>(i));
  }
  for (int i = 0; i < kernel.contact_count(); ++i) {
    kernel.add_impulse(i, contacts[static_cast<std::size_t>(i)].point);
  }
  for (std::size_t i = 0; i < data.bodies.size(); ++i) {
    if (model.constants()[i].parent >= 0) continue;
    kernel.velocity_change(model, data, static_cast<int>(i), out);
  }
  record.add(Span(out));

  record.section("centroidal_state and energies");
  const CentroidalState<S> state = centroidal_state<S>(model, data);
  record.add_all(state.mass, state.center_of_mass, state.linear_momentum, state.angular_momentum);
  record.add(kinetic_energy<S>(model, data, v));
  record.add(potential_energy<S>(model, data, q));

  record.section("integrate");
  std::vector<S> moved(in.q.size(), S(0.0));
  integrate<S>(model, q, v, S(0.01), moved);
  record.add(Span(moved));
  record.section("difference");
  difference<S>(model, q, moved, out);
  record.add(Span(out));
  return record;
}

inline Input<double> plain(const RandomState& state) {
  const auto entries = [](const Eigen::VectorXd& x) {
    return std::vector<double>(x.begin(), x.end());
  };
  return {entries(state.q), entries(state.v), entries(state.tau)};
}

/// The same state with every joint angle, distance and speed replaced.
inline Input<double> extreme(Input<double> in, double value) {
  for (std::vector<double>* entries : {&in.q, &in.v, &in.tau}) {
    for (double& x : *entries) x = std::copysign(value, x);
  }
  return in;
}

}  // namespace stiction::test
