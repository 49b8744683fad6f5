// A robot computes the same bits alone and in any slot of a lane, whatever its neighbours do.

#include "support/lanes.hpp"

#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

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

/// Runs every kernel of stiction/dynamics.
template <Scalar S>
Record<S> run_all(const Model& model, const Input<S>& in) {
  using Span = std::span<const S>;
  const std::size_t n = static_cast<std::size_t>(model.velocity_count());
  const Span q(in.q);
  const Span v(in.v);
  const Span tau(in.tau);
  DynamicsData<S> data(model);
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
  for (const BodyData<S>& body : data.bodies) record.add(body.acceleration);
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

Input<double> plain(const RandomState& state) {
  const auto entries = [](const Eigen::VectorXd& x) {
    return std::vector<double>(x.begin(), x.end());
  };
  return {entries(state.q), entries(state.v), entries(state.tau)};
}

/// The same state with every joint angle, distance and speed replaced.
Input<double> extreme(Input<double> in, double value) {
  for (std::vector<double>* entries : {&in.q, &in.v, &in.tau}) {
    for (double& x : *entries) x = std::copysign(value, x);
  }
  return in;
}

/// Robots that a neighbour may be: ordinary ones, angles past each reduction limit of the
/// trigonometry, numbers too small for full precision, zero, and a robot that has blown up.
std::vector<Input<double>> neighbours(Random& random, const Model& model) {
  const Input<double> some = plain(RandomState(random, model));
  const double infinity = std::numeric_limits<double>::infinity();
  return {some,
          extreme(some, 0.0),
          extreme(some, 1e6),
          extreme(some, 1e12),
          extreme(some, 5e-324),
          extreme(some, 1e-310),
          extreme(some, 1e300),
          extreme(some, infinity),
          extreme(some, std::numeric_limits<double>::quiet_NaN())};
}

Input<Lane> place(const Input<double>& robot, std::size_t slot,
                  const std::vector<Input<double>>& others, std::size_t turn) {
  std::array<std::vector<double>, lane_width> q;
  std::array<std::vector<double>, lane_width> v;
  std::array<std::vector<double>, lane_width> tau;
  for (std::size_t k = 0; k < lane_width; ++k) {
    const Input<double>& in = k == slot ? robot : others[(turn + k) % others.size()];
    q[k] = in.q;
    v[k] = in.v;
    tau[k] = in.tau;
  }
  return {pack(q), pack(v), pack(tau)};
}

void expect_same_in_every_slot(const Model& model, const Input<double>& robot, Random& random) {
  const Record<double> alone = run_all<double>(model, robot);
  const std::vector<Input<double>> others = neighbours(random, model);
  for (std::size_t turn = 0; turn < others.size(); ++turn) {
    const std::size_t slot = turn % lane_width;
    expect_same_bits(alone, run_all<Lane>(model, place(robot, slot, others, turn)), slot);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Lanes, EveryKernelGivesTheBitsOfALoneRobotInAnySlotBesideAnyNeighbour) {
  for_each_robot(60, [](const Model& model, Random& random) {
    expect_same_in_every_slot(model, plain(RandomState(random, model)), random);
  });
}

TEST(Lanes, RobotsWithExtremeNumbersGiveTheBitsOfALoneOne) {
  for_each_robot(20, [](const Model& model, Random& random) {
    for (const Input<double>& robot : neighbours(random, model)) {
      expect_same_in_every_slot(model, robot, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Lanes, ARobotComputesTheSameTwiceWithUsedData) {
  for_each_robot(20, [](const Model& model, Random& random) {
    const RandomState first(random, model);
    const RandomState second(random, model);
    DynamicsData<double> fresh(model);
    DynamicsData<double> used(model);
    articulated_body_algorithm(model, used, first.q, first.v, first.tau);
    mass_matrix(model, used);
    EXPECT_EQ(articulated_body_algorithm(model, used, second.q, second.v, second.tau),
              articulated_body_algorithm(model, fresh, second.q, second.v, second.tau));
  });
}

}  // namespace
}  // namespace stiction::test
