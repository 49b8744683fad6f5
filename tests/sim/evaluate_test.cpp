// What evaluate() says of a state without moving it.

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

Model scene(const char* name) {
  return load_model(STICTION_SOURCE_DIR "/models/scenes/" + std::string(name)).model;
}

TEST(Evaluate, LeavesTheStateAlone) {
  Simulation simulation(scene("quadruped_boxes.xml"));
  simulation.reset_to_keyframe("drop");
  simulation.run(0.5);
  const State before = simulation.state();
  const StepReport& report = simulation.evaluate();
  EXPECT_EQ(report.status, StepStatus::ok) << report.message;
  EXPECT_GT(report.contacts.size(), 0U);
  EXPECT_EQ(simulation.state().q, before.q);
  EXPECT_EQ(simulation.state().v, before.v);
  EXPECT_EQ(simulation.state().time, before.time);
  ASSERT_EQ(simulation.state().memory.size(), before.memory.size());
}

/// The step that follows finds what was foretold, bit for bit.
TEST(Evaluate, ForetellsTheNextStep) {
  Simulation simulation(scene("quadruped_boxes.xml"));
  simulation.reset_to_keyframe("drop");
  simulation.run(1.0);
  const StepReport foretold = simulation.evaluate();
  const Eigen::VectorXd acceleration = simulation.accelerations();
  const State before = simulation.state();
  const StepReport& found = simulation.step();
  ASSERT_EQ(found.contacts.size(), foretold.contacts.size());
  for (std::size_t i = 0; i < found.contacts.size(); ++i) {
    EXPECT_EQ(found.contacts[i].impulse.x, foretold.contacts[i].impulse.x);
    EXPECT_EQ(found.contacts[i].impulse.z, foretold.contacts[i].impulse.z);
  }
  EXPECT_EQ(found.certificate.residual(), foretold.certificate.residual());
  // Of the robot, on which impulses act.
  const Eigen::VectorXd change = (simulation.state().v - before.v) / simulation.time_step();
  const double scale = 1.0 + change.cwiseAbs().maxCoeff();
  EXPECT_LT((change - acceleration).head(18).cwiseAbs().maxCoeff(), 1e-12 * scale);
}

/// Also a repeated evaluation, which must not depend on the one before.
TEST(Evaluate, GivesTheSameTwice) {
  Simulation simulation(scene("gripper.xml"));
  simulation.run(0.2);
  const StepReport first = simulation.evaluate();
  const Eigen::VectorXd acceleration = simulation.accelerations();
  const StepReport& second = simulation.evaluate();
  ASSERT_EQ(first.contacts.size(), second.contacts.size());
  for (std::size_t i = 0; i < first.contacts.size(); ++i) {
    EXPECT_EQ(first.contacts[i].impulse.z, second.contacts[i].impulse.z);
  }
  EXPECT_EQ(acceleration, simulation.accelerations());
}

/// Free motion against the articulated-body algorithm.
TEST(Evaluate, AcceleratesARobotInTheAirAsForwardDynamicsDoes) {
  Simulation simulation(scene("anymal_energy.xml"));
  simulation.run(0.01);
  const Model& model = simulation.model();
  DynamicsData<double> data(model);
  const Eigen::VectorXd expected =
      articulated_body_algorithm(model, data, simulation.state().q, simulation.state().v,
                                 Eigen::VectorXd::Zero(model.velocity_count()));
  simulation.options().integrator = Integrator::rk4;  // whose free motion uses other states as well
  ASSERT_EQ(simulation.evaluate().contacts.size(), 0U);
  // Joint damping is implicit, so agreement is to the order of the time step.
  const double scale = expected.cwiseAbs().maxCoeff();
  EXPECT_LT((simulation.accelerations() - expected).cwiseAbs().maxCoeff(), 1e-2 * scale);
}

/// A block at rest: the ground pushes with its weight, and an accelerometer would feel g.
TEST(Evaluate, FindsTheForcesOnABlockAtRest) {
  SceneBuilder builder;
  builder.add_plane("floor");
  builder.add_box("block", {0.1, 0.1, 0.1}, 2.0, at(0, 0, 0.1));
  Simulation simulation(builder.build());
  const StepReport& report = simulation.evaluate();
  const double h = simulation.time_step();
  EXPECT_NEAR(contact_force(report, 0, h).z(), 2.0 * 9.81, 1e-6);
  EXPECT_LT(simulation.accelerations().cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Evaluate, RefusesWhatAStepRefuses) {
  Simulation simulation(scene("incline.xml"));
  simulation.state().v[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(simulation.evaluate().status, StepStatus::refused);
  EXPECT_NE(simulation.report().message.find("velocity"), std::string::npos);
}

}  // namespace
}  // namespace stiction
