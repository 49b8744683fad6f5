// Bodies that spin fast and freely. Without torque, energy and angular momentum are exact answers.

#include <gtest/gtest.h>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A brick whose frame is not in its centre of mass.
Simulation brick(double speed, double gravity) {
  const std::string text =
      "<mujoco><option timestep='0.002' gravity='0 0 " + std::to_string(-gravity) +
      "'/><worldbody><body><freejoint/><geom type='box' size='0.1 0.2 0.03' pos='0.1 0.05 0'/>"
      "</body></worldbody></mujoco>";
  Simulation simulation(load_model_text(text, "brick.xml").model);
  // Near the axis about which no brick spins steadily.
  simulation.state().v.tail<3>() = speed * Eigen::Vector3d(1.0, 0.01, 0.02).normalized();
  simulation.state().v.head<3>() = Eigen::Vector3d(0.3, -0.2, 0.1);
  return simulation;
}

struct Invariants {
  double energy = 0.0;
  Eigen::Vector3d momentum;
  Eigen::Vector3d linear;
};

Invariants invariants_of(Simulation& simulation) {
  DynamicsData<double> data(simulation.model());
  update_kinematics<double>(simulation.model(), data, as_span(simulation.state().q),
                            as_span(simulation.state().v));
  const CentroidalState<double> state = centroidal_state<double>(simulation.model(), data);
  return {kinetic_energy<double>(simulation.model(), data, as_span(simulation.state().v)) +
              potential_energy<double>(simulation.model(), data, as_span(simulation.state().q)),
          to_eigen(state.angular_momentum), to_eigen(state.linear_momentum)};
}

TEST(Spin, EnergyAndMomentumStayAtAnySpeed) {
  for (const double speed : {15.0, 100.0, 1000.0, 20000.0}) {
    SCOPED_TRACE(speed);
    Simulation simulation = brick(speed, 0.0);
    const Invariants before = invariants_of(simulation);
    EXPECT_EQ(simulation.run(4.0).status, StepStatus::ok);
    const Invariants after = invariants_of(simulation);
    // Rounding of 2000 steps, each in up to 80 parts.
    EXPECT_NEAR(after.energy / before.energy, 1.0, 1e-9);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9 * before.momentum.norm());
    // That of the origin's velocity, which is the speed times 0.1 m.
    EXPECT_LT((after.linear - before.linear).norm(), 1e-9 * before.momentum.norm() / 0.1);
  }
}

/// The centre of mass falls as a point does, however the body turns about it.
TEST(Spin, ASpinningBodyFallsAsAPointDoes) {
  Simulation simulation = brick(300.0, 9.81);
  const double mass = simulation.model().total_mass();
  const Invariants before = invariants_of(simulation);
  EXPECT_EQ(simulation.run(1.0).status, StepStatus::ok);
  const Invariants after = invariants_of(simulation);
  EXPECT_NEAR(after.linear.z() - before.linear.z(), -9.81 * mass, 1e-7 * mass);
  EXPECT_NEAR(after.energy / before.energy, 1.0, 1e-9);
}

}  // namespace
}  // namespace stiction
