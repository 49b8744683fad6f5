// Momentum of a robot that is hit: only forces from outside may change it.

#include <gtest/gtest.h>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A floating box with an arm of two links, and a ball that flies against the box. No gravity.
Model hit_robot() {
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
    scene.builder().add_joint(joint);
  }
  scene.add_sphere("ball", 0.1, 5.0, at(0.05, -0.5, 0.02));
  return scene.build();
}

struct Outcome {
  double error = 0.0;     ///< largest change of the linear momentum [N·s]
  double spin = 0.0;      ///< largest change of the angular momentum about the origin [N·m·s]
  int contact_steps = 0;  ///< in which the ball pushed
};

Vector3<double> about_origin(const CentroidalState<double>& s) {
  return s.angular_momentum + cross(s.center_of_mass, s.linear_momentum);
}

Outcome momentum_error(Integrator integrator) {
  StepOptions options{.time_step = 0.001};
  options.integrator = integrator;
  Simulation simulation(hit_robot(), options);
  const Model& model = simulation.model();
  set_velocity(model, simulation.state(), "ball", {0, 5.0, 0});
  DynamicsData<double> data(model);
  const auto momentum = [&] {
    update_kinematics(model, data, simulation.state().q, simulation.state().v);
    return centroidal_state(model, data);
  };
  const CentroidalState<double> at_first = momentum();
  Outcome outcome;
  for (int k = 0; k < 500; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.ok()) << report.message;
    for (const StepContact& contact : report.contacts) {
      outcome.contact_steps += contact.impulse.z > 0.0 ? 1 : 0;
    }
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

/// The semi-implicit rule in contact is of first order: an error that can be seen, and is small.
TEST(Momentum, OfRobotThatIsHitIsNearlyKeptByTrapezoid) {
  const Outcome outcome = momentum_error(Integrator::trapezoid);
  EXPECT_GT(outcome.error, 1e-6);
  EXPECT_LT(outcome.error, 0.1);
}

}  // namespace
}  // namespace stiction
