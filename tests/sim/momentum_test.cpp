// Momentum of a robot that is hit: only forces from outside may change it.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A floating box with an arm of two links, and a ball that flies against the box. No gravity.
Model hit_robot(const JointLimits& limits = {}) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(0.5);
  int parent = scene.add_box("trunk", {0.3, 0.15, 0.1}, 10.0, at(0, 0, 0));
  for (int k = 0; k < 2; ++k) {
    LinkSpec link;
    link.name = "link" + std::to_string(k);
    link.mass = 2.0;
    link.center_of_mass = {0, 0, -0.2};
    link.inertia = Eigen::Vector3d(0.03, 0.03, 0.002).asDiagonal().toDenseMatrix();
    JointSpec joint;
    joint.name = "hinge" + std::to_string(k);
    joint.parent = parent;
    joint.child = parent = scene.builder().add_link(std::move(link));
    joint.pose_in_parent = at(0.1, 0, k == 0 ? -0.1 : -0.4);
    joint.axis = k == 0 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    joint.limits = limits;
    scene.builder().add_joint(joint);
  }
  scene.add_sphere("ball", 0.1, 5.0, at(0.05, -0.5, 0.02));
  return scene.build();
}

struct Outcome {
  double error = 0.0;     ///< largest change of the linear momentum [N·s]
  double spin = 0.0;      ///< largest change of the angular momentum about the origin [N·m·s]
  int contact_steps = 0;  ///< in which the ball pushed
  int limit_steps = 0;    ///< in which a joint's limit pushed
  int bound_steps = 0;    ///< in which a servo was at its bound
};

constexpr double effort = 3.0;  // [N·m]

/// Servos that wave the arm about: now at their bounds, now within.
void wave(Simulation& simulation) {
  const double side = std::sin(20.0 * simulation.state().time) > 0.0 ? 1.0 : -1.0;
  simulation.servos().clear();
  for (int k = 6; k < 8; ++k) {
    simulation.servos().push_back(
        {.velocity_index = k, .position_target = side, .stiffness = 3.0, .damping = 0.03});
  }
}

void count_steps(Simulation& simulation, Outcome& outcome) {
  for (const StepContact& contact : simulation.report().contacts) {
    outcome.contact_steps += contact.impulse.z > 0.0 ? 1 : 0;
  }
  for (const StepConstraint& constraint : simulation.report().constraints) {
    outcome.limit_steps += constraint.impulse[0] > 0.0 ? 1 : 0;
  }
  const Eigen::VectorXd torques = simulation.actuator_forces();
  const bool at_bound =
      std::ranges::any_of(torques, [](double t) { return std::abs(t) == effort; });
  outcome.bound_steps += at_bound ? 1 : 0;
}

Vector3<double> about_origin(const CentroidalState<double>& s) {
  return s.angular_momentum + cross(s.center_of_mass, s.linear_momentum);
}

Outcome momentum_error(Integrator integrator, const JointLimits& limits = {}, bool waves = false,
                       double time_step = 0.001) {
  StepOptions options{.time_step = time_step};
  options.integrator = integrator;
  Simulation simulation(hit_robot(limits), options);
  const Model& model = simulation.model();
  set_velocity(model, simulation.state(), "ball", {0, 5.0, 0});
  DynamicsData<double> data(model);
  const auto momentum = [&] {
    update_kinematics(model, data, simulation.state().q, simulation.state().v);
    return centroidal_state(model, data);
  };
  const CentroidalState<double> at_first = momentum();
  Outcome outcome;
  const auto steps = std::lround(0.5 / time_step);
  for (long k = 0; k < steps; ++k) {
    if (waves) wave(simulation);
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.ok()) << report.message;
    count_steps(simulation, outcome);
    const CentroidalState<double> now = momentum();
    outcome.error = std::max(outcome.error, norm(now.linear_momentum - at_first.linear_momentum));
    outcome.spin = std::max(outcome.spin, norm(about_origin(now) - about_origin(at_first)));
  }
  return outcome;
}

/// 25 N·s fly in; the tolerance is rounding over 500 steps and the fourth order of free flight.
TEST(Momentum, OfRobotThatIsHitIsKeptByRungeKutta) {
  const Outcome outcome = momentum_error(Integrator::rk4);
  EXPECT_GT(outcome.contact_steps, 0);
  EXPECT_LT(outcome.error, 1e-8);
  EXPECT_LT(outcome.spin, 1e-8);
}

/// Limits act within the tree, and servos at their bounds make the step begin again.
TEST(Momentum, OfRobotThatIsHitIsKeptWithLimitsAndServosAtTheirBounds) {
  const JointLimits limits{.lower = -0.3, .upper = 0.3, .effort = effort};
  const Outcome outcome = momentum_error(Integrator::rk4, limits, true);
  EXPECT_GT(outcome.contact_steps, 0);
  EXPECT_GT(outcome.limit_steps, 10);
  EXPECT_GT(outcome.bound_steps, 10);
  EXPECT_LT(outcome.bound_steps, 490);
  EXPECT_LT(outcome.error, 1e-8);
  EXPECT_LT(outcome.spin, 1e-8);
}

/// What pushes a robot out of a wall along which it flies is no force: its velocity stays.
TEST(Momentum, OfRobotIsNotChangedByPushingItOutOfThePositions) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(0.0);
  scene.add_plane("wall");
  const int trunk = scene.add_box("trunk", {0.3, 0.15, 0.1}, 10.0, at(0, 0, 0.09));
  LinkSpec link;
  link.name = "arm";
  link.mass = 2.0;
  link.inertia = Eigen::Vector3d(0.03, 0.03, 0.02).asDiagonal();
  JointSpec joint;
  joint.name = "hinge";
  joint.parent = trunk;
  joint.child = scene.builder().add_link(std::move(link));
  joint.pose_in_parent = at(0, 0, 0.3);
  joint.axis = Eigen::Vector3d::UnitX();
  scene.builder().add_joint(joint);
  const Model model = scene.build();
  for (const Integrator integrator : {Integrator::trapezoid, Integrator::rk4}) {
    StepOptions options{.time_step = 0.001};
    options.integrator = integrator;
    options.push_out_sweeps = 10;
    Simulation simulation(model, options);
    set_velocity(model, simulation.state(), "trunk", {5.0, 0, 0});
    const Eigen::VectorXd before = simulation.state().v;
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(simulation.step().ok());
    EXPECT_GT(simulation.state().q[2], 0.099) << to_string(integrator);
    EXPECT_LT((simulation.state().v - before).lpNorm<Eigen::Infinity>(), 1e-12)
        << to_string(integrator);
  }
}

/// The semi-implicit rule in contact is of first order: an error that can be seen, and is small.
TEST(Momentum, OfRobotThatIsHitIsNearlyKeptByTrapezoid) {
  const Outcome coarse = momentum_error(Integrator::trapezoid);
  const Outcome fine = momentum_error(Integrator::trapezoid, {}, false, 0.00025);
  // Of 25 N·s. A quarter of the step leaves a quarter of it.
  EXPECT_GT(coarse.contact_steps, 0);
  EXPECT_LT(coarse.error, 0.02);
  EXPECT_NEAR(coarse.error / fine.error, 4.0, 0.1);
  EXPECT_NEAR(coarse.spin / fine.spin, 4.0, 0.1);
}

}  // namespace
}  // namespace stiction
