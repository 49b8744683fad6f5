// Control allocates nothing once it has seen its largest problem.

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "examples/legged_robots.hpp"
#include "stiction/control/quadratic_program.hpp"
#include "stiction/core/random.hpp"
#include "support/allocation_counter.hpp"

namespace stiction::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Random& random, int rows, int columns) {
  MatrixXd matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = random.uniform(-1.0, 1.0);
  return matrix;
}

TEST(ControlAllocation, QuadraticProgramsOfKnownSizeAllocateNothing) {
  Random random(3);
  const int n = 40;
  const MatrixXd H = MatrixXd::Identity(n, n);
  const MatrixXd A = random_matrix(random, 12, n);
  const MatrixXd C = random_matrix(random, 50, n);
  const VectorXd g = random_matrix(random, n, 1);
  const VectorXd b = random_matrix(random, 12, 1);
  const VectorXd lower = VectorXd::Constant(50, -1.0);
  const VectorXd upper = VectorXd::Constant(50, 1.0);
  const VectorXd none;
  const QuadraticProgram programs[] = {
      {H, g, A, b, C, lower, upper, none, none},
      {H, g, A.topRows(6), b.head(6), C, lower, upper, none, none}};
  QuadraticProgramSolver solver;
  ASSERT_EQ(solver.solve(programs[0]), ProgramStatus::solved);
  const AllocationCounter counter;
  for (const QuadraticProgram& program : programs) {
    if (solver.solve(program) != ProgramStatus::solved) FAIL();
  }
  EXPECT_EQ(counter.count(), 0U);
  EXPECT_GT(solver.active().size(), 6U);
}

TEST(ControlAllocation, InverseDynamicsAllocatesNothingWhileContactsComeAndGo) {
  const LeggedRobot robot = solo12();
  InverseDynamics control(robot.model, robot.options);
  for (const ContactSpec& foot : robot.feet) control.add_contact(foot);
  control.posture().gains = {.kp = 10.0, .weight = 1.0};
  control.posture().q = robot.start.q;
  ASSERT_TRUE(control.compute(robot.start).ok());
  control.set_active(2, false);
  ASSERT_TRUE(control.compute(robot.start).ok());
  const AllocationCounter counter;
  for (const bool active : {true, false, true}) {
    control.set_active(2, active);
    if (!control.compute(robot.start).ok()) FAIL();
  }
  EXPECT_EQ(counter.count(), 0U);
}

}  // namespace
}  // namespace stiction::test
