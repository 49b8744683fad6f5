// Feedback along a trajectory: its formula, and robots that it keeps on their way.

#include "stiction/control/state_feedback.hpp"

#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double time_step = 0.002;

Matrix random_gain(Random& random, int rows, int columns) {
  return Matrix::Map(random_entries(random, rows * columns).data(), rows, columns);
}

TEST(StateFeedback, AddsGainsTimesTheDifferenceOfTheStep) {
  std::printf("seed 9\n");
  Random random(9);
  const Model model = load_model(models_folder() / "solo12.urdf").model;
  const int n = model.velocity_count();
  std::vector<int> inputs;
  for (int i = 6; i < n; ++i) inputs.push_back(i);
  Trajectory trajectory{0.01, {}, {}, {}};
  std::vector<Matrix> gains;
  for (int k = 0; k < 4; ++k) {
    trajectory.q.push_back(random_positions(random, model));
    trajectory.v.push_back(random_entries(random, n));
  }
  for (int k = 0; k < 3; ++k) {
    trajectory.forces.push_back(random_entries(random, n));
    gains.push_back(random_gain(random, n - 6, 2 * n));
  }
  StateFeedback feedback(model, trajectory, gains, inputs);
  feedback.start_time = 1.0;
  const std::pair<double, std::size_t> moments[] = {
      {0.0, 0}, {1.0, 0}, {1.0099, 0}, {1.01 - 1e-13, 1}, {1.025, 2}, {1.03, 3}, {7.0, 3}};
  for (const auto& [time, sample] : moments) {
    State state = model.initial_state();
    state.time = time;
    state.q = trajectory.q[sample];
    state.v = trajectory.v[sample];
    const std::size_t step = std::min<std::size_t>(sample, 2);
    EXPECT_LT((feedback.torques(state) - trajectory.forces[step]).norm(), 1e-14) << time;
    const Vector change = random_entries(random, 2 * n, 0.1);
    state.q = integrate(model, state.q, change.head(n), 1.0);
    state.v += change.tail(n);
    state.q.segment<4>(3) *= -1.0;  // the same turn
    Vector expected = trajectory.forces[step];
    expected.tail(n - 6) -= gains[step] * change;
    EXPECT_LT((feedback.torques(state) - expected).norm(), 1e-12) << time;
  }
}

TEST(StateFeedback, RefusesWhatDoesNotFit) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  const int n = model.velocity_count();
  const Vector q = model.initial_positions();
  const Vector zero = Vector::Zero(n);
  const Trajectory good{0.01, {q, q}, {zero, zero}, {zero}};
  const std::vector<Matrix> gain{Matrix::Zero(1, 2 * n)};
  EXPECT_NO_THROW(StateFeedback(model, good, gain, {0}));
  EXPECT_THROW(StateFeedback(model, good, gain, {0, 1}), std::invalid_argument);
  EXPECT_THROW(StateFeedback(model, good, gain, {n}), std::invalid_argument);
  EXPECT_THROW(StateFeedback(model, good, {}, {0}), std::invalid_argument);
  Trajectory bad = good;
  bad.q.pop_back();
  EXPECT_THROW(StateFeedback(model, bad, gain, {0}), std::invalid_argument);
  bad = good;
  bad.time_step = 0.0;
  EXPECT_THROW(StateFeedback(model, bad, gain, {0}), std::invalid_argument);
  bad = good;
  bad.v[1] = Vector::Zero(n + 1);
  EXPECT_THROW(StateFeedback(model, bad, gain, {0}), std::invalid_argument);
}

/// Swings up within two seconds: joints from hanging to upright along a polynomial, forces by
/// inverse dynamics. Two links, both driven.
Trajectory swing_up(const Model& model, const Vector& from, const Vector& to, int steps) {
  Trajectory result{time_step, {}, {}, {}};
  DynamicsData<double> data(model);
  const double duration = steps * time_step;
  for (int k = 0; k <= steps; ++k) {
    const double s = static_cast<double>(k) / steps;
    const double path = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    const double rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / duration;
    const double bend = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration);
    result.q.emplace_back(from + path * (to - from));
    result.v.emplace_back(rate * (to - from));
    if (k == steps) break;
    const Vector dv = bend * (to - from);
    Vector tau(model.velocity_count());
    update_kinematics(model, data, result.q.back(), result.v.back());
    inverse_dynamics<double>(model, data, as_span(dv), as_span(tau));
    result.forces.push_back(tau);
  }
  return result;
}

/// Largest difference from the trajectory during its last tenth.
double final_error(const Model& model, StateFeedback& feedback, const State& start) {
  StepOptions options;
  options.time_step = time_step;
  Simulation simulation(model, options);
  simulation.set_state(start);
  const Trajectory& path = feedback.trajectory();
  const std::size_t steps = path.forces.size();
  double worst = 0.0;
  for (std::size_t k = 0; k < steps; ++k) {
    simulation.joint_forces() = feedback.torques(simulation.state());
    simulation.step();
    if (k > steps - steps / 10) {
      worst = std::max(
          worst, difference(model, path.q[k + 1], simulation.state().q).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

TEST(StateFeedback, KeepsADoublePendulumOnItsWayUp) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  const int n = model.velocity_count();
  const Vector hanging = model.initial_positions();
  Vector upright = hanging;
  upright[0] += 3.14159265358979;
  const Trajectory path = swing_up(model, hanging, upright, 1000);
  LqrCost cost;
  cost.state = Matrix::Identity(2 * n, 2 * n);
  // Velocities cost little, or the way back takes as long as the motion.
  cost.state.bottomRightCorner(n, n) *= 0.01;
  cost.input = 1e-4 * Matrix::Identity(n, n);
  cost.final_state = 100.0 * Matrix::Identity(2 * n, 2 * n);
  StateFeedback feedback = track(model, path, cost);
  StateFeedback open_loop(model, path, std::vector<Matrix>(1000, Matrix::Zero(n, 2 * n)), {0, 1});
  State start = model.initial_state();
  start.q[0] += 0.3;
  start.v[1] = -1.0;
  const double with = final_error(model, feedback, start);
  const double without = final_error(model, open_loop, start);
  std::printf("%.1e rad with feedback, %.1e rad without\n", with, without);
  EXPECT_LT(with, 1e-3);
  EXPECT_GT(without, 0.3);
}

TEST(StateFeedback, HoldsADoublePendulumUprightByItsFirstJoint) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  const int n = model.velocity_count();
  Vector upright = model.initial_positions();
  upright[0] += 3.14159265358979323846;
  const LqrCost cost{Matrix::Identity(2 * n, 2 * n), Matrix::Identity(1, 1), {}};
  StateFeedback feedback = hold(model, time_step, upright, Vector::Zero(n), cost, {0});
  StepOptions options;
  options.time_step = time_step;
  Simulation simulation(model, options);
  simulation.state().q = upright;
  simulation.state().q[0] += 0.02;
  simulation.state().q[1] -= 0.03;
  for (int k = 0; k < 5000; ++k) {
    simulation.joint_forces() = feedback.torques(simulation.state());
    EXPECT_EQ(simulation.joint_forces()[1], 0.0);
    simulation.step();
  }
  const double error = difference(model, upright, simulation.state().q).cwiseAbs().maxCoeff();
  std::printf("%.1e rad from upright\n", error);
  EXPECT_LT(error, 1e-4);
  // Bent, it does not rest without forces.
  Vector bent = upright;
  bent[1] += 0.5;
  EXPECT_THROW((void)hold(model, time_step, bent, Vector::Zero(n), cost, {0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
