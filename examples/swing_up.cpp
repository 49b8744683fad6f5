// A pole on a cart swings up and balances. Only the cart is driven. The plan is a fall, run
// backwards; a linear-quadratic regulator keeps the robot on it, although the real pole is heavier
// than planned.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "stiction/control/state_feedback.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace {

constexpr double time_step = 0.002;
constexpr double pi = 3.14159265358979323846;

// The pole is upright at zero. q = (position of the cart, angle of the pole).
constexpr const char* cart_pole = R"(
<mujoco model="cart_pole">
  <worldbody>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0.5" mass="0.5" diaginertia="0.01 0.01 0.01"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

stiction::Simulation simulation_of(const stiction::Model& model) {
  stiction::StepOptions options;
  options.time_step = time_step;
  return stiction::Simulation(model, options);
}

/// The pole falls and hangs at last, because the cart brakes. Backwards in time, the same forces
/// along the same path lift it: mechanics without friction does not tell the directions apart.
stiction::Trajectory fall_backwards(const stiction::Model& model) {
  stiction::Simulation simulation = simulation_of(model);
  simulation.state().q << 0.0, 0.02;
  stiction::Trajectory fall{time_step, {simulation.state().q}, {simulation.state().v}, {}};
  for (int k = 0; k < 5000; ++k) {
    simulation.joint_forces() << -3.0 * simulation.state().v[0], 0.0;
    simulation.step();
    fall.q.push_back(simulation.state().q);
    fall.v.emplace_back(-simulation.state().v);
    fall.forces.push_back(simulation.joint_forces());
  }
  std::reverse(fall.q.begin(), fall.q.end());
  std::reverse(fall.v.begin(), fall.v.end());
  std::reverse(fall.forces.begin(), fall.forces.end());
  return fall;
}

/// Costs of (cart, pole, their velocities) and of the force on the cart.
stiction::LqrCost cost() {
  stiction::LqrCost result;
  result.state = Eigen::Vector4d(10.0, 10.0, 1.0, 1.0).asDiagonal();
  result.input = 0.1 * Eigen::MatrixXd::Identity(1, 1);
  result.final_state = 1000.0 * result.state;
  return result;
}

/// How far the pole is from upright [rad].
double lean(const stiction::Simulation& simulation) {
  return std::abs(std::remainder(simulation.state().q[1], 2.0 * pi));
}

}  // namespace

int main() try {
  const stiction::Model model = stiction::load_model_text(cart_pole, "cart_pole.xml").model;
  const stiction::Trajectory plan = fall_backwards(model);
  const double duration = static_cast<double>(plan.forces.size()) * time_step;
  std::printf("plan: %.1f s from %.1f degrees to %.1f degrees from upright\n", duration,
              plan.q.front()[1] * 180.0 / pi, plan.q.back()[1] * 180.0 / pi);

  // The gains of each step, from the derivatives of the dynamics along the plan; then those that
  // balance for ever.
  stiction::StateFeedback swing = stiction::track(model, plan, cost(), {0});
  const Eigen::Vector2d upright(plan.q.back()[0], 0.0);
  stiction::StateFeedback balance =
      stiction::hold(model, time_step, upright, Eigen::Vector2d::Zero(), cost(), {0});

  // The robot itself hangs at rest, and its pole weighs 5 % more than the plan knows.
  stiction::ModelParameters parameters = model.parameters();
  parameters.scale_mass(1, 1.05);
  const stiction::Model heavier = model.with_parameters(parameters);
  double ends[2] = {};
  for (const bool with_feedback : {false, true}) {
    stiction::Simulation simulation = simulation_of(heavier);
    simulation.state().q << plan.q.front()[0], pi * std::round(plan.q.front()[1] / pi);
    double largest_force = 0.0;
    while (simulation.state().time < duration + 3.0) {
      const stiction::State& state = simulation.state();
      const bool swinging = state.time < duration;
      if (with_feedback) {
        simulation.joint_forces() = (swinging ? swing : balance).torques(state);
      } else {
        simulation.joint_forces() = plan.forces[swing.step_at(state.time)];
        if (!swinging) simulation.joint_forces().setZero();
      }
      largest_force = std::max(largest_force, std::abs(simulation.joint_forces()[0]));
      simulation.step();
    }
    ends[with_feedback ? 1 : 0] = lean(simulation);
    std::printf("%s feedback: %.4f degrees from upright, at most %.1f N\n",
                with_feedback ? "with" : "without", lean(simulation) * 180.0 / pi, largest_force);
  }
  return ends[1] < 1e-3 && ends[0] > 0.5 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
