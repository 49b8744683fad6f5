// PD and gravity compensation.

#include "stiction/control/joint_control.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "examples/legged_robots.hpp"

namespace stiction::test {
namespace {

using Eigen::VectorXd;

TEST(GravityCompensation, HoldsADoublePendulumByItsAnalyticTorques) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  GravityCompensationController control(model);
  State state = model.initial_state();
  for (const double a : {0.3, -1.2}) {
    for (const double b : {0.0, 0.9}) {
      state.q << a, b;
      const VectorXd torques = control.torques(state);
      const double g = model.gravity().norm();  // masses of 1 kg on rods of 1 m
      EXPECT_NEAR(std::abs(torques[0]), std::abs(g * (2.0 * std::sin(a) + std::sin(a + b))), 1e-9);
      EXPECT_NEAR(std::abs(torques[1]), std::abs(g * std::sin(a + b)), 1e-9);
    }
  }
}

TEST(GravityCompensation, SupportsOfAFloatingRobotCarryItsWeight) {
  const LeggedRobot robot = solo12();
  GravityCompensationController control(robot.model, {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"});
  const VectorXd torques = control.torques(robot.start);
  EXPECT_EQ(torques.head(6).norm(), 0.0);
  const Eigen::Vector3d sum = control.forces().rowwise().sum();
  const Eigen::Vector3d weight = -robot.model.total_mass() * robot.model.gravity();
  EXPECT_LT((sum - weight).norm(), 1e-5);
}

TEST(GravityCompensation, RefusesAFloatingRobotWithoutSupports) {
  const LeggedRobot robot = solo12();
  EXPECT_THROW(GravityCompensationController(robot.model, {}), std::invalid_argument);
  EXPECT_THROW(GravityCompensationController(robot.model, {"FOOT"}), std::invalid_argument);
}

TEST(Pd, IsASpringAndADamperWithinTheLimits) {
  const LeggedRobot robot = romeo();
  PdController pd(robot.model, 50.0, 2.0);
  pd.q = robot.start.q;
  State state = robot.start;
  const Joint& knee = robot.model.joint(robot.model.find_joint("LKneePitch").value());
  state.q[knee.position_index] += 0.1;
  state.v[knee.velocity_index] = -0.5;
  state.v[0] = 1.0;
  VectorXd torques = pd.torques(state);
  EXPECT_NEAR(torques[knee.velocity_index], -50.0 * 0.1 + 2.0 * 0.5, 1e-12);
  EXPECT_EQ(torques.head(6).norm(), 0.0) << "nobody pushes the base";
  state.q[knee.position_index] += 10.0;
  EXPECT_EQ(pd.torques(state)[knee.velocity_index], -knee.limits.effort);
}

TEST(Pd, RefusesWrongSizes) {
  const LeggedRobot robot = solo12();
  EXPECT_THROW(PdController(robot.model, VectorXd::Ones(12), VectorXd::Ones(18)),
               std::invalid_argument);
  EXPECT_THROW(PdController(robot.model, -1.0, 0.0), std::invalid_argument);
  PdController pd(robot.model, 1.0, 0.1);
  pd.q.conservativeResize(12);
  EXPECT_THROW(pd.torques(robot.start), std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
