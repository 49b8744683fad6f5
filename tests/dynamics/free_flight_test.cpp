// Energy and momentum of a tumbling quadruped that nothing touches.

#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "support/random_tree.hpp"
#include "support/runge_kutta.hpp"

namespace stiction::test {
namespace {

/// Largest deviations over a flight.
struct FlightErrors {
  double energy = 0.0;            ///< relative to the energy of tumbling and joints at the start
  double linear_momentum = 0.0;   ///< relative to mass times the fastest fall
  double angular_momentum = 0.0;  ///< about the centre of mass, relative to that at the start
};

State thrown_robot(const Model& model) {
  Random random(4);
  State state = model.initial_state();
  for (const Joint& joint : model.joints()) {
    if (joint.kind == JointKind::floating) {
      state.q.segment<3>(joint.position_index) << 0.3, -0.2, 1.0;
      state.v.segment<6>(joint.velocity_index) << 1.0, -0.5, 40.0, 1.5, 2.0, -1.0;
    } else {
      state.q[joint.position_index] += random.uniform(-0.5, 0.5);
      state.v[joint.velocity_index] = random.uniform(-2.0, 2.0);
    }
  }
  return state;
}

FlightErrors fly(const Model& model, double duration, double h) {
  State state = thrown_robot(model);
  RungeKutta integrator(model, Eigen::VectorXd::Zero(model.velocity_count()));
  DynamicsData<double> data(model);
  const auto energy = [&] {
    update_kinematics(model, data, state.q, state.v);
    return kinetic_energy<double>(model, data, as_span(std::as_const(state.v))) +
           potential_energy<double>(model, data, as_span(std::as_const(state.q)));
  };
  const double energy0 = energy();
  const CentroidalState<double> start = centroidal_state(model, data);
  const double inner0 = kinetic_energy<double>(model, data, as_span(std::as_const(state.v))) -
                        0.5 * to_eigen(start.linear_momentum).squaredNorm() / start.mass;
  const Eigen::Vector3d weight = start.mass * model.gravity();
  FlightErrors errors;
  const int steps = static_cast<int>(std::lround(duration / h));
  const int between_checks = std::max(1, steps / 500);
  for (int i = 1; i <= steps; ++i) {
    integrator.step(state.q, state.v, h);
    if (i % between_checks != 0) continue;
    const double time = i * h;
    errors.energy = std::max(errors.energy, std::abs(energy() - energy0) / inner0);
    const CentroidalState<double> now = centroidal_state(model, data);
    const Eigen::Vector3d lost =
        to_eigen(now.linear_momentum) - to_eigen(start.linear_momentum) - time * weight;
    const Eigen::Vector3d turned =
        to_eigen(now.angular_momentum) - to_eigen(start.angular_momentum);
    errors.linear_momentum =
        std::max(errors.linear_momentum, lost.norm() / (weight.norm() * duration));
    errors.angular_momentum =
        std::max(errors.angular_momentum, turned.norm() / to_eigen(start.angular_momentum).norm());
  }
  std::printf(
      "flight of %g s, h %.3g ms: energy %.2e, linear momentum %.2e, angular momentum %.2e\n",
      duration, 1e3 * h, errors.energy, errors.linear_momentum, errors.angular_momentum);
  return errors;
}

Model quadruped() { return load_model(models_folder() / "anymal_lumped.xml").model; }

TEST(FreeFlight, EnergyAndMomentumAreKeptToNineDigitsOverTenSeconds) {
  const FlightErrors errors = fly(quadruped(), 10.0, 0.25e-3);
  EXPECT_LT(errors.energy, 1e-9);
  EXPECT_LT(errors.linear_momentum, 1e-9);
  EXPECT_LT(errors.angular_momentum, 1e-9);
}

TEST(FreeFlight, ErrorsFallWithTheFourthPowerOfTheStep) {
  const Model model = quadruped();
  // Steps at which the errors stand well above rounding, yet are small enough to be asymptotic.
  const double steps[] = {8e-3, 4e-3, 2e-3};
  FlightErrors errors[3];
  for (int i = 0; i < 3; ++i) errors[i] = fly(model, 2.0, steps[i]);
  for (int i = 0; i < 2; ++i) {
    const double energy = std::log2(errors[i].energy / errors[i + 1].energy);
    const double linear = std::log2(errors[i].linear_momentum / errors[i + 1].linear_momentum);
    const double angular = std::log2(errors[i].angular_momentum / errors[i + 1].angular_momentum);
    std::printf(
        "slopes from h %g to %g: energy %.2f, linear momentum %.2f, angular momentum %.2f\n",
        steps[i], steps[i + 1], energy, linear, angular);
    EXPECT_NEAR(energy, 4.0, 0.4);
    EXPECT_NEAR(linear, 4.0, 0.4);
    EXPECT_NEAR(angular, 4.0, 0.4);
  }
}

}  // namespace
}  // namespace stiction::test
