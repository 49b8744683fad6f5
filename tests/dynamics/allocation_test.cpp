// No kernel allocates: whatever a step needs is in DynamicsData and DelassusKernel beforehand.

#include <gtest/gtest.h>
#include <memory>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/derivatives.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/point_derivatives.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tangent.hpp"
#include "support/allocation_counter.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

template <Scalar S>
std::vector<S> broadcast_all(const Eigen::VectorXd& x) {
  std::vector<S> result;
  for (const double entry : x) result.push_back(S(entry));
  return result;
}

/// Allocations of each kernel by name, where there were any.
template <Scalar S>
std::string allocations(const Model& model, const RandomState& state) {
  using Span = std::span<const S>;
  const std::size_t n = static_cast<std::size_t>(model.velocity_count());
  const std::vector<S> q = broadcast_all<S>(state.q);
  const std::vector<S> v = broadcast_all<S>(state.v);
  const std::vector<S> tau = broadcast_all<S>(state.tau);
  std::vector<S> moved = q;
  std::vector<S> out(n, S(0.0));
  std::vector<S> M(n * n, S(0.0));
  std::vector<S> J(6 * n, S(0.0));
  std::vector<S> G(9 * 16, S(0.0));
  std::vector<S> columns(3 * n, S(0.0));
  const std::vector<Force<S>> forces(static_cast<std::size_t>(model.body_count()));
  const std::vector<ContactPoint<S>> contacts(4, ContactPoint<S>{world_body, 0, {}, {}});
  DynamicsData<S> data(model);
  DelassusKernel<S> kernel(model, 4);
  const Vector3<S> point{S(0.1), S(0.2), S(0.3)};
  S sum(0.0);

  std::string found;
  const auto check = [&found](const char* name, auto run) {
    std::size_t count = 0;
    {
      const AllocationCounter counter;
      run();
      count = counter.count();
    }
    if (count > 0) found += std::string(name) + ": " + std::to_string(count) + "\n";
  };
  check("update_positions", [&] { update_positions<S>(model, data, q); });
  check("update_velocities", [&] { update_velocities<S>(model, data, v); });
  check("update_kinematics", [&] { update_kinematics<S>(model, data, q, v); });
  check("update_accelerations", [&] { update_accelerations<S>(model, data, v); });
  check("inverse_dynamics", [&] { inverse_dynamics<S>(model, data, tau, out, forces); });
  check("bias_forces", [&] { bias_forces<S>(model, data, out); });
  check("passive_forces", [&] { passive_forces<S>(model, q, v, out); });
  check("mass_matrix", [&] { mass_matrix<S>(model, data, M); });
  check("factorize_mass_matrix", [&] { factorize_mass_matrix<S>(model, M); });
  check("solve_mass_matrix", [&] { solve_mass_matrix<S>(model, Span(M), out); });
  check("factorize", [&] { factorize<S>(model, data, v); });
  check("factorize", [&] { factorize<S>(model, data); });
  check("forward_dynamics", [&] { forward_dynamics<S>(model, data, tau, out, forces); });
  check("factorize_and_accelerate",
        [&] { factorize_and_accelerate<S>(model, data, tau, out, v, forces); });
  check("articulated_body_algorithm",
        [&] { articulated_body_algorithm<S>(model, data, q, v, tau, out); });
  check("apply_inverse", [&] { apply_inverse<S>(model, data, tau, out); });
  check("point_jacobian",
        [&] { point_jacobian<S>(model, data, 0, point, std::span(J).first(3 * n)); });
  check("body_jacobian", [&] { body_jacobian<S>(model, data, 0, point, J); });
  check("point_velocity", [&] { sum = sum + point_velocity<S>(data, 0, point).x; });
  check("point_drift", [&] { sum = sum + point_drift<S>(data, 0, point).x; });
  check("DelassusKernel::propagate", [&] { kernel.propagate(model, data, contacts); });
  check("DelassusKernel::delassus", [&] { kernel.delassus(G); });
  check("inverse_mass_times_transpose",
        [&] { kernel.inverse_mass_times_transpose(model, data, 0, columns); });
  check("centroidal_state", [&] { sum = sum + centroidal_state<S>(model, data).mass; });
  check("kinetic_energy", [&] { sum = sum + kinetic_energy<S>(model, data, v); });
  check("potential_energy", [&] { sum = sum + potential_energy<S>(model, data, q); });
  check("integrate", [&] { integrate<S>(model, q, v, S(0.01), moved); });
  check("difference", [&] { difference<S>(model, q, moved, out); });
  return found;
}

std::size_t allocations_of_derivatives(const Model& model, const RandomState& state) {
  DynamicsData<double> data(model);
  DerivativesData derivatives(model);
  const std::vector<Force<double>> forces(static_cast<std::size_t>(model.body_count()));
  const Eigen::Index n = model.velocity_count();
  Eigen::Matrix3Xd by_q(3, n);
  Eigen::Matrix3Xd by_v(3, n);
  const Eigen::Vector3d point(0.1, 0.2, 0.3);
  update_kinematics(model, data, state.q, state.v);
  const AllocationCounter counter;
  forward_dynamics_derivatives(model, data, as_span(state.tau), derivatives, forces);
  add_passive_derivatives(model, as_span(state.q), -1.0, derivatives.dtau_dq, derivatives.dtau_dv);
  point_velocity_by_q(model, data, 0, point, by_q);
  point_acceleration_by_state(model, data, 0, point, by_q, by_v);
  add_point_force_by_q(model, data, 0, point, point, derivatives.dtau_dq, -1.0);
  difference_by_end(model, state.v, derivatives.da_dq);
  return counter.count();
}

TEST(Allocation, DerivativesAllocateNothing) {
  for_each_robot(30, [](const Model& model, Random& random) {
    EXPECT_EQ(allocations_of_derivatives(model, RandomState(random, model)), 0U);
  });
}

TEST(Allocation, CounterSeesNewMallocAndEigen) {
  const AllocationCounter counter;
  const auto number = std::make_unique<int>(1);
  const std::size_t after_new = counter.count();
  void* volatile memory = std::malloc(10);
  const std::size_t after_malloc = counter.count();
  std::free(memory);
  volatile int size = 5;
  const Eigen::VectorXd vector = Eigen::VectorXd::Zero(size);
  const std::size_t after_eigen = counter.count();
  EXPECT_GT(after_new, 0U);
  EXPECT_GT(after_malloc, after_new);
  EXPECT_GT(after_eigen, after_malloc);
  EXPECT_EQ(*number + vector[0], 1.0);
}

TEST(Allocation, NoKernelAllocatesForOneRobotOrForLanes) {
  for_each_robot(30, [](const Model& model, Random& random) {
    const RandomState state(random, model);
    EXPECT_EQ(allocations<double>(model, state), "");
    EXPECT_EQ(allocations<Lane>(model, state), "");
  });
}

}  // namespace
}  // namespace stiction::test
